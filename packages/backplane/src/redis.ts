import { Cluster, type ClusterOptions, type RedisOptions, Redis as Server } from 'ioredis'

/** A connection to one Redis, or to all nodes of a Redis Cluster. One command, script or pipeline uses one slot. */
export type Redis = Server | Cluster
/** A connection for subscriptions only. In a cluster it leads to one node, which receives what is published at any node. */
export type Subscriber = Server

/** The purpose of a connection decides how it behaves while Redis is unreachable. */
export type RedisUse =
  /** Ordinary commands: fail at once when there is no connection, and after `commandTimeoutMs` without an answer. */
  | 'commands'
  /** Appends that the caller keeps and retries itself: as above, but without a timeout. */
  | 'appends'
  /** One blocking read at a time. */
  | 'blocking'

const commandTimeoutMs = 5_000
const silentSocketMs = 15_000
const connectMs = 3_000
const reconnectDelayMaxMs = 1_000
/** Number of tries and delay between them while a cluster elects a new master for a slot. */
const [clusterTries, clusterRetryMs] = [12, 100]

/** Address and name of each connection. */
const origins = new WeakMap<Redis, { address: string; name: string }>()

/**
 * A client that reconnects without end within about a second and never queues commands without bound.
 * @param address of one Redis; several, separated by commas, or one with `?cluster=true`, are nodes of a cluster
 */
export function connectRedis(address: string, name: string, use: RedisUse = 'commands'): Redis {
  const { nodes, isCluster } = addressesOf(address)
  const options = { ...optionsOf(use), connectionName: connectionNameOf(name) }
  const client = isCluster
    ? new Cluster(nodes, clusterOptions(nodes[0], options))
    : new Server({ ...nodes[0], ...options, ...aloneOptions })
  // Without a listener a lost connection would end the process; callers that need the event add their own.
  client.on('error', () => {})
  origins.set(client, { address, name })
  return client
}

/** A client for subscriptions, which it restores after a reconnect: to another node, where there are several. */
export function connectSubscriber(address: string, name: string, options: RedisOptions = {}): Subscriber {
  const { nodes } = addressesOf(address)
  let attempts = Math.floor(Math.random() * nodes.length)
  const next = () => nodes[attempts++ % nodes.length]
  const client = new Server({
    ...next(),
    ...commonOptions,
    connectionName: connectionNameOf(name),
    // Only subscriptions may be queued: they are few and issued before the connection is open.
    enableOfflineQueue: true,
    retryStrategy: (attempt) => {
      // Read again for each connection.
      Object.assign(client.options, next())
      return retryStrategy(attempt)
    },
    ...options,
  })
  client.on('error', () => {})
  return client
}

/** A subscriber to the same server as `origin`, with a timeout for subscribing. It ends with `origin`. */
export function subscriberBeside(origin: Redis, name: string, timeoutMs: number): Subscriber {
  const from = origins.get(origin)
  if (from === undefined) throw new TypeError('The connection was not made by connectRedis')
  const subscriber = connectSubscriber(from.address, `${from.name}-${name}`, { commandTimeout: timeoutMs })
  origin.once('end', () => subscriber.disconnect())
  return subscriber
}

/**
 * Commands until the event loop's next turn share one packet, and Redis makes them durable with one disk write. The client's
 * own pipelines would do the same, but each stays in memory with its commands until a full garbage collection: its `length`
 * property gives every pipeline a hidden class of its own, and the engine keeps data about hidden classes in the old heap.
 */
export function corkUntilNextTurn(client: Redis): void {
  if (!(client instanceof Server) || client.stream.writableCorked > 0) return
  const { stream } = client
  stream.cork()
  setImmediate(() => stream.uncork())
}

/** The servers behind a connection, for data that each of them holds separately. */
export function serversOf(client: Redis): Server[] {
  return client instanceof Cluster ? client.nodes('all') : [client]
}

/** Waits until the client can send commands. Rejects after `timeoutMs`. */
export async function untilReady(client: Redis, timeoutMs: number): Promise<void> {
  if (client.status === 'ready') return
  await new Promise<void>((resolve, reject) => {
    const timer = setTimeout(() => finish(new Error(`Redis did not answer within ${timeoutMs} ms`)), timeoutMs)
    const onReady = () => finish()
    function finish(error?: Error): void {
      clearTimeout(timer)
      client.removeListener('ready', onReady)
      if (error) reject(error)
      else resolve()
    }
    client.once('ready', onReady)
  })
  if (
    client instanceof Server &&
    origins.has(client) &&
    /redis_mode:cluster/.test(await client.info('server').catch(() => ''))
  )
    throw new Error('This Redis is a node of a cluster: give several nodes, separated by commas, or add ?cluster=true')
}

const retryStrategy = (attempt: number) =>
  Math.round(Math.min(50 * 2 ** Math.min(attempt, 6), reconnectDelayMaxMs) * (0.75 + Math.random() / 4))

const commonOptions = {
  // One attempt only: commands in flight when the connection breaks are rejected, and the caller decides.
  maxRetriesPerRequest: 0,
  autoResendUnfulfilledCommands: false,
  connectTimeout: connectMs,
  disableClientInfo: true,
} as const

function optionsOf(use: RedisUse) {
  return {
    ...commonOptions,
    ...(use === 'commands' && { commandTimeout: commandTimeoutMs }),
    // A blocking read must use a shorter timeout than this, or it looks like a dead connection.
    ...(use !== 'commands' && { socketTimeout: silentSocketMs }),
  }
}

const aloneOptions: RedisOptions = { enableOfflineQueue: false, retryStrategy }

function clusterOptions(first: Address | undefined, redisOptions: RedisOptions): ClusterOptions {
  const { username, password, tls } = first ?? {}
  return {
    redisOptions: {
      ...redisOptions,
      ...(username && { username }),
      ...(password && { password }),
      ...(tls && { tls }),
    },
    enableOfflineQueue: false,
    clusterRetryStrategy: retryStrategy,
    maxRedirections: clusterTries,
    retryDelayOnFailover: clusterRetryMs,
    retryDelayOnClusterDown: clusterRetryMs,
    // A certificate names a host, not its address.
    ...(tls && { dnsLookup: (host, done) => done(null, host) }),
  }
}

interface Address {
  host: string
  port: number
  username?: string
  password?: string
  db?: number
  tls?: object
}

function addressesOf(address: string): { nodes: Address[]; isCluster: boolean } {
  const urls = address.split(',').map((part) => new URL(part.trim()))
  const isCluster = urls.length > 1 || urls[0]?.searchParams.get('cluster') === 'true'
  return { nodes: urls.map(addressOf), isCluster }
}

function addressOf({ protocol, hostname, port, username, password, pathname }: URL): Address {
  return {
    host: hostname.replace(/^\[|\]$/g, ''),
    port: Number(port || 6379),
    ...(username && { username: decodeURIComponent(username) }),
    ...(password && { password: decodeURIComponent(password) }),
    ...(pathname.length > 1 && { db: Number(pathname.slice(1)) }),
    ...(protocol === 'rediss:' && { tls: {} }),
  }
}

function connectionNameOf(name: string): string {
  return name.replaceAll(/[^\w.:-]/g, '-')
}
