import { setTimeout as wait } from 'node:timers/promises'

/** Waits, or throws the signal's reason as soon as it is aborted. */
export async function pause(ms: number, signal: AbortSignal): Promise<void> {
  await wait(ms, undefined, { signal })
}
