import { type ChildProcess, spawn } from 'node:child_process'
import { randomInt } from 'node:crypto'
import { once } from 'node:events'
import { mkdtempSync, rmSync } from 'node:fs'
import { createServer } from 'node:net'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { connectRedis, untilReady } from '../redis.ts'

/** A Redis of a test's own, which it may stop, kill and start again. */
export interface OwnRedis {
  readonly url: string
  readonly pid: number
  /** Where its files are. */
  readonly folder: string
  /** Settles when the process that runs now has ended. */
  readonly died: Promise<void>
  /** Ends it at once, as a crash would. */
  kill(): Promise<void>
  /** Starts it again on the same port, with what it had made durable. */
  restart(): Promise<void>
  /** Ends it and removes its files. */
  stop(): Promise<void>
}

/** Starts a Redis on a free port; `durable` makes it write every append to disk before it answers. `within` is where its folder is made. */
export async function startOwnRedis({ durable = false, within = tmpdir() } = {}): Promise<OwnRedis> {
  const dir = mkdtempSync(join(within, 'muster-redis-'))
  const port = await freePort()
  const url = `redis://127.0.0.1:${port}`
  let child = await launch(port, dir, durable, url)
  const kill = async () => {
    if (child.exitCode !== null || child.signalCode !== null) return
    const exit = ended(child)
    child.kill('SIGKILL')
    await exit
  }
  return {
    url,
    get pid() {
      return child.pid ?? 0
    },
    folder: dir,
    get died() {
      return ended(child)
    },
    kill,
    async restart() {
      child = await launch(port, dir, durable, url)
    },
    async stop() {
      await kill()
      rmSync(dir, { recursive: true, force: true })
    },
  }
}

async function ended(child: ChildProcess): Promise<void> {
  if (child.exitCode === null && child.signalCode === null) await once(child, 'exit')
}

async function launch(port: number, dir: string, durable: boolean, url: string): Promise<ChildProcess> {
  const persistence = durable ? ['--appendonly', 'yes', '--appendfsync', 'always'] : ['--appendonly', 'no']
  const settings = ['--port', String(port), '--bind', '127.0.0.1', '--dir', dir, '--save', '', ...persistence]
  const child = spawn('redis-server', settings, { stdio: 'ignore' })
  await once(child, 'spawn')
  const probe = connectRedis(url, 'probe')
  await untilReady(probe, 10_000)
  probe.disconnect()
  return child
}

// Below the range that Linux hands to outgoing connections, so that a port stays free between its choice and its use.
const [lowestPort, highestPort] = [15_000, 32_000]

/** A port that nobody listens on at this moment. */
export async function freePort(): Promise<number> {
  for (;;) {
    const port = randomInt(lowestPort, highestPort)
    const server = createServer()
    const isFree = await new Promise<boolean>((resolve) => {
      server.once('error', () => resolve(false))
      server.listen({ port, host: '127.0.0.1', exclusive: true }, () => resolve(true))
    })
    if (!isFree) continue
    server.close()
    await once(server, 'close')
    return port
  }
}
