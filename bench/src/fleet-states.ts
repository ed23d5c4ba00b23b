import type pg from 'pg'

/** Four in five are online, a few are updating, and each has a different last-seen time. */
export async function spreadStates(owner: pg.Client): Promise<void> {
  await owner.query(`UPDATE device_state SET last_seen_at = now() - random() * interval '1 hour', status_at = now(),
      status = CASE WHEN random() < 0.8 THEN 'online' WHEN random() < 0.95 THEN 'offline' ELSE 'updating' END`)
  await owner.query(`UPDATE device_state SET updating_since = now() WHERE status = 'updating'`)
  await owner.query('VACUUM ANALYZE device_state')
}
