/** Every bound of this process. Durations in ms, sizes in bytes. */
export const limits = {
  /** From the upgrade to a valid hello. */
  helloMs: 10_000,
  /** The same when half of the waiting places, or of those of an address, are taken. */
  helloPressedMs: 3_000,
  /**
   * Listening sockets on the one port. The library lets 512 connections wait in front of each; beyond that the kernel drops
   * the first packet of a connection, which is sent again after 1, 3, 7, 15, 31 and 63 s.
   */
  listenersPerProcess: 8,
  /** Sockets that have not said hello yet; of one address a quarter of them. */
  waitingMax: 2_000,
  /** How far a device clock or ours may be off when a certificate is judged. */
  clockLeewayMs: 60_000,
  /** A socket without a frame for two heartbeats and this long is dead. */
  idleGraceMs: 15_000,
  sweepMs: 1_000,
  /** How long an agent may come back with a ticket. It is given another after a quarter to a half of that. */
  ticketLifeMs: 8 * 3_600_000,

  /** Burst of frames of one device, in seconds of its sustained rate. */
  frameBurstSeconds: 60,
  deviceBytesPerSecond: 256 * 1024,
  deviceBytesBurst: 8 * 1024 * 1024,
  /** A device closed for a flood is turned away for this long. */
  penaltyMs: 30_000,
  penaltiesMax: 10_000,

  /** What may wait in front of one socket before its reader counts as slow. */
  backlogBytesMax: 4 * 1024 * 1024,
  /** The same of all sockets together; beyond it the slowest reader is closed. */
  backlogsBytesMax: 256 * 1024 * 1024,
  /** Hard stop of the socket library, far above ours so that a close frame still fits. */
  socketBufferBytesMax: 16 * 1024 * 1024,
  /** Certificates known to be good, 16 bytes each. */
  certificatesRemembered: 65_536,

  /** A wave of at least so many handshakes is cleaned up after when it has been over for so many sweeps. */
  compactionHandshakesMin: 500,
  compactionQuietTicks: 10,

  /** A batch is appended when it has so many records, or when its first record has waited so long. */
  batchRecords: 512,
  batchMs: 5,
  /** Nobody waits for a heartbeat: with more company it costs everybody behind less. */
  heartbeatBatchMs: 300,
  /** Who came and went is seen soon enough; after an outage everybody comes at once. */
  connectionBatchMs: 100,
  /** A batch that waits for the one before it grows up to this. */
  batchBytesMax: 1024 * 1024,
  /** All that Redis has not taken yet; frames beyond it are not acknowledged. */
  unsentBytesMax: 64 * 1024 * 1024,
  /** Connection events may go this much further: losing one costs a complete announcement. */
  unsentEventBytesExtra: 16 * 1024 * 1024,
  appendRetryMs: 200,

  presenceMs: 20,
  presenceDropsMax: 200_000,
  /** Arrivals that Redis has not been told of yet. */
  arrivalsMax: 40_000,
  announceSlice: 2_000,

  ordersPerRead: 16,
  readBlockMs: 5_000,
  /** Orders handled before other sockets get their turn. */
  ordersPerTurn: 500,
  /** Of one tenant before the next has its turn. */
  ordersPerShare: 50,
  /** No more are read while so many, or so many bytes of them, wait; they stay in the stream. */
  ordersWaitingMax: 20_000,
  ordersWaitingBytesMax: 64 * 1024 * 1024,

  /** Of them many times within the five seconds in which a stop of all commands has to hold. */
  commandStopsPollMs: 1_000,
  commandStopsStaleMs: 3_000,
  /** Commands that are not handed to the same connection again; forgotten after one to two times so many sweeps. */
  deliveredMax: 50_000,
  deliveredTicks: 30,

  /** Requests whose reply is still out; forgotten after twice to three times so many sweeps. */
  repliesMax: 20_000,
  replyTicks: 60,
  /** After so many sweeps it is looked whether other keys sign orders. */
  orderKeysTicks: 5,

  generationsRefreshMs: 60_000,
  generationsPerScan: 2_000,

  /** On a planned stop agents are asked back over one ms per agent, within these bounds. */
  retryWindowMinMs: 2_000,
  retryWindowMaxMs: 120_000,
  drainSlice: 500,
  drainFlushMs: 4_000,

  logKeysMax: 10_000,
  logEveryMs: 60_000,
}
export type Limits = typeof limits
