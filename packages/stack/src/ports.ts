import { createServer } from 'node:net'
import { errorCode, StackError } from './failure.ts'

// Below the range that Linux uses for outgoing connections, so that a port stays free between its choice and its use.
const lowest = 15_000
const highest = 32_000

/** A free port of this machine. */
export async function freePort(): Promise<number> {
  return (await freePorts(1))[0] ?? Promise.reject(new StackError('No free port was found.'))
}

/** Consecutive free ports. */
export async function freePorts(count: number): Promise<number[]> {
  for (let attempt = 0; attempt < 200; attempt++) {
    const first = lowest + Math.floor(Math.random() * (highest - lowest - count))
    const ports = Array.from({ length: count }, (_, index) => first + index)
    const states = await Promise.all(ports.map(portFault))
    if (states.every((state) => state === undefined)) return ports
  }
  throw new StackError(`No ${count} free ports were found between ${lowest} and ${highest}.`)
}

const triesMax = 4

/**
 * Runs work that needs consecutive free ports. If another program takes one of them first, `use` undoes its work and rejects,
 * and is called again with others.
 */
export async function onFreePorts<T>(count: number, use: (ports: number[]) => Promise<T>): Promise<T> {
  for (let attempt = 1; ; attempt++) {
    try {
      return await use(await freePorts(count))
    } catch (error) {
      if (attempt === triesMax || !/EADDRINUSE|address already in use|Cannot listen/i.test(String(error))) throw error
    }
  }
}

/** @throws StackError naming the port and the setting that moves it */
export async function requireFree(port: number, setting: string, what: string): Promise<void> {
  const why = await portFault(port)
  if (why === undefined) return
  if (why === 'EACCES') {
    throw new StackError(`Port ${port} (${what}) is not allowed for this user. Set ${setting} to a port above 1023.`)
  }
  throw new StackError(`Port ${port} (${what}) is in use. Stop what uses it, or set ${setting} to another port.`)
}

// Tried on both addresses: a listener on only one of them does not block the other.
async function portFault(port: number): Promise<string | undefined> {
  return (await tryToListen(port, '127.0.0.1')) ?? (await tryToListen(port, '0.0.0.0'))
}

function tryToListen(port: number, host: string): Promise<string | undefined> {
  return new Promise((resolve) => {
    const server = createServer()
    server.once('error', (error) => resolve(errorCode(error) ?? 'unknown'))
    server.listen({ port, host, exclusive: true }, () => server.close(() => resolve(undefined)))
  })
}
