import { mkdir, readFile, rm } from 'node:fs/promises'
import { totalmem } from 'node:os'
import { join } from 'node:path'
import { redisPasswordHash, redisPasswordsFrom, redisProcesses, redisUser } from '@muster/backplane/redis-logins.ts'
import { Redis as Client } from 'ioredis'
import { type Account, chownAll } from './account.ts'
import { type Engine, startEngine } from './engine.ts'
import { onDisk, StackError } from './failure.ts'
import { freePort } from './ports.ts'
import { commandOf, identify, waitUntilGone } from './process-id.ts'
import { findRedis } from './redis-binary.ts'

const readyMs = 120_000
const stopMs = 30_000

export interface RedisOptions {
  /** Contains the folder `redis`. */
  readonly engines: string
  readonly logs: string
  readonly account: Account | undefined
  /** Password of the operator's login, which has all rights. Those of the processes are derived from it. */
  readonly password: string
  /** False for disposable data: writes do not wait for the disk. */
  readonly durable: boolean
  say(line: string): void
}

export interface Redis {
  /** Name and version. */
  readonly title: string
  readonly url: string
  readonly engine: Engine
  stop(): Promise<void>
}

/** Starts the Redis of a data folder on a local port. Acknowledged writes are on disk. */
export async function startRedis(options: RedisOptions, fixedPort?: number): Promise<Redis> {
  const folder = join(options.engines, 'redis')
  const { path, title } = findRedis(options.say)
  return onDisk(folder, async () => {
    await mkdir(folder, { recursive: true, mode: 0o700 })
    await chownAll(folder, options.account)
    await stopLeftover(folder)
    for (let attempt = 1; ; attempt++) {
      const port = fixedPort ?? (await freePort())
      const engine = startEngine({
        binary: path,
        args: ['-'],
        input: settings(folder, port, options),
        account: options.account,
        logFile: join(options.logs, 'redis.log'),
        cwd: options.engines,
        stopSignal: 'SIGTERM',
      })
      const url = `redis://:${options.password}@127.0.0.1:${port}`
      if (await becameReady(url, engine)) return { title, url, engine, stop: () => engine.stop(stopMs) }
      const output = engine.output()
      if (!/Address already in use/.test(output) || attempt === 5) throw new StackError(explain(output, folder))
      await new Promise((resolve) => setTimeout(resolve, 200 * attempt))
    }
  })
}

// Passed on standard input, so that the password is in no argument list and no second file.
function settings(folder: string, port: number, { durable, password }: RedisOptions): string {
  const passwords = redisPasswordsFrom(password)
  const memory = Math.min(totalmem(), process.constrainedMemory() || Infinity)
  return [
    `port ${port}`,
    'bind 127.0.0.1',
    `requirepass ${password}`,
    ...redisProcesses.map((process) => redisUser(process, redisPasswordHash(passwords[process]))),
    `dir "${folder}"`,
    `pidfile "${folder}/redis.pid"`,
    'daemonize no',
    'appendonly yes',
    `appendfsync ${durable ? 'always' : 'no'}`,
    'save ""',
    'maxmemory-policy noeviction',
    `maxmemory ${Math.max(256 * 2 ** 20, Math.round(memory / 4))}`,
    'tcp-backlog 511',
    'loglevel notice',
  ].join('\n')
}

async function stopLeftover(folder: string): Promise<void> {
  const file = join(folder, 'redis.pid')
  const pid = Number((await readFile(file, 'utf8').catch(() => '')).trim())
  if (!(pid > 0)) return
  if (/(redis|valkey)-server/.test(commandOf(pid))) {
    const left = identify(pid)
    process.kill(pid, 'SIGTERM')
    if ((await waitUntilGone([left], stopMs)).length > 0) {
      throw new StackError(
        `The Redis that an earlier Muster left running (process ${pid}) does not stop. End that process and start again.`,
      )
    }
  }
  await rm(file, { force: true })
}

// Loading a long log takes a while; until then every command is answered with LOADING.
async function becameReady(url: string, engine: Engine): Promise<boolean> {
  let ended = false
  void engine.exited.then(() => {
    ended = true
  })
  const client = new Client(url, { lazyConnect: true, maxRetriesPerRequest: null, retryStrategy: () => 20 })
  client.on('error', () => undefined)
  const until = Date.now() + readyMs
  try {
    void client.connect().catch(() => undefined)
    while (!ended && Date.now() < until) {
      const answered = client.ping().then(
        () => true,
        () => false,
      )
      if (await Promise.race([answered, engine.exited.then(() => false)])) return true
    }
    if (!ended) await engine.stop(0)
    return false
  } finally {
    client.disconnect()
  }
}

function explain(output: string, folder: string): string {
  const lines = output.split('\n').map((line) => line.replace(/^\d+:\w \d+ \w+ \d+ [\d:.]+ [.\-*#] /, '').trim())
  const reason = lines.filter(Boolean).at(-1) ?? 'no reason given'
  if (/No space left on device/.test(output))
    return `The disk that holds ${folder} is full. Free space and start again.`
  if (/Bad file format|Error reading|appendonly|AOF|manifest|RDB/i.test(reason)) {
    return `The message store in ${folder} is damaged (${reason}). Repair it with redis-check-aof --fix, or move it away to start empty.`
  }
  return `Redis does not start: ${reason}`
}
