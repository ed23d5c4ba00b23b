/** Limits of the worker: times in ms, sizes in the unit of the name. Limits of background work are beside the work in its area. */

// Shard leases.
export const leaseMs = 10_000
export const leaseRenewalMs = 2_000
export const workerSilentMs = 10_000

// Reads. A read grows while the shard has a backlog, and shrinks when a write is slow or a read is large.
export const entriesPerReadMin = 1
export const entriesPerReadFirst = 8
export const entriesPerReadMax = 256
export const recordsPerWriteMax = 8_192
export const bytesPerReadMax = 8 * 1024 * 1024
export const writeShortMs = 150
export const writeLongMs = 400
/** A slow write of at most this many records waited for something else, so a smaller read does not help. */
export const recordsQuickMax = 1_024
/** A shard without a backlog writes at most this often: one large transaction costs less than many small ones. */
export const writePaceMs = 400
/** A read waits this long for reads of other shards, unless together they are large enough already. */
export const gatherMs = 5
export const gatherRecordsMax = 1_024
/**
 * A transaction with this many connections shows that the fleet is reconnecting. Transactions are fewer and larger then, and
 * reads wait longer for those of other shards.
 */
export const waveConnectionsMin = 100
/** A multiple of `writePaceMs`. */
export const wavePaceMs = 2_400
export const waveGatherMs = 100
export const waitForEntriesMs = 5_000
/** Entries that another consumer left unacknowledged for this long are taken over. */
export const abandonedMs = 15_000
export const claimCheckMs = 15_000

// Failures. An entry becomes a dead letter after it failed alone this often, or after this many workers ended with it.
export const triesMax = 5
export const takeoversTogetherMax = 5
export const takeoversMax = 20
export const retryDelayFirstMs = 50
export const retryDelayMaxMs = 2_000
export const deadEntriesMax = 10_000

// Decoding.
export const decodeThreadsMax = 2
export const decodeQueueMax = 256
/** Smaller reads are decoded in the main thread: a transfer to another thread takes longer. */
export const decodeInThreadBytesMin = 32 * 1024

// PostgreSQL.
export const writerConnectionsMax = 4
export const systemConnectionsMax = 3
export const jobConnectionsMax = 2
export const followerConnectionsMax = 3
export const knownDevicesMax = 250_000
/** Records outside these bounds are invalid: the clock of a gateway is never that far off. */
export const clockAheadMaxMs = 24 * 3_600_000
export const clockBehindMaxMs = 30 * 24 * 3_600_000

// Devices that connect.
export const arrivalsMs = 50
/** After this many devices at once, the next ones are served after a longer delay. */
export const arrivalsManyMin = 500
export const arrivalsManyMs = 2_000
export const arrivalsWaitingMax = 200_000

// Presence.
export const nodeSweepMs = 2_000
/** Longer than a living node takes to reconnect to Redis and to renew its lease. */
export const leaselessMs = 3_000
export const reconcileMs = 60_000
export const settleMs = 500
export const doubtMs = 1_000
/** In addition to the time within which a device was asked to reconnect. */
export const returnGraceMs = 5_000
export const doubtsMax = 100_000

// Others.
/** Of work that one worker does. Renewed meanwhile; shorter than the silence that counts as an outage of Muster. */
export const lockMs = 10_000
export const watchersRefreshMs = 1_000
export const statisticsMs = 5_000
/** Between two looks for events; the longer one after a while without any. */
export const followersMs = 200
export const followersQuietMs = 500
export const followersQuietAfterMs = 5_000
export const startUpMs = 30_000
