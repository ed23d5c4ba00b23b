/** Counters of the hot path: plain numbers, read when metrics are scraped. */
export interface Counters {
  /** By frame type. */
  frames: Float64Array
  frameBytes: number
  acks: number
  /** Frames rejected because too much was unsent. */
  shed: number
  batches: number
  records: number
  appendFailures: number
  /** By close code. */
  closes: Map<number, number>
  refusedUpgrades: Map<string, number>
  handshakes: number
  /** Handshakes with a ticket. */
  resumptions: number
  ticketsRefused: number
  ordersSent: number
  ordersRefused: number
  ordersWithheld: number
  ordersRepeated: number
  /** Orders from Redis that are not valid for a device. */
  ordersUnfit: number
  /** For agents that cannot verify signatures, after the date of their end of support. */
  ordersOutdated: number
  eventsLost: number
  announcements: number
}

export function createCounters(): Counters {
  return {
    frames: new Float64Array(128),
    frameBytes: 0,
    acks: 0,
    shed: 0,
    batches: 0,
    records: 0,
    appendFailures: 0,
    closes: new Map(),
    refusedUpgrades: new Map(),
    handshakes: 0,
    resumptions: 0,
    ticketsRefused: 0,
    ordersSent: 0,
    ordersRefused: 0,
    ordersWithheld: 0,
    ordersRepeated: 0,
    ordersUnfit: 0,
    ordersOutdated: 0,
    eventsLost: 0,
    announcements: 0,
  }
}

export function countBy<Key>(counts: Map<Key, number>, key: Key): void {
  counts.set(key, (counts.get(key) ?? 0) + 1)
}
