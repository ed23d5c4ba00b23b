// How long Muster has listened. While it did not, silence of devices says nothing, so deadlines stand still.

import { nodesKey } from '@muster/backplane/keys.ts'
import type { Redis } from '@muster/backplane/redis.ts'
import { livingNodes } from '@muster/backplane/routing.ts'
import type pg from 'pg'

/** Without a sign for so long, Muster was not listening. */
const gapMs = 15_000
/** Devices get this long after an outage to connect again. */
const graceMs = 90_000

export interface Outage {
  readonly beganMs: number
  readonly endedMs: number
}

/** Whether a gateway accepts connections. */
async function isListening(redis: Redis): Promise<boolean> {
  const nodes = new Set(await redis.zrange(nodesKey, '0', '-1'))
  return nodes.size > 0 && (await livingNodes(redis, nodes)).size > 0
}

/** Notes that Muster listens now, and an outage if there was none of these notes for a while. @returns false if it does not */
export async function noteListening(pool: pg.Pool, redis: Redis): Promise<boolean> {
  if (!(await isListening(redis))) return false
  await pool.query({
    name: 'note-listening',
    text: `WITH before AS (SELECT listened_at FROM alert_listening WHERE id FOR UPDATE),
      noted AS (INSERT INTO alert_listening (id, listened_at) VALUES (true, now())
        ON CONFLICT (id) DO UPDATE SET listened_at = now())
      INSERT INTO alert_outages (began_at, ended_at)
      SELECT listened_at, now() FROM before WHERE listened_at < now() - interval '${gapMs} milliseconds'`,
  })
  return true
}

export async function readOutages(pool: pg.Pool): Promise<Outage[]> {
  const { rows } = await pool.query<Outage>(`SELECT (extract(epoch FROM began_at) * 1000)::float8 AS "beganMs",
      (extract(epoch FROM ended_at) * 1000)::float8 AS "endedMs" FROM alert_outages ORDER BY ended_at DESC LIMIT 100`)
  return rows
}

/**
 * The latest time before which a device must have gone offline to have been silent for `seconds` while Muster listened.
 * @param outages the latest first
 */
export function cutoffOf(seconds: number, outages: readonly Outage[], nowMs: number): number {
  let left = seconds * 1_000
  let untilMs = nowMs
  for (const { beganMs, endedMs } of outages) {
    if (untilMs - endedMs >= left + graceMs) break
    left += graceMs - Math.max(0, untilMs - endedMs)
    untilMs = Math.min(untilMs, beganMs)
  }
  return untilMs - Math.max(0, left)
}
