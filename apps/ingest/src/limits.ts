/** Every limit of this process. Durations in ms, sizes in bytes. */
export const limits = {
  /** From the upgrade to a valid hello. */
  helloMs: 10_000,
  /** The same when half of the waiting slots, or of those of one address, are taken. */
  helloPressedMs: 3_000,
  /**
   * Listening sockets on the one port. The library lets 512 connections wait on each; beyond that the kernel drops
   * the first packet of a connection, which is sent again after 1, 3, 7, 15, 31 and 63 s.
   */
  listenersPerProcess: 8,
  /** Sockets that have not sent a hello yet; one address may hold a quarter of them. */
  waitingMax: 2_000,
  /** Clock difference between device and server that is tolerated when a certificate is checked. */
  clockLeewayMs: 60_000,
  /** A socket without a frame for two heartbeats plus this is closed. */
  idleGraceMs: 15_000,
  sweepMs: 1_000,
  /** Lifetime of a ticket. Agents get another after a quarter to a half of it. */
  ticketLifeMs: 8 * 3_600_000,

  /** Burst of frames of one device, in seconds of its sustained rate. */
  frameBurstSeconds: 60,
  deviceBytesPerSecond: 256 * 1024,
  deviceBytesBurst: 8 * 1024 * 1024,
  /** How long a device that was closed for a flood is refused. */
  penaltyMs: 30_000,
  penaltiesMax: 10_000,

  /** Backlog of one socket before its reader counts as slow. */
  backlogBytesMax: 4 * 1024 * 1024,
  /** Backlog of all sockets together; beyond it the slowest reader is closed. */
  backlogsBytesMax: 256 * 1024 * 1024,
  /** Hard limit of the socket library, far above ours so that a close frame still fits. */
  socketBufferBytesMax: 16 * 1024 * 1024,
  /** Verified certificates that are remembered, 16 bytes each. */
  certificatesRemembered: 65_536,

  /** After a wave of at least this many handshakes the heap is compacted, once it was quiet for this many sweeps. */
  compactionHandshakesMin: 500,
  compactionQuietTicks: 10,

  /** A batch is appended at this many records, or when its first record has waited this long. */
  batchRecords: 512,
  batchMs: 5,
  /** Heartbeats are not urgent: larger batches make everything downstream cheaper. */
  heartbeatBatchMs: 300,
  /** Connects and disconnects are not urgent; after an outage they come in large numbers. */
  connectionBatchMs: 100,
  /** Maximum size of a batch that waits for the one before it. */
  batchBytesMax: 1024 * 1024,
  /** Bytes that Redis has not stored yet; frames beyond it are not acknowledged. */
  unsentBytesMax: 64 * 1024 * 1024,
  /** Additional bytes for connection events: dropping one costs a complete announcement. */
  unsentEventBytesExtra: 16 * 1024 * 1024,
  appendRetryMs: 200,

  presenceMs: 20,
  presenceDropsMax: 200_000,
  /** Connects that are not written to Redis yet. */
  arrivalsMax: 40_000,
  announceSlice: 2_000,

  ordersPerRead: 16,
  readBlockMs: 5_000,
  /** Orders handled before other sockets get their turn. */
  ordersPerTurn: 500,
  /** Orders of one tenant before the next tenant has its turn. */
  ordersPerShare: 50,
  /** Reading pauses while this many orders, or this many bytes of them, wait; the rest stays in the stream. */
  ordersWaitingMax: 20_000,
  ordersWaitingBytesMax: 64 * 1024 * 1024,

  /** Several times within the five seconds in which an emergency stop has to take effect. */
  commandStopsPollMs: 1_000,
  commandStopsStaleMs: 3_000,
  /** Commands that are not sent twice on one connection; forgotten after one to two times this many sweeps. */
  deliveredMax: 50_000,
  deliveredTicks: 30,

  /** Requests that wait for a reply; forgotten after two to three times this many sweeps. */
  repliesMax: 20_000,
  replyTicks: 60,
  /** Sweeps between checks of the order keys. */
  orderKeysTicks: 5,

  generationsRefreshMs: 60_000,
  generationsPerScan: 2_000,

  /** On a planned stop agents reconnect within one ms per agent, within these bounds. */
  retryWindowMinMs: 2_000,
  retryWindowMaxMs: 120_000,
  drainSlice: 500,
  drainFlushMs: 4_000,

  logKeysMax: 10_000,
  logEveryMs: 60_000,
}
export type Limits = typeof limits
