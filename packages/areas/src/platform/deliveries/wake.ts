/** Wakes the deliverers of this process. */
const wakes = new Set<() => void>()

/** Calls `wake` when messages were queued by this process. @returns a function that ends this */
export function onQueued(wake: () => void): () => void {
  wakes.add(wake)
  return () => wakes.delete(wake)
}

/** Lets the deliverers of this process look at once, after the commit. Those of other processes find messages by themselves. */
export function deliverNow(): void {
  for (const wake of wakes) wake()
}
