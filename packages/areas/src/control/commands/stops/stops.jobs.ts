import { writeCommandStops } from '@muster/backplane/command-stops.ts'
import type { Redis } from '@muster/backplane/redis.ts'
import type pg from 'pg'
import { everywhere } from '../../../background/job.ts'

/** Copies the emergency stops to Redis, where gateways read them: after each change and once a second. */
export async function copyCommandStops(system: pg.Pool, redis: Redis): Promise<void> {
  const { rows } = await system.query<{ partner_id: string | null }>('SELECT DISTINCT partner_id FROM command_stops')
  const partnerIds = rows.flatMap(({ partner_id }) => partner_id ?? [])
  await writeCommandStops(redis, { all: partnerIds.length < rows.length, partnerIds })
}

/** In every worker, because gateways deliver no commands without a copy. */
export const commandStops = everywhere(1_000, 'command-stops', ({ pool, redis }) => copyCommandStops(pool, redis))
