import { setTimeout as wait } from 'node:timers/promises'

export const pause = (ms: number): Promise<void> => wait(ms)

/** Polls until `look` returns true; its last other answer is in the timeout error. */
export async function until(what: string, withinMs: number, look: () => Promise<true | string>): Promise<void> {
  const end = performance.now() + withinMs
  for (;;) {
    const found = await look()
    if (found === true) return
    if (performance.now() > end) throw new Error(`Waited ${withinMs} ms for ${what}: ${found}`)
    await pause(50)
  }
}
