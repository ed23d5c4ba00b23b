import type { Db } from '@muster/db/database.ts'
import { sql } from 'kysely'
import type { Tally } from './verdict.rules.ts'

export interface BatchTally extends Tally {
  readonly batch: number
  /** They have a command that has not ended. */
  readonly running: number
}

/** How far the devices of each batch are, in the order of the batches. */
export async function talliesOf(db: Db, deploymentId: string): Promise<BatchTally[]> {
  const { rows } = await sql<BatchTally>`
    SELECT batch,
      count(*) FILTER (WHERE status IN ('pending', 'queued')) AS open,
      count(*) FILTER (WHERE status = 'queued') AS running,
      count(*) FILTER (WHERE status = 'held') AS held,
      count(*) FILTER (WHERE status = 'succeeded') AS succeeded,
      count(*) FILTER (WHERE status = 'failed') AS failed,
      count(*) FILTER (WHERE status = 'expired') AS expired,
      count(*) FILTER (WHERE status IN ('skipped', 'cancelled')) AS "left",
      count(*) FILTER (WHERE attempt > 0) AS issued,
      count(*) FILTER (WHERE status = 'failed' AND accepted) AS accepted
    FROM deployment_devices WHERE deployment_id = ${deploymentId}::uuid GROUP BY batch ORDER BY batch`.execute(db)
  return rows
}
