/** The current time, as an interface, so that tests of expiry do not have to wait. */
export interface Clock {
  /** Milliseconds since the epoch. */
  now(): number
}
export const systemClock: Clock = { now: () => Date.now() }
