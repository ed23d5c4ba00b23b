import { writeCommandStops } from '@muster/backplane/command-stops.ts'
import type { Redis } from '@muster/backplane/redis.ts'
import type pg from 'pg'

/** Tells the gateways whose commands are stopped, as the database says it. Done at each change, and again and again. */
export async function copyCommandStops(system: pg.Pool, redis: Redis): Promise<void> {
  const { rows } = await system.query<{ partner_id: string | null }>('SELECT DISTINCT partner_id FROM command_stops')
  const partnerIds = rows.flatMap(({ partner_id }) => partner_id ?? [])
  await writeCommandStops(redis, { all: partnerIds.length < rows.length, partnerIds })
}
