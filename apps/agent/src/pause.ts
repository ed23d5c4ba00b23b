import { setTimeout as wait } from 'node:timers/promises'

/** Waits, or throws the signal's reason as soon as it is aborted. */
export async function pause(ms: number, signal: AbortSignal): Promise<void> {
  await wait(ms, undefined, { signal })
}

/** Waits for work to end, but no longer than this. */
export async function atMost(ms: number, work: Promise<unknown>): Promise<void> {
  const done = new AbortController()
  await Promise.race([work, pause(ms, done.signal).catch(() => undefined)])
  done.abort()
}
