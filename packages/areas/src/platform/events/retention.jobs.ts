import { patiently } from '@muster/db/patiently.ts'
import type pg from 'pg'
import { at } from '../../background/job.ts'

const partitionDaysAhead = 3
const daysKept = 30
const dayMs = 86_400_000

/** Makes the tables that the next days' events go into; returns how many were missing. */
export async function ensureEventPartitions(pool: pg.Pool): Promise<number> {
  const { rows } = await patiently(() =>
    pool.query<{ made: number }>('SELECT ensure_event_partitions($1) AS made', [partitionDaysAhead]),
  )
  return rows[0]?.made ?? 0
}

/** Drops the events of days that are over, and what was recorded about failures of that time. */
export async function dropOldEvents(pool: pg.Pool, nowMs: number): Promise<string[]> {
  const before = new Date((Math.floor(nowMs / dayMs) - daysKept) * dayMs).toISOString()
  const { rows } = await patiently(() =>
    pool.query<{ dropped: string[] }>('SELECT drop_event_partitions($1::date) AS dropped', [before.slice(0, 10)]),
  )
  await pool.query('DELETE FROM event_failures WHERE failed_at < $1', [before])
  return rows[0]?.dropped ?? []
}

export const eventPartitions = at('19 1 * * *', 'event-partitions', async ({ pool, log }) => {
  log.info({ made: await ensureEventPartitions(pool) }, 'partitions for events made')
})

export const eventRetention = at('39 1 * * *', 'event-retention', async ({ pool, log }) => {
  log.info({ dropped: await dropOldEvents(pool, Date.now()) }, 'old events dropped')
})
