import type pg from 'pg'
import { fiveMinutesMs } from '../../../packages/areas/src/fleet/devices/metrics/rollups.jobs.ts'
import type { Decoded } from './decoded.ts'
import { lateAfterMs } from './limits.ts'

/** Notes the times, over by now, that heartbeats of these reads belong to: what was rolled up of them is no longer true. */
export async function noteLateMetrics(
  client: pg.PoolClient,
  reads: readonly { decoded: Pick<Decoded, 'oldestAtMs' | 'heartbeats'> }[],
  nowMs: number,
): Promise<void> {
  const openFromMs = Math.floor((nowMs - lateAfterMs) / fiveMinutesMs) * fiveMinutesMs
  const times = new Set<number>()
  for (const { decoded } of reads) {
    if (decoded.oldestAtMs >= openFromMs) continue
    const { count, atMs } = decoded.heartbeats
    for (let row = 0; row < count; row++) {
      const at = atMs[row] ?? openFromMs
      if (at < openFromMs) times.add(Math.floor(at / fiveMinutesMs))
    }
  }
  if (times.size === 0) return
  await client.query({
    name: 'note-late-metrics',
    text: 'INSERT INTO late_metrics (at) SELECT unnest($1::timestamptz[])',
    values: [[...times].map((time) => new Date(time * fiveMinutesMs))],
  })
}
