import { spawnSync } from 'node:child_process'
import { chown, mkdir, readdir, readFile, rename, rm, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import pg from 'pg'
import { type Account, chownAll } from './account.ts'
import { type Engine, startEngine } from './engine.ts'
import { onDisk, reasonOf, StackError } from './failure.ts'
import { freePort } from './ports.ts'
import { findPostgres, type PostgresBinaries } from './postgres-binaries.ts'
import { postgresSettings } from './postgres-settings.ts'
import { commandOf, identify, waitUntilGone } from './process-id.ts'

const owner = 'muster'
const database = 'muster'
const readyMs = 120_000
const stopMs = 60_000

export interface PostgresOptions {
  /** Contains the folder `postgres`. */
  readonly engines: string
  readonly logs: string
  readonly account: Account | undefined
  readonly password: string
  /** False for disposable data: commits do not wait for the disk. */
  readonly durable: boolean
}

export interface Postgres {
  readonly version: string
  /** The login that owns the database. */
  readonly ownerUrl: string
  readonly engine: Engine
  stop(): Promise<void>
}

/** Starts the PostgreSQL of a data folder on a local port, and creates it first if needed. */
export async function startPostgres(options: PostgresOptions, port?: number): Promise<Postgres> {
  const folder = join(options.engines, 'postgres')
  return onDisk(folder, async () => {
    const binaries = await findPostgres(options.account)
    await stopLeftover(folder)
    if (await isMissing(folder)) await initialize(folder, binaries, options)
    await requireSameMajor(folder, binaries)
    await chownAll(folder, options.account)
    return launch(folder, binaries, options, port)
  })
}

async function isMissing(folder: string): Promise<boolean> {
  const names = await readdir(folder).catch(() => [])
  return names.length === 0
}

// Created under a temporary name and renamed when complete, so that an interrupted start leaves no partial database.
async function initialize(folder: string, { initdb }: PostgresBinaries, options: PostgresOptions): Promise<void> {
  const { account, durable } = options
  const unfinished = `${folder}.new`
  const passwordFile = `${folder}.password`
  await rm(unfinished, { recursive: true, force: true })
  await rm(folder, { recursive: true, force: true })
  await mkdir(unfinished, { mode: 0o700 })
  await writeFile(passwordFile, `${options.password}\n`, { mode: 0o600 })
  if (account) await Promise.all([unfinished, passwordFile].map((path) => chown(path, account.uid, account.gid)))
  const args = [`--pgdata=${unfinished}`, `--username=${owner}`, `--pwfile=${passwordFile}`, '--auth=scram-sha-256']
  const locale = ['--encoding=UTF8', '--locale=C', '--locale-provider=builtin', '--builtin-locale=C.UTF-8']
  const made = spawnSync(initdb, [...args, ...locale, '--no-instructions', ...(durable ? [] : ['--no-sync'])], {
    cwd: options.engines,
    env: { PATH: '/usr/bin:/bin', LC_ALL: 'C', TZ: 'UTC' },
    encoding: 'utf8',
    ...(account && { uid: account.uid, gid: account.gid }),
  })
  await rm(passwordFile, { force: true })
  if (made.status !== 0)
    throw new StackError(explain(made.stderr || reasonOf(made.error), folder, 'could not be created'))
  await rename(unfinished, folder)
}

async function requireSameMajor(folder: string, { major }: PostgresBinaries): Promise<void> {
  const found = (await readFile(join(folder, 'PG_VERSION'), 'utf8').catch(() => '')).trim()
  if (found === String(major)) return
  throw new StackError(
    found === ''
      ? `The folder ${folder} does not contain a PostgreSQL database. It is damaged or was not created by Muster. Restore it from a backup, or move it away to start empty.`
      : `The database in ${folder} was made by PostgreSQL ${found}, Muster runs ${major}. Upgrade it with pg_upgrade, or set DATABASE_URL.`,
  )
}

// A launcher that was killed may leave a server that still runs or is shutting down.
async function stopLeftover(folder: string): Promise<void> {
  const file = join(folder, 'postmaster.pid')
  const [line] = (await readFile(file, 'utf8').catch(() => '')).split('\n')
  const pid = Number(line)
  if (!(pid > 0)) return
  if (!commandOf(pid).includes(folder)) return rm(file, { force: true })
  const left = identify(pid)
  process.kill(pid, 'SIGINT')
  if ((await waitUntilGone([left], stopMs)).length > 0) {
    throw new StackError(
      `The PostgreSQL that an earlier Muster left running (process ${pid}) does not stop. End that process and start again.`,
    )
  }
}

async function launch(
  folder: string,
  binaries: PostgresBinaries,
  options: PostgresOptions,
  fixedPort: number | undefined,
): Promise<Postgres> {
  for (let attempt = 1; ; attempt++) {
    const port = fixedPort ?? (await freePort())
    const engine = startEngine({
      binary: binaries.postgres,
      args: ['-D', folder, '-p', String(port), ...postgresSettings(options.durable)],
      account: options.account,
      logFile: join(options.logs, 'postgres.log'),
      cwd: options.engines,
      stopSignal: 'SIGINT',
    })
    if (await becameReady(folder, engine)) {
      const ownerUrl = `postgres://${owner}:${options.password}@127.0.0.1:${port}/${database}`
      try {
        const version = await ensureDatabase(ownerUrl)
        return { version, ownerUrl, engine, stop: () => engine.stop(stopMs) }
      } catch (error) {
        await engine.stop(stopMs)
        throw new StackError(`PostgreSQL started but rejects the login of Muster: ${reasonOf(error)}`)
      }
    }
    const output = engine.output()
    // Both causes are temporary: the port was taken since it was chosen, or processes of a killed server are still ending.
    const isTemporary = /could not bind|Address already in use|pre-existing shared memory block/.test(output)
    if (!isTemporary || attempt === 5) throw new StackError(explain(output, folder, 'does not start'))
    await new Promise((resolve) => setTimeout(resolve, 200 * attempt))
  }
}

// The server writes its state to line 8 of postmaster.pid; pg_ctl waits in the same way.
async function becameReady(folder: string, engine: Engine): Promise<boolean> {
  let ended = false
  void engine.exited.then(() => {
    ended = true
  })
  const until = Date.now() + readyMs
  while (!ended && Date.now() < until) {
    const lines = (await readFile(join(folder, 'postmaster.pid'), 'utf8').catch(() => '')).split('\n')
    if (Number(lines[0]) === engine.id.pid && lines[7]?.trim() === 'ready') return true
    await new Promise((resolve) => setTimeout(resolve, 20))
  }
  if (!ended) await engine.stop(0)
  return false
}

function explain(output: string, folder: string, what: string): string {
  const lines = output.split('\n').map((line) => line.replace(/^\d{4}-\S+ \S+ \S+ \[\d+\] /, '').trim())
  const failures = lines.filter((line) => /^(FATAL|PANIC|initdb: error|postgres:|\S*postgres: )/.test(line))
  const reason = failures.at(-1)?.replace(/^(FATAL|PANIC): +/, '') ?? lines.filter(Boolean).at(-1) ?? 'no reason given'
  if (/No space left on device/.test(output))
    return `The disk that holds ${folder} is full. Free space and start again.`
  const damage =
    /control file|pg_control|checkpoint|could not (open|read|access|find)|invalid|corrupt|checksum|not a valid/
  if (damage.test(reason)) {
    return `The database in ${folder} is damaged (${reason}). Restore it from a backup, or move it away to start empty.`
  }
  return `PostgreSQL ${what}: ${reason}`
}

async function ensureDatabase(ownerUrl: string): Promise<string> {
  const server = new URL(ownerUrl)
  server.pathname = '/postgres'
  const client = new pg.Client({ connectionString: server.href, connectionTimeoutMillis: 10_000 })
  await client.connect()
  try {
    const { rowCount } = await client.query('SELECT FROM pg_database WHERE datname = $1', [database])
    if (rowCount === 0) await client.query(`CREATE DATABASE ${client.escapeIdentifier(database)}`)
    const { rows } = await client.query<{ server_version: string }>('SHOW server_version')
    return rows[0]?.server_version ?? ''
  } finally {
    await client.end()
  }
}
