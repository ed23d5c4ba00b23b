import type { WorkerParts } from '../../../background/worker-parts.ts'
import { moveRuns } from '../runs/engine/engine.jobs.ts'

/** Moves runs until none of the partner is due. Tests beside this one move them too. */
export async function moveAll(parts: WorkerParts, partnerId: string): Promise<void> {
  const isDue = async () => {
    const { rows } = await parts.pool.query(
      `SELECT FROM automation_runs r WHERE partner_id = $1 AND due_at <= now()
         AND NOT EXISTS (SELECT FROM command_stops s WHERE s.partner_id = r.partner_id)
       UNION ALL SELECT FROM automation_reports WHERE partner_id = $1 LIMIT 1`,
      [partnerId],
    )
    return rows.length > 0
  }
  do await moveRuns(parts)
  while (await isDue())
}
