import { Cluster, type ClusterOptions, type RedisOptions, Redis as Server } from 'ioredis'

/** A connection to one Redis, or to all nodes of a Redis Cluster. One command, script or pipeline stays within one slot. */
export type Redis = Server | Cluster
/** A connection for subscriptions alone. In a cluster it leads to one node, which hears what is published at any of them. */
export type Subscriber = Server

/** What the connection is for decides how it behaves while Redis is away. */
export type RedisUse =
  /** Ordinary commands: fail at once when there is no connection, and after `commandTimeoutMs` when no answer comes. */
  | 'commands'
  /** Appends that the caller keeps and repeats itself: as above, but a slow answer is waited for. */
  | 'appends'
  /** One blocking read at a time. */
  | 'blocking'

const commandTimeoutMs = 5_000
const silentSocketMs = 15_000
const connectMs = 3_000
const reconnectDelayMaxMs = 1_000
/** While a cluster finds a new master for a slot, a command is tried so many times with so long between. */
const [clusterTries, clusterRetryMs] = [12, 100]

/** Where each connection leads, and what it is called. */
const origins = new WeakMap<Redis, { address: string; name: string }>()

/**
 * A client that reconnects for ever within a second or so and never queues commands without bound.
 * @param address of one Redis; several, separated by commas, or one with `?cluster=true`, are nodes of a cluster
 */
export function connectRedis(address: string, name: string, use: RedisUse = 'commands'): Redis {
  const { nodes, isCluster } = placesOf(address)
  const options = { ...optionsOf(use), connectionName: connectionNameOf(name) }
  const client = isCluster
    ? new Cluster(nodes, clusterOptions(nodes[0], options))
    : new Server({ ...nodes[0], ...options, ...aloneOptions })
  // Without a listener a lost connection would end the process; callers that care listen themselves.
  client.on('error', () => {})
  origins.set(client, { address, name })
  return client
}

/** A client for subscriptions, which it restores after a reconnect: to another node, where there are several. */
export function connectSubscriber(address: string, name: string, options: RedisOptions = {}): Subscriber {
  const { nodes } = placesOf(address)
  let attempts = Math.floor(Math.random() * nodes.length)
  const next = () => nodes[attempts++ % nodes.length]
  const client = new Server({
    ...next(),
    ...commonOptions,
    connectionName: connectionNameOf(name),
    // Subscribing is the one thing worth queueing: a handful of commands, issued before the connection stands.
    enableOfflineQueue: true,
    retryStrategy: (attempt) => {
      // Read anew for each connection.
      Object.assign(client.options, next())
      return retryStrategy(attempt)
    },
    ...options,
  })
  client.on('error', () => {})
  return client
}

/** A subscriber to where `origin` leads, whose subscribing fails after `timeoutMs`. It ends with `origin`. */
export function subscriberBeside(origin: Redis, name: string, timeoutMs: number): Subscriber {
  const from = origins.get(origin)
  if (from === undefined) throw new TypeError('The connection was not made by connectRedis')
  const subscriber = connectSubscriber(from.address, `${from.name}-${name}`, { commandTimeout: timeoutMs })
  origin.once('end', () => subscriber.disconnect())
  return subscriber
}

/**
 * What is sent until the event loop's next turn travels in one packet, and the server makes it durable with one write to its disk.
 * The client's own pipelines would do the same, but each of them is kept, with all that it sent, until the whole heap is collected:
 * its `length` is a property of its own kind, and what the engine notes down about that kind lives among what is old.
 */
export function gather(client: Redis): void {
  if (!(client instanceof Server) || client.stream.writableCorked > 0) return
  const { stream } = client
  stream.cork()
  setImmediate(() => stream.uncork())
}

/** The servers behind a connection, for what each of them alone knows. */
export function serversOf(client: Redis): Server[] {
  return client instanceof Cluster ? client.nodes('all') : [client]
}

/** Waits until the client can send commands. Rejects when that takes longer than `timeoutMs`. */
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
    throw new Error('That Redis is a node of a cluster: give several nodes, separated by commas, or add ?cluster=true')
}

const retryStrategy = (attempt: number) =>
  Math.round(Math.min(50 * 2 ** Math.min(attempt, 6), reconnectDelayMaxMs) * (0.75 + Math.random() / 4))

const commonOptions = {
  // One attempt only: what was in flight when the connection broke is rejected, and the caller decides.
  maxRetriesPerRequest: 0,
  autoResendUnfulfilledCommands: false,
  connectTimeout: connectMs,
  disableClientInfo: true,
} as const

function optionsOf(use: RedisUse) {
  return {
    ...commonOptions,
    ...(use === 'commands' && { commandTimeout: commandTimeoutMs }),
    // A blocking read has to ask for less than this, or it looks like a dead connection.
    ...(use !== 'commands' && { socketTimeout: silentSocketMs }),
  }
}

const aloneOptions: RedisOptions = { enableOfflineQueue: false, retryStrategy }

function clusterOptions(first: Place | undefined, redisOptions: RedisOptions): ClusterOptions {
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
    // A certificate names a host, not the address behind it.
    ...(tls && { dnsLookup: (host, done) => done(null, host) }),
  }
}

interface Place {
  host: string
  port: number
  username?: string
  password?: string
  db?: number
  tls?: object
}

function placesOf(address: string): { nodes: Place[]; isCluster: boolean } {
  const urls = address.split(',').map((part) => new URL(part.trim()))
  const isCluster = urls.length > 1 || urls[0]?.searchParams.get('cluster') === 'true'
  return { nodes: urls.map(placeOf), isCluster }
}

function placeOf({ protocol, hostname, port, username, password, pathname }: URL): Place {
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
