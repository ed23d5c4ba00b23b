import { type ChildProcess, spawn } from 'node:child_process'
import { randomInt } from 'node:crypto'
import { once } from 'node:events'
import { mkdtempSync, rmSync } from 'node:fs'
import { createServer } from 'node:net'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { connectRedis, untilReady } from '../redis.ts'

/** A Redis for one test, which can stop, kill and restart it. */
export interface OwnRedis {
  readonly url: string
  readonly pid: number
  /** The folder of its files. */
  readonly folder: string
  /** Settles when the current process has ended. */
  readonly died: Promise<void>
  /** Kills it, as a crash would. */
  kill(): Promise<void>
  /** Restarts it on the same port with its durable data. */
  restart(): Promise<void>
  /** Stops it and removes its files. */
  stop(): Promise<void>
}

/** Starts a Redis on a free port. `durable` makes it write every append to disk before it answers; `within` is the parent of its folder. */
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

// Below the range that Linux uses for outgoing connections, so that a port stays free between its choice and its use.
const [lowestPort, highestPort] = [15_000, 32_000]

/** A port that is free at this moment. */
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
