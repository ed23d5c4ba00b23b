import type { Db } from '@muster/db/database.ts'
import { sql } from 'kysely'

/** After so long a device that is held is tried again. */
const heldSeconds = 5

/** What becomes of a device that does not get the order now. */
export interface Change {
  readonly deviceId: string
  readonly status: 'held' | 'skipped' | 'failed' | 'succeeded'
  readonly reason: string
  readonly error?: string | null
}

/** Stores why devices do not get the order now. Held ones that do not wait to be online are tried again soon. */
export async function leave(db: Db, deploymentId: string, changes: readonly Change[]): Promise<void> {
  if (changes.length === 0) return
  await sql`UPDATE deployment_devices device SET status = given.status, reason = given.reason, error = given.error,
      not_before = CASE WHEN given.status = 'held' AND given.reason <> 'offline' THEN now() + make_interval(secs => ${heldSeconds}) END
    FROM unnest(${changes.map(({ deviceId }) => deviceId)}::uuid[], ${changes.map(({ status }) => status)}::text[],
      ${changes.map(({ reason }) => reason)}::text[], ${changes.map(({ error = null }) => error)}::text[])
      AS given (device_id, status, reason, error)
    WHERE device.deployment_id = ${deploymentId}::uuid AND device.device_id = given.device_id`.execute(db)
}
