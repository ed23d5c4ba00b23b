import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { onFreePorts } from './ports.ts'
import { type Liveness, ManagedProcess } from './processes.ts'
import { type StoreOptions, type Stores, startStores } from './stores.ts'

const apps = fileURLToPath(new URL('../../../apps/', import.meta.url))

/** Ports of the processes; free ones by default. Metrics use this port (admin) and the following ones (worker, ingest). */
export interface StackPorts {
  readonly admin: number
  readonly ingest: number
  readonly metrics: number
}

export interface StackOptions extends StoreOptions {
  readonly ports?: Partial<StackPorts>
  /** Number of each process; one by default. */
  readonly admin?: 0 | 1
  readonly workers?: number
  readonly ingest?: number
  /** The first administrator, created in an empty database; without a password, the one of this data folder is used. */
  readonly bootstrap?: { readonly email: string; readonly password?: string | undefined }
  /** The secret part of the outbox's address. With it, mail and SMS can be read at `urls.outbox`. */
  readonly outboxToken?: string | undefined
  /** The environment of all processes. By default only what a program needs to run. */
  readonly env?: Readonly<Record<string, string>>
  /** When a process that does not answer is killed. */
  readonly liveness?: Liveness
  /** Further settings for one kind of process. */
  readonly settings?: Partial<Record<'admin' | 'worker' | 'ingest', Readonly<Record<string, string>>>>
  /** Called with the stores before any process uses them. */
  readonly onStores?: (stores: Stores) => Promise<void>
}

/** A complete Muster: stores and processes. */
export interface Stack {
  readonly stores: Stores
  readonly ports: StackPorts
  readonly urls: Stores['urls'] & {
    readonly admin: string
    readonly ingest: string
    readonly metrics: readonly string[]
    /** The outbox for mail and SMS, if enabled. */
    readonly outbox: string | undefined
  }
  readonly admin: ManagedProcess | undefined
  readonly workers: readonly ManagedProcess[]
  readonly ingest: readonly ManagedProcess[]
  /** Starts another process; it is stopped first. */
  launch(process: {
    name: string
    file: string
    args?: string[]
    env?: Record<string, string>
  }): Promise<ManagedProcess>
  /** Stops everything in order. Persistent data stays. */
  stop(): Promise<void>
}

/** Starts stores and processes, for an operator, a test or a benchmark. On failure, everything is stopped. */
export async function startStack(options: StackOptions = {}): Promise<Stack> {
  const stores = await startStores(options)
  const started: ManagedProcess[] = []
  const stop = async () => {
    // In the direction of the data flow: senders stop before receivers.
    for (const kind of ['extra', 'ingest', 'worker', 'admin']) {
      await Promise.all(started.filter((process) => kindOf(process) === kind).map((process) => process.stop()))
    }
    await stores.stop()
  }
  try {
    await options.onStores?.(stores)
    const base = options.env ?? minimalEnvironment()
    const launch = async ({ name, file, args, env }: Plan) => {
      const began = performance.now()
      const managed = await ManagedProcess.start({
        name,
        file,
        args: args ?? [],
        env: { ...base, ...env },
        logFile: join(stores.folder.logs, `${name}.log`),
        folder: stores.folder.path,
        onNote: (line) => options.onNote?.(line),
        liveUrl: env?.METRICS_PORT && `http://127.0.0.1:${env.METRICS_PORT}/health/live`,
        liveness: options.liveness,
      })
      started.push(managed)
      options.onStep?.(name, performance.now() - began)
      return managed
    }
    const { ports, plans } = await onFreePorts(portsNeeded(options), async (free) => {
      const chosen = choosePorts(free, options)
      const planned = planProcesses(stores, chosen, options)
      const settled = await Promise.allSettled(planned.map(launch))
      for (const result of settled) {
        if (result.status === 'fulfilled') continue
        await Promise.all(started.splice(0).map((process) => process.stop()))
        throw result.reason
      }
      return { ports: chosen, plans: planned }
    })
    const byKind = (kind: string) => started.filter((process) => kindOf(process) === kind)
    return {
      stores,
      ports,
      urls: {
        ...stores.urls,
        admin: `http://127.0.0.1:${ports.admin}`,
        ingest: `ws://127.0.0.1:${ports.ingest}/agent`,
        outbox: options.outboxToken && `http://127.0.0.1:${ports.admin}/dev/outbox/${options.outboxToken}`,
        metrics: plans.map(({ env }) => `http://127.0.0.1:${env?.METRICS_PORT}/metrics`),
      },
      admin: byKind('admin')[0],
      workers: byKind('worker'),
      ingest: byKind('ingest'),
      launch,
      stop,
    }
  } catch (error) {
    await stop()
    throw error
  }
}

interface Plan {
  readonly name: string
  readonly file: string
  readonly args?: string[]
  readonly env?: Readonly<Record<string, string>>
}

function kindOf({ name }: { name: string }): string {
  return /^(admin|worker|ingest)(-\d+)?$/.exec(name)?.[1] ?? 'extra'
}

const portsNeeded = ({ workers = 1, ingest = 1 }: StackOptions) => 3 + workers + ingest

function choosePorts(
  [admin = 0, ingest = 0, metrics = 0]: readonly number[],
  { ports = {} }: StackOptions,
): StackPorts {
  return { admin: ports.admin || admin, ingest: ports.ingest || ingest, metrics: ports.metrics || metrics }
}

function planProcesses({ urls, secretFiles, folder }: Stores, ports: StackPorts, options: StackOptions): Plan[] {
  const { admin = 1, workers = 1, ingest = 1, bootstrap, settings = {} } = options
  const password = bootstrap?.password ?? secretFiles.secrets.bootstrapPassword
  const numbered = (kind: string, count: number) =>
    Array.from({ length: count }, (_, index) => (index === 0 ? kind : `${kind}-${index + 1}`))
  const plan = (kind: 'admin' | 'worker' | 'ingest', count: number, env: Record<string, string>): Plan[] =>
    numbered(kind, count).map((name) => ({
      name,
      file: join(apps, kind, 'src/main.ts'),
      env: { ...env, ...settings[kind] },
    }))
  // Executables of agents come from the data folder, unless the settings name another place.
  const place = options.env?.RELEASES_S3_URL === undefined && { RELEASES_DIR: join(folder.path, 'releases') }
  const outbox = options.outboxToken && { OUTBOX_TOKEN: options.outboxToken }
  const files = options.env?.FILES_S3_URL === undefined && { FILES_DIR: join(folder.path, 'files') }
  const both = { BINARY_SOURCE: 'local', ...place, ...files, ...options.env, ...outbox }
  const plans = [
    ...plan('admin', admin, {
      MAIL_SERVER: String(options.env?.SMTP_URL !== undefined),
      ...both,
      ADMIN_PORT: String(ports.admin),
      DATABASE_URL: urls.app,
      SYSTEM_DATABASE_URL: urls.system,
      REDIS_URL: urls.redisOf.admin,
      KEYS_FILE: secretFiles.keysFile,
      GRANT_KEYS_FILE: secretFiles.grantKeysFile,
      PUBLIC_URL: `http://127.0.0.1:${ports.admin}`,
      INGEST_PUBLIC_URL: `ws://127.0.0.1:${ports.ingest}/agent`,
      ...(bootstrap && password && { BOOTSTRAP_EMAIL: bootstrap.email, BOOTSTRAP_PASSWORD: password }),
    }),
    ...plan('worker', workers, {
      ...both,
      SYSTEM_DATABASE_URL: urls.system,
      REDIS_URL: urls.redisOf.worker,
      KEYS_FILE: secretFiles.keysFile,
      PUBLIC_URL: `http://127.0.0.1:${ports.admin}`,
    }),
    ...plan('ingest', ingest, {
      INGEST_PORT: String(ports.ingest),
      // The C library would keep heaps for the engine's threads, a fifth of the memory of such a process.
      MALLOC_ARENA_MAX: '1',
      REDIS_URL: urls.redisOf.ingest,
      DEVICE_KEYS_FILE: secretFiles.deviceKeysFile,
    }),
  ]
  return plans.map((each, index) => ({ ...each, env: { ...each.env, METRICS_PORT: String(ports.metrics + index) } }))
}

function minimalEnvironment(): Record<string, string> {
  const { PATH = '/usr/bin:/bin', HOME = '/', TMPDIR, LANG } = process.env
  return { PATH, HOME, ...(TMPDIR && { TMPDIR }), ...(LANG && { LANG }) }
}
