/*
 * Every name that the processes share in Redis. The braces are literal: their content selects the cluster slot, so
 * all keys of one shard, and all keys of one node, are on one server.
 */

/** Stands for every ID, as in key patterns of access rules. */
export type Any = '*'

/** Durable frames and connection events of one shard's devices. */
export function shardStream(shard: number | Any): string {
  return `hb:{${shard}}`
}

/** Dead letters: entries of a shard that could not be stored. */
export function deadStream(shard: number | Any): string {
  return `dead:{${shard}}`
}

/** Presence has its own number of shards, so that a sender need not know the number of streams. */
export const presenceShards = 32

/** The holders of a shard's devices: field device (or device/watchdog) → `node:connection`. */
export function presenceHash(shard: number | Any): string {
  return `presence:{${shard}}`
}

/** The worker that reads a shard. */
export function shardOwner(shard: number | Any): string {
  return `shard-owner:{${shard}}`
}

/** How often each entry of a shard was claimed from another worker: hash entry ID → count. */
export function takeoversHash(shard: number | Any): string {
  return `takeovers:{${shard}}`
}

/** The orders of other processes for the sockets of a node. */
export function downStream(nodeId: string): string {
  return `down:{${nodeId}}`
}

/** Exists as long as its node is alive. */
export function nodeLease(nodeId: string): string {
  return `node:{${nodeId}}`
}

/** Sorted sets of live nodes and workers: ID → last renewal in ms. */
export const nodesKey = 'nodes'
export const workersKey = 'workers'

/** The latest runs of each holder (an agent or its watchdog) of a shard: field as in presence → `boot@at boot@at`. */
export function runsHash(shard: number | Any): string {
  return `runs:{${shard}}`
}

/** Hash device → when two machines were seen with its key: a worker still has to record it. */
export const clonesKey = 'clones'

/** Hash device → minimum valid certificate generation; -1 when the device is revoked for good, -2 when it is quarantined. */
export const generationsKey = 'generations'
/** Channel of changes to it, as msgpack `[deviceId, generation]`. */
export const generationsChannel = 'generations'
export const revokedGeneration = -1
export const quarantinedGeneration = -2

/** The emergency stops of commands. Gateways deliver no commands while this key is missing. */
export const commandStopsKey = 'command-stops'

/** Channel of the live events of a partner. */
export function liveChannel(partnerId: string): string {
  return `live:${partnerId}`
}

/** Channel of the replies for one process. */
export function replyChannel(processId: string): string {
  return `reply:${processId}`
}

/** The consumer group on every shard stream. */
export const writersGroup = 'writers'

/** The fields of a stream entry that hold a batch and orders. */
export const batchField = 'b'
export const ordersField = 'd'
/** The flow of an entry's orders, such as a partner; empty for orders of the system. */
export const flowField = 'f'

export const nodeLeaseMs = 5_000
export const nodeRenewalMs = 1_500
export const downStreamEntriesMax = 100_000
/** A node's stream expires this long after its last use, so that a late append to a dead node does not stay. */
export const downStreamIdleMs = 600_000
