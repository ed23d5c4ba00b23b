import { Redis, type RedisOptions } from 'ioredis'

/** What the connection is for decides how it behaves while Redis is away. */
export type RedisUse =
  /** Ordinary commands: fail at once when there is no connection, and after `commandTimeoutMs` when no answer comes. */
  | 'commands'
  /** Appends that the caller keeps and repeats itself: as above, but a slow answer is waited for. */
  | 'appends'
  /** One blocking read at a time. */
  | 'blocking'
  /** Subscriptions, restored after a reconnect. */
  | 'subscriber'

const commandTimeoutMs = 5_000
const silentSocketMs = 15_000
const reconnectDelayMaxMs = 1_000

/** A client that reconnects for ever within a second or so and never queues commands without bound. */
export function connectRedis(url: string, name: string, use: RedisUse = 'commands'): Redis {
  const client = new Redis(url, { ...optionsOf(use), connectionName: name.replaceAll(/[^\w.:-]/g, '-') })
  // Without a listener a lost connection would end the process; callers that care listen themselves.
  client.on('error', () => {})
  return client
}

function optionsOf(use: RedisUse): RedisOptions {
  const options: RedisOptions = {
    retryStrategy: (attempt) =>
      Math.round(Math.min(50 * 2 ** Math.min(attempt, 6), reconnectDelayMaxMs) * (0.75 + Math.random() / 4)),
    // One attempt only: what was in flight when the connection broke is rejected, and the caller decides.
    maxRetriesPerRequest: 0,
    autoResendUnfulfilledCommands: false,
    enableOfflineQueue: false,
    connectTimeout: 3_000,
    disableClientInfo: true,
  }
  if (use === 'commands') options.commandTimeout = commandTimeoutMs
  // A blocking read has to ask for less than this, or it looks like a dead connection.
  if (use === 'appends' || use === 'blocking') options.socketTimeout = silentSocketMs
  // What is appended in one go travels in one packet, and the server makes it durable with one write to its disk.
  if (use === 'appends') options.enableAutoPipelining = true
  // Subscribing is the one thing worth queueing: a handful of commands, issued before the connection stands.
  if (use === 'subscriber') options.enableOfflineQueue = true
  return options
}

/** Waits until the client can send commands. Rejects when that takes longer than `timeoutMs`. */
export async function untilReady(client: Redis, timeoutMs: number): Promise<void> {
  if (client.status === 'ready') return
  await new Promise<void>((resolve, reject) => {
    const timer = setTimeout(() => finish(new Error(`Redis did not answer within ${timeoutMs} ms`)), timeoutMs)
    const onReady = () => finish()
    function finish(error?: Error): void {
      clearTimeout(timer)
      client.off('ready', onReady)
      if (error) reject(error)
      else resolve()
    }
    client.once('ready', onReady)
  })
}
