/*
 * Every name that the processes share in Redis. Braces are literal: what stands in them picks the cluster slot, so
 * all keys of one shard, and all keys of one node, live together.
 */

/** In the place of an id: all of them, as rules of access name keys. */
export type Any = '*'

/** Durable frames and connection events of one shard's devices. */
export function shardStream(shard: number | Any): string {
  return `hb:{${shard}}`
}

/** Entries of a shard that could not be stored. */
export function deadStream(shard: number | Any): string {
  return `dead:{${shard}}`
}

/** Presence has its own number of shards, so that a sender need not know how many streams there are. */
export const presenceShards = 32

/** Who holds a shard's devices: field device (or device/watchdog) → `node:connection`. */
export function presenceHash(shard: number | Any): string {
  return `presence:{${shard}}`
}

/** The worker that drains a shard. */
export function shardOwner(shard: number | Any): string {
  return `shard-owner:{${shard}}`
}

/** How often each entry of a shard was taken over: hash entry id → count. */
export function takeoversHash(shard: number | Any): string {
  return `takeovers:{${shard}}`
}

/** What a node has been asked to send to its sockets. */
export function downStream(nodeId: string): string {
  return `down:{${nodeId}}`
}

/** Exists as long as its node is alive. */
export function nodeLease(nodeId: string): string {
  return `node:{${nodeId}}`
}

/** Sorted sets of the living: id → last renewal in ms. */
export const nodesKey = 'nodes'
export const workersKey = 'workers'

/** The last runs (of an agent, or its watchdog) that came from each holder of a shard: field as in presence → `boot@at boot@at`. */
export function runsHash(shard: number | Any): string {
  return `runs:{${shard}}`
}

/** Hash device → when it was seen that two machines use its key: what a worker has yet to put on record. */
export const clonesKey = 'clones'

/** Hash device → least certificate generation that is still good; -1 when the device is revoked for good, -2 when nobody may use it for now. */
export const generationsKey = 'generations'
/** Channel on which its changes are published, as msgpack `[deviceId, generation]`. */
export const generationsChannel = 'generations'
export const revokedGeneration = -1
export const quarantinedGeneration = -2

/** Whose commands are stopped. Gateways deliver none while it does not exist. */
export const commandStopsKey = 'command-stops'

/** Channel of what changed for a partner. */
export function liveChannel(partnerId: string): string {
  return `live:${partnerId}`
}

/** Channel of the replies that one process waits for. */
export function replyChannel(processId: string): string {
  return `reply:${processId}`
}

/** The consumer group on every shard stream. */
export const writersGroup = 'writers'

/** Field of a stream entry that holds a batch, and of one that holds orders. */
export const batchField = 'b'
export const ordersField = 'd'
/** Whose the orders of an entry are, such as a partner; empty for those of the system. */
export const flowField = 'f'

export const nodeLeaseMs = 5_000
export const nodeRenewalMs = 1_500
export const downStreamEntriesMax = 100_000
/** A node's stream outlives its last use by so much; a stray append to a dead node does not stay for ever. */
export const downStreamIdleMs = 600_000
