import type pg from 'pg'
import type { HeartbeatRead } from './heartbeat-rows.ts'
import { fiveMinutesMs } from './rollups.jobs.ts'

/** A heartbeat is late when its five minutes ended this long ago. Rollups of a period begin much later. */
const lateAfterMs = 10_000

/** Notes past periods that received late heartbeats, so that they are rolled up again. */
export async function noteLateMetrics(
  client: pg.PoolClient,
  reads: readonly { decoded: Pick<HeartbeatRead, 'oldestAtMs' | 'heartbeats'> }[],
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
