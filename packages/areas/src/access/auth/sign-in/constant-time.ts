import { setTimeout as pause } from 'node:timers/promises'

const stepMs = 200

/**
 * Answers, or refuses, only at whole multiples of a step after the beginning, so that the time taken does not tell whether
 * an account was found. Hold no transaction around it.
 */
export async function inEvenTime<T>(work: () => Promise<T>): Promise<T> {
  const began = performance.now()
  try {
    return await work()
  } finally {
    const rest = stepMs - ((performance.now() - began) % stepMs)
    await pause(rest)
  }
}
