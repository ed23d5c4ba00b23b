// The queue of devices to evaluate. Triggers add what changes; changes of policies are added here.
import type { Db } from '@muster/db/database.ts'
import { sql } from 'kysely'

interface Mark {
  readonly deviceId: string
  readonly part: string
}

/** Takes the oldest marks out of the queue. @returns the parts to judge again, by device */
export async function takeMarks(db: Db, most: number): Promise<Map<string, Set<string>>> {
  const { rows } = await sql<Mark>`DELETE FROM device_policy_marks m
    WHERE m.seq IN (SELECT o.seq FROM device_policy_marks o ORDER BY o.seq LIMIT ${most} FOR UPDATE SKIP LOCKED)
    RETURNING m.device_id, m.part`.execute(db)
  const byDevice = Map.groupBy(rows, ({ deviceId }) => deviceId)
  return new Map([...byDevice].map(([id, marks]) => [id, new Set(marks.map(({ part }) => part))]))
}

/** Above this number of changed policies of a partner, all of its devices are queued. */
const fewPolicies = 10

/** Queues the devices of policies that changed: those that they concern now, and those that they concerned before. */
export async function queueChangedPolicies(db: Db): Promise<number> {
  const { rows } = await sql<{
    id: string
    partnerId: string
  }>`UPDATE device_policies p SET queued_revision = p.revision
    WHERE p.revision <> p.queued_revision RETURNING p.id, p.partner_id`.execute(db)
  const byPartner = Map.groupBy(rows, ({ partnerId }) => partnerId)
  for (const [partnerId, changed] of byPartner) {
    const ids = changed.map(({ id }) => id)
    // Devices that do not match the filter of the policy are looked at, too: it does not apply to them.
    const devices =
      ids.length > fewPolicies
        ? sql`SELECT d.id FROM devices d WHERE d.partner_id = ${partnerId}`
        : sql`SELECT d.id FROM device_policies p JOIN target_sets t ON t.id = p.target_set_id
              CROSS JOIN LATERAL devices_of_targets(jsonb_populate_record(t, '{"filter": null}')) d
              WHERE p.id = ANY (${ids}::uuid[]) AND p.status = 'active' AND p.deleted_at IS NULL
            UNION SELECT s.device_id FROM device_policy_sets e JOIN device_policy_states s ON s.set_id = e.id
              WHERE e.partner_id = ${partnerId} AND (e.applied && ${ids}::uuid[] OR e.skipped && ${ids}::uuid[])`
    await sql`INSERT INTO device_policy_marks (device_id, org_id, partner_id, part)
      SELECT d.id, d.org_id, d.partner_id, 'place' FROM devices d WHERE d.id IN (${devices})`.execute(db)
  }
  return rows.length
}

/** Queues the devices of exceptions that expired. */
export async function queueExpiredExceptions(db: Db): Promise<void> {
  await sql`UPDATE device_policy_exceptions SET ended_at = now() WHERE ended_at IS NULL AND expires_at <= now()`.execute(
    db,
  )
}

/** Queues devices that were not evaluated for an hour, the longest first: a look at everything repairs what was missed. */
export async function queueStale(db: Db, most: number): Promise<void> {
  await sql`INSERT INTO device_policy_marks (device_id, org_id, partner_id, part)
    SELECT s.device_id, s.org_id, s.partner_id, 'all' FROM device_policy_states s
    WHERE s.evaluated_at < now() - interval '1 hour' ORDER BY s.evaluated_at LIMIT ${most}`.execute(db)
}

/** Queues the given devices. */
export async function queueDevices(db: Db, deviceIds: readonly string[]): Promise<void> {
  await sql`INSERT INTO device_policy_marks (device_id, org_id, partner_id, part)
    SELECT d.id, d.org_id, d.partner_id, 'all' FROM devices d WHERE d.id = ANY (${[...deviceIds]}::uuid[])`.execute(db)
}

/** Queues devices of partners with active policies that have no state. */
export async function queueUnknown(db: Db): Promise<void> {
  await sql`INSERT INTO device_policy_marks (device_id, org_id, partner_id, part)
    SELECT d.id, d.org_id, d.partner_id, 'place' FROM devices d
    WHERE d.partner_id IN (SELECT p.partner_id FROM device_policies p WHERE p.status = 'active')
      AND d.lifecycle <> 'decommissioned'
      AND NOT EXISTS (SELECT FROM device_policy_states s WHERE s.device_id = d.id)`.execute(db)
}
