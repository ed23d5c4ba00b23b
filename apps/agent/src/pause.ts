import { setTimeout as wait } from 'node:timers/promises'

/** Waits, or throws the signal's reason as soon as it is aborted. */
export async function pause(ms: number, signal: AbortSignal): Promise<void> {
  await wait(ms, undefined, { signal })
}

/** Waits for a promise, at most `ms`. */
export async function atMost(ms: number, work: Promise<unknown>): Promise<void> {
  const done = new AbortController()
  await Promise.race([work, pause(ms, done.signal).catch(() => undefined)])
  done.abort()
}
