import { writeCommandStops } from '@muster/backplane/command-stops.ts'
import type { Redis } from '@muster/backplane/redis.ts'
import type pg from 'pg'
import type { Job } from '../../../job.ts'

/** Tells the gateways whose commands are stopped, as the database says it. Done at each change, and again and again. */
export async function copyCommandStops(system: pg.Pool, redis: Redis): Promise<void> {
  const { rows } = await system.query<{ partner_id: string | null }>('SELECT DISTINCT partner_id FROM command_stops')
  const partnerIds = rows.flatMap(({ partner_id }) => partner_id ?? [])
  await writeCommandStops(redis, { all: partnerIds.length < rows.length, partnerIds })
}

/** Each worker does it: gateways deliver no command unless they know that they may. */
export const commandStops: Job = {
  name: 'command-stops',
  when: { everyMs: 1_000 },
  by: 'every worker',
  begin:
    ({ pool, redis }) =>
    () =>
      copyCommandStops(pool, redis),
}
