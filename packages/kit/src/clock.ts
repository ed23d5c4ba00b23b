/** The time, behind an interface so that tests of expiry need not wait. */
export interface Clock {
  /** Milliseconds since the epoch. */
  now(): number
}
export const systemClock: Clock = { now: () => Date.now() }
