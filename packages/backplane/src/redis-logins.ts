// The rights of each process in Redis. A compromised process reaches no further than its own login.
import { createHash, createHmac } from 'node:crypto'
import {
  type Any,
  clonesKey,
  commandStopsKey,
  deadStream,
  downStream,
  generationsChannel,
  generationsKey,
  liveChannel,
  nodeLease,
  nodesKey,
  presenceHash,
  replyChannel,
  runsHash,
  shardOwner,
  shardStream,
  takeoversHash,
  workersKey,
} from './keys.ts'

export const redisProcesses = ['admin', 'worker', 'ingest'] as const
export type RedisProcess = (typeof redisProcesses)[number]

/** The name of a process's login. */
export const redisLogin = (process: RedisProcess): string => `muster_${process}`

/** Commands on some keys or channels. Redis checks each grant as a whole: its commands do not reach the keys of other grants. */
interface Grant {
  readonly commands: readonly string[]
  readonly reads?: readonly string[]
  readonly writes?: readonly string[]
  readonly channels?: readonly string[]
}

/** Key patterns with `*` in place of an ID: Redis matches any text. */
const any = (name: (id: Any) => string): string => name('*')

const frames = any(shardStream)
const dead = any(deadStream)
const orders = any(downStream)
const presence = any(presenceHash)
const runs = any(runsHash)
const leases = any(nodeLease)
const owners = any(shardOwner)

/** Devices and their holders: what sending an order needs. */
const sendOrders: readonly Grant[] = [
  { commands: ['xadd', 'pexpire'], writes: [orders] },
  { commands: ['hmget', 'exists'], reads: [presence, leases] },
]
/** Certificates, stops and live events: decisions of the database, published to the other processes. */
const announce: readonly Grant[] = [
  { commands: ['hset', 'hdel', 'hgetall'], reads: [generationsKey], writes: [generationsKey] },
  { commands: ['set'], writes: [commandStopsKey] },
  { commands: ['publish'], channels: [generationsChannel, any(liveChannel)] },
  { commands: ['pubsub|numpat', 'pubsub|channels'] },
]
/** Returns a dead letter to its stream. */
const deadLetters: readonly Grant[] = [
  { commands: ['xrange', 'xlen', 'xdel', 'xadd'], reads: [dead], writes: [dead] },
  { commands: ['xadd'], writes: [frames] },
]

/** Short-lived state of sign-ins and the counters of rate limits, by key prefix. */
const adminState = ['limit:*', 'rlflx:*', 'phone:*', 'mfa:*', 'passkey:*', 'sso:*', 'dev:*'] as const
/** Marks that agents get no updates at the moment: workers write it, admin shows it. */
const withheldUpdates = 'agent-updates:*'

const grants: Readonly<Record<RedisProcess, readonly Grant[]>> = {
  ingest: [
    { commands: ['xadd'], writes: [frames] },
    { commands: ['xread', 'xrevrange', 'xdel'], reads: [orders], writes: [orders] },
    ...sendOrders,
    {
      commands: ['eval', 'hget', 'hmget', 'hset', 'hdel', 'pexpire'],
      reads: [presence, runs],
      writes: [presence, runs],
    },
    { commands: ['set', 'del'], reads: [leases], writes: [leases] },
    { commands: ['zadd', 'zrem'], writes: [nodesKey] },
    { commands: ['hset'], writes: [clonesKey] },
    { commands: ['hscan'], reads: [generationsKey] },
    { commands: ['get'], reads: [commandStopsKey] },
    { commands: ['subscribe'], channels: [generationsChannel] },
    { commands: ['publish'], channels: [any(replyChannel)] },
  ],
  worker: [
    {
      commands: ['eval', 'xreadgroup', 'xautoclaim', 'xack', 'xdel', 'xadd', 'get'],
      reads: [frames, dead, owners],
      writes: [frames, dead, owners],
    },
    { commands: ['xgroup|create', 'xinfo|stream', 'xread', 'xlen', 'xrange'], reads: [frames], writes: [frames] },
    { commands: ['set', 'del', 'pexpire', 'get', 'eval'], reads: [owners], writes: [owners] },
    { commands: ['zadd', 'zrem', 'zremrangebyscore', 'zcard', 'eval'], reads: [workersKey], writes: [workersKey] },
    { commands: ['hincrby', 'expire', 'del'], reads: [any(takeoversHash)], writes: [any(takeoversHash)] },
    ...sendOrders,
    ...announce,
    ...deadLetters,
    { commands: ['zrange', 'zscore', 'zrem'], reads: [nodesKey], writes: [nodesKey] },
    { commands: ['eval', 'hget', 'hdel', 'hscan', 'hgetall'], reads: [presence, runs], writes: [presence, runs] },
    { commands: ['hgetall', 'hdel'], reads: [clonesKey], writes: [clonesKey] },
    { commands: ['set', 'get', 'del', 'eval'], reads: ['lock:*'], writes: ['lock:*'] },
    { commands: ['set'], writes: [withheldUpdates] },
  ],
  admin: [
    {
      commands: [
        '@string',
        '@hash',
        '@list',
        '@sortedset',
        'eval',
        'evalsha',
        'del',
        'exists',
        'expire',
        'pexpire',
        'ttl',
        'pttl',
      ],
      reads: adminState,
      writes: adminState,
    },
    ...sendOrders,
    ...announce,
    ...deadLetters,
    { commands: ['hdel'], writes: [clonesKey, runs] },
    { commands: ['exists'], reads: [withheldUpdates] },
    { commands: ['publish', 'subscribe'], channels: ['authority'] },
    { commands: ['subscribe', 'psubscribe'], channels: [any(liveChannel), any(replyChannel)] },
  ],
}

/** What every client needs before and between its commands; none of these reads or writes a key. */
const everyday = [
  'auth',
  'hello',
  'ping',
  'quit',
  'select',
  'info',
  'time',
  'multi',
  'exec',
  'discard',
  'client|setname',
  'unsubscribe',
  'punsubscribe',
  'readonly',
  'script|load',
  'cluster|slots',
  'cluster|shards',
  'cluster|nodes',
  'cluster|info',
  'cluster|myid',
]

const allowed = (commands: readonly string[]) => commands.map((command) => `+${command}`)

function selector({ commands, reads = [], writes = [], channels = [] }: Grant): string {
  const keys = [...new Set([...reads, ...writes])].map((key) => {
    const may = `${reads.includes(key) ? 'R' : ''}${writes.includes(key) ? 'W' : ''}`
    return may === 'RW' ? `~${key}` : `%${may}~${key}`
  })
  return `(${[...allowed(commands), ...keys, ...channels.map((channel) => `&${channel}`)].join(' ')})`
}

/** What Redis stores instead of a password: its SHA-256 in hexadecimal. */
export const redisPasswordHash = (password: string): string => createHash('sha256').update(password).digest('hex')

/** One line of an ACL file: the login of a process and its rights. */
export function redisUser(process: RedisProcess, passwordHash: string): string {
  const rights = ['reset', 'on', `#${passwordHash}`, '-@all', ...allowed(everyday), ...grants[process].map(selector)]
  return `user ${redisLogin(process)} ${rights.join(' ')}`
}

/** A complete ACL file: the three logins, with the default user disabled. */
export const redisAccessFile = (passwordHashes: Readonly<Record<RedisProcess, string>>): string =>
  [...redisProcesses.map((process) => redisUser(process, passwordHashes[process])), 'user default reset off', ''].join(
    '\n',
  )

/** Passwords of the three logins, derived from one secret, for a Redis that the launcher starts. */
export function redisPasswordsFrom(secret: string): Record<RedisProcess, string> {
  const of = (process: RedisProcess) => createHmac('sha256', secret).update(redisLogin(process)).digest('base64url')
  return { admin: of('admin'), worker: of('worker'), ingest: of('ingest') }
}

/** The address of a Redis with the credentials of a process. */
export function redisUrlFor(url: string, process: RedisProcess, password: string): string {
  const own = new URL(url)
  own.username = redisLogin(process)
  own.password = password
  return own.href
}
