// What devices do for the service all the time. The area that assigns it replaces the whole list of a device and kind.
import type { Db } from '@muster/db/database.ts'
import { assignedChecksMax } from '@muster/wire/limits.ts'
import type { AssignedCheck, AssignmentKind, CheckKind } from '@muster/wire/messages/assignment.ts'
import { sql } from 'kysely'

/** A check whose secret fields are added when it is sent. */
export interface SealedCheck extends AssignedCheck {
  /** The fields of `check`, as sealed JSON. */
  readonly sealed?: { readonly text: string; readonly context: string }
}

export interface DeviceItems<Item> {
  readonly deviceId: string
  readonly items: readonly Item[]
}

/**
 * Replaces the checks of one kind of these devices; the first thousand of each count. Workers send what changed within two
 * seconds, and when a device connects.
 * @returns the devices whose checks changed
 */
export const assignChecks = (
  db: Db,
  kind: CheckKind,
  devices: readonly DeviceItems<SealedCheck>[],
): Promise<string[]> =>
  assignItems(
    db,
    kind,
    devices.map(({ deviceId, items }) => ({ deviceId, items: items.slice(0, assignedChecksMax) })),
  )

const devicesPerStatement = 1_000

/** Replaces the items of one kind of these devices. @returns the devices whose items changed */
export async function assignItems(
  db: Db,
  kind: AssignmentKind,
  devices: readonly DeviceItems<unknown>[],
): Promise<string[]> {
  const changed: string[] = []
  for (let start = 0; start < devices.length; start += devicesPerStatement) {
    const slice = devices.slice(start, start + devicesPerStatement)
    const ids = slice.map(({ deviceId }) => deviceId)
    const items = slice.map(({ items }) => JSON.stringify(items))
    // A device that never had items gets no row without any.
    const { rows } = await sql<{ deviceId: string }>`
      INSERT INTO device_assignments AS a (device_id, kind, org_id, partner_id, items)
      SELECT d.id, ${kind}, d.org_id, d.partner_id, u.items::jsonb
      FROM unnest(${ids}::uuid[], ${items}::text[]) AS u (device_id, items) JOIN devices d ON d.id = u.device_id
      WHERE u.items <> '[]' OR EXISTS (SELECT FROM device_assignments o WHERE o.device_id = d.id AND o.kind = ${kind})
      ORDER BY d.id
      ON CONFLICT (device_id, kind) DO UPDATE
        SET items = excluded.items, revision = excluded.revision, due_at = now(), tries = 0, updated_at = now()
        WHERE a.items IS DISTINCT FROM excluded.items
      RETURNING device_id`.execute(db)
    changed.push(...rows.map(({ deviceId }) => deviceId))
  }
  return changed
}
