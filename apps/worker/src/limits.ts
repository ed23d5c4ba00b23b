/** Every bound of the worker: times in ms, sizes in what the name says. */

// Shard leases.
export const leaseMs = 10_000
export const leaseRenewalMs = 2_000
export const workerSilentMs = 10_000

// Reading. A read grows while the shard is behind and shrinks when a write takes long or a read gets big.
export const entriesPerReadMin = 1
export const entriesPerReadFirst = 8
export const entriesPerReadMax = 256
export const recordsPerWriteMax = 8_192
export const bytesPerReadMax = 8 * 1024 * 1024
export const writeShortMs = 150
export const writeLongMs = 400
/** A write of so few records that takes long has waited for something else; reading less would not help. */
export const recordsQuickMax = 1_024
/** A shard that keeps up writes at most this often: one larger transaction is cheaper than many small ones. */
export const writePaceMs = 400
/** Reads wait so long for reads of other shards, unless together they are large enough already. */
export const gatherMs = 5
export const gatherRecordsMax = 1_024
/**
 * A transaction with so many connections is part of a wave: the fleet is coming back. It is written in fewer and larger
 * ones then, each of which waits longer for the reads of other shards.
 */
export const waveConnectionsMin = 100
/** A multiple of `writePaceMs`. */
export const wavePaceMs = 2_400
export const waveGatherMs = 100
export const waitForEntriesMs = 5_000
/** What another consumer left unacknowledged for so long is taken over. */
export const abandonedMs = 15_000
export const claimCheckMs = 15_000

// Failing. An entry that fails alone so often is set aside; so is one that ended so many workers before they got past it.
export const triesMax = 5
export const takeoversTogetherMax = 5
export const takeoversMax = 20
export const retryDelayFirstMs = 50
export const retryDelayMaxMs = 2_000
export const deadEntriesMax = 10_000

// Decoding.
export const decodeThreadsMax = 2
export const decodeQueueMax = 256
/** What is smaller is decoded where it is: handing it to a thread would take longer. */
export const decodeInThreadBytesMin = 32 * 1024

// Postgres.
export const writerConnectionsMax = 4
export const systemConnectionsMax = 3
export const jobConnectionsMax = 2
export const knownDevicesMax = 250_000
/** How far back a resent heartbeat's twin is looked for, and how far its clock may lie ahead. */
export const twinSearchHours = 24
export const inventoriesPerStatement = 50

// Records that no honest ingest writes.
export const clockAheadMaxMs = 24 * 3_600_000
export const clockBehindMaxMs = 30 * 24 * 3_600_000

// Commands.
export const outputBytesMax = 256 * 1024
export const pendingPerDeviceMax = 100
export const pendingPerBatchMax = 2_000
/** What waits for devices that connect is looked up so soon, and after many of them have come at once so much later. */
export const arrivalsMs = 50
export const arrivalsManyMin = 500
export const arrivalsManyMs = 2_000
export const arrivalsWaitingMax = 200_000
export const arrivalsPerLookup = 5_000
export const sweepMs = 1_000
export const sweepRowsMax = 1_000
export const rerouteAfterMs = 5_000
export const timeoutGraceMs = 15_000

// Presence.
export const nodeSweepMs = 2_000
export const reconcileMs = 60_000
export const settleMs = 500
export const doubtMs = 1_000
/** For a device that was sent away in order, beyond the time in which it was asked to come back. */
export const returnGraceMs = 5_000
export const doubtsMax = 100_000
export const silentDeviceMs = 180_000
export const statusRowsPerStatement = 5_000
export const updatingMaxMs = 5 * 60_000
/** A report of a watchdog that says nothing new is written so seldom. */
export const watchdogSeenMs = 5 * 60_000
/** Longer than a revocation takes to reach a socket. */
export const watchdogKeySettleMs = 2_000
export const watchdogKeysMax = 10_000
export const watchdogAnswersMs = 500

// Metrics over longer times.
/** Heartbeats of a time that has been over for so long note that they are late; well before it can be rolled up. */
export const lateAfterMs = 10_000

// The rest.
export const lockMs = 30_000
export const watchersRefreshMs = 1_000
export const liveEventsPerMessage = 2_000
export const certificateRenewalMs = 30 * 24 * 3_600_000
export const statisticsMs = 5_000
export const mailMs = 1_000
export const mailBacklogMs = 15_000
export const startUpMs = 30_000

/** A device that refuses orders is put on record no more often than this. */
export const refusalNoteMs = 10_000
/** Devices of which it is remembered when that was. */
export const refusalNotesMax = 50_000
