// Which batch each device is in.

/** How far a batch reaches: so many of all devices together with the batches before it, or these devices. */
export type Reach = { readonly total: number } | { readonly members: ReadonlySet<string> }

/** The number of devices that a share of all means, rounded up. */
export const shareOf = (percent: number, devices: number): number =>
  Math.ceil(Number(((percent * devices) / 100).toFixed(6)))

/**
 * The devices of each batch, in the given order. Each device is in the first batch that reaches it. Batches without a device
 * are left out, and so are devices that no batch reaches.
 */
export function drawBatches(deviceIds: readonly string[], reaches: readonly Reach[]): string[][] {
  const batches: string[][] = []
  const left = new Set(deviceIds)
  let drawn = 0
  for (const reach of reaches) {
    const batch: string[] = []
    for (const id of left) {
      if ('total' in reach && drawn + batch.length >= reach.total) break
      if ('total' in reach || reach.members.has(id)) batch.push(id)
    }
    for (const id of batch) left.delete(id)
    drawn += batch.length
    if (batch.length > 0) batches.push(batch)
  }
  return batches
}
