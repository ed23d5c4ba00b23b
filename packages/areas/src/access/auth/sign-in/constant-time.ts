import { setTimeout as pause } from 'node:timers/promises'

const stepMs = 200

/**
 * Delays the result or the error to a multiple of a fixed step after the start, so that the time taken does not reveal
 * whether an account exists. Do not hold a transaction meanwhile.
 */
export async function inConstantTime<T>(work: () => Promise<T>): Promise<T> {
  const began = performance.now()
  try {
    return await work()
  } finally {
    const rest = stepMs - ((performance.now() - began) % stepMs)
    await pause(rest)
  }
}
