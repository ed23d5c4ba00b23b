import { once } from 'node:events'
import { connectRedis, untilReady } from '@muster/backplane/redis.ts'
import { type RedisProcess, redisPasswordsFrom, redisUrlFor } from '@muster/backplane/redis-logins.ts'
import { migrate, verifySchema } from '@muster/db/migrate.ts'
import { databaseRoles, ensureRoles, withLogin } from '@muster/db/roles.ts'
import { engineAccount } from './account.ts'
import { type DataFolder, openDataFolder } from './data-folder.ts'
import type { Engine } from './engine.ts'
import { errorCode, reasonOf, StackError } from './failure.ts'
import { endLeftovers } from './leftovers.ts'
import { requireFree } from './ports.ts'
import { startPostgres } from './postgres.ts'
import { startRedis } from './redis.ts'
import { openSecrets, type SecretFiles } from './secrets.ts'
import { makeTemporaryFolder, removeDataFolder } from './temporary-folder.ts'

export interface StoreOptions {
  /** A persistent folder. Without one, data is in a temporary folder, not flushed to disk, and removed at the end. */
  readonly dataDir?: string | undefined
  /** Overrides whether writes wait for the disk. */
  readonly durable?: boolean | undefined
  /** An owner login of an external database: no PostgreSQL is started. */
  readonly databaseUrl?: string | undefined
  /** An external Redis: none is started. */
  readonly redisUrl?: string | undefined
  /** `apply` migrates the schema, `verify` refuses an old one, `none` leaves an empty database. */
  readonly schema?: 'apply' | 'verify' | 'none'
  /** Ports that must be free before anything starts, and the setting for each. */
  readonly requiredPorts?: readonly { readonly port: number; readonly setting: string; readonly what: string }[]
  /** Called after each step, with its duration. */
  onStep?(what: string, ms: number): void
  /** Called about slow steps and notes for the operator. */
  onNote?(line: string): void
}

/** The addresses of the stores, by login. */
export interface StoreUrls {
  readonly owner: string
  readonly app: string
  readonly system: string
  /** The operator's login, or the given one. */
  readonly redis: string
  /** Each process's own login; the given one for an external Redis. */
  readonly redisOf: Readonly<Record<RedisProcess, string>>
}

/** One database and one Redis, ready for use. */
export interface Stores {
  readonly folder: DataFolder
  readonly secretFiles: SecretFiles
  readonly urls: StoreUrls
  /** Resolves with the reason when a server died and could not be restarted. */
  readonly failed: Promise<string>
  stop(): Promise<void>
}

/** Starts PostgreSQL and Redis, unless URLs are given, creates the logins and applies the migrations. */
export async function startStores(options: StoreOptions = {}): Promise<Stores> {
  const temporary = options.dataDir === undefined
  const folder = await openDataFolder(options.dataDir ?? (await makeTemporaryFolder()), engineAccount())
  if (folder.note) options.onNote?.(folder.note)
  const guard = new Guard((line) => options.onNote?.(line))
  const stop = async () => {
    await guard.stop()
    folder.unlock()
    if (temporary) await removeDataFolder(folder.path)
  }
  try {
    await endLeftovers(folder.path)
    for (const { port, setting, what } of options.requiredPorts ?? []) await requireFree(port, setting, what)
    const secretFiles = await openSecrets(folder.path)
    const [owner, redis] = await bothSettled(
      databaseOf(folder, secretFiles, options, guard),
      redisOf(folder, secretFiles, options, guard),
    )
    const { appPassword, systemPassword } = secretFiles.secrets
    await prepareDatabase(owner, secretFiles, options)
    const urls = {
      owner,
      app: withLogin(owner, databaseRoles.app, appPassword),
      system: withLogin(owner, databaseRoles.system, systemPassword),
      redis,
      redisOf: redisLogins(redis, secretFiles, options),
    }
    return { folder, secretFiles, urls, failed: guard.failed, stop }
  } catch (error) {
    await stop()
    throw error
  }
}

// When one fails, the other is still awaited, because it can be stopped only after it has started.
async function bothSettled<A, B>(first: Promise<A>, second: Promise<B>): Promise<[A, B]> {
  await Promise.allSettled([first, second])
  return Promise.all([first, second])
}

async function databaseOf(folder: DataFolder, files: SecretFiles, options: StoreOptions, guard: Guard) {
  if (options.databaseUrl) return options.databaseUrl
  const durable = options.durable ?? options.dataDir !== undefined
  const settings = { ...folder, password: files.secrets.ownerPassword, durable }
  const began = performance.now()
  const server = await startPostgres(settings)
  const port = Number(new URL(server.ownerUrl).port)
  guard.watch('PostgreSQL', server, () => startPostgres(settings, port))
  options.onStep?.(`PostgreSQL ${server.version}`, performance.now() - began)
  return server.ownerUrl
}

async function redisOf(folder: DataFolder, files: SecretFiles, options: StoreOptions, guard: Guard) {
  const began = performance.now()
  if (options.redisUrl) {
    await reachRedis(options.redisUrl)
    return options.redisUrl
  }
  const durable = options.durable ?? options.dataDir !== undefined
  const say = (line: string) => options.onNote?.(line)
  const settings = { ...folder, password: files.secrets.redisPassword, durable, say }
  const server = await startRedis(settings)
  const port = Number(new URL(server.url).port)
  guard.watch('Redis', server, () => startRedis(settings, port))
  options.onStep?.(server.title, performance.now() - began)
  return server.url
}

function redisLogins(url: string, { secrets }: SecretFiles, { redisUrl }: StoreOptions): StoreUrls['redisOf'] {
  if (redisUrl !== undefined) return { admin: url, worker: url, ingest: url }
  const passwords = redisPasswordsFrom(secrets.redisPassword)
  const of = (process: RedisProcess) => redisUrlFor(url, process, passwords[process])
  return { admin: of('admin'), worker: of('worker'), ingest: of('ingest') }
}

async function reachRedis(url: string): Promise<void> {
  const client = connectRedis(url, 'start')
  try {
    await Promise.race([untilReady(client, 5_000), once(client, 'error').then(([error]) => Promise.reject(error))])
    await client.ping()
  } catch (error) {
    throw new StackError(`REDIS_URL cannot be used: ${reasonOf(error)}`)
  } finally {
    client.disconnect()
  }
}

async function prepareDatabase(ownerUrl: string, { secrets }: SecretFiles, options: StoreOptions): Promise<void> {
  const { appPassword, systemPassword } = secrets
  const began = performance.now()
  try {
    await ensureRoles({ ownerUrl, appPassword, systemPassword })
  } catch (error) {
    const url = new URL(ownerUrl)
    const where = `${url.hostname}:${url.port || 5432}${url.pathname}`
    const why = errorCode(error) === 'ECONNREFUSED' ? 'nothing listens there' : reasonOf(error)
    throw new StackError(`The database ${where} (DATABASE_URL) cannot be used: ${why}`)
  }
  if (options.schema === 'none') return
  if (options.schema === 'verify') return verifySchema(ownerUrl)
  const applied = await migrate({ ownerUrl })
  const what = applied.length === 0 ? 'Database schema is up to date' : `${applied.length} migrations applied`
  options.onStep?.(what, performance.now() - began)
}

interface Server {
  readonly engine: Engine
  stop(): Promise<void>
}

// Restarts a dead server once, on the same port; a second death needs an operator.
class Guard {
  readonly failed: Promise<string>
  #fail: (reason: string) => void = () => undefined
  #stopping = false
  readonly #servers = new Map<string, Server>()
  readonly #restarts: Promise<void>[] = []
  readonly #say: (line: string) => void

  constructor(say: (line: string) => void) {
    this.#say = say
    this.failed = new Promise((resolve) => {
      this.#fail = resolve
    })
  }

  watch(name: string, server: Server, restart: (() => Promise<Server>) | undefined): void {
    this.#servers.set(name, server)
    void server.engine.exited.then((how) => {
      if (this.#stopping) return
      if (!restart) return this.#fail(`${name} died again (${how})`)
      this.#restarts.push(this.#bringBack(name, how, restart))
    })
  }

  async #bringBack(name: string, how: string, restart: () => Promise<Server>): Promise<void> {
    this.#say(`${name} died (${how}); restarting it`)
    try {
      this.watch(name, await restart(), undefined)
      this.#say(`${name} is running again`)
    } catch (error) {
      this.#fail(`${name} died (${how}) and cannot be restarted: ${reasonOf(error)}`)
    }
  }

  async stop(): Promise<void> {
    this.#stopping = true
    await Promise.all(this.#restarts)
    await this.#servers.get('Redis')?.stop()
    await this.#servers.get('PostgreSQL')?.stop()
  }
}
