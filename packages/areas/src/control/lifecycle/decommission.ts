// Changes the rows of a device that moves, is decommissioned or is quarantined.
import type { Db } from '@muster/db/database.ts'
import type { Caller } from '@muster/kit/access.ts'
import { sql } from 'kysely'
import { forgetDuplicates } from '../../fleet/devices/index.ts'
import type { CommandSummary } from '../commands/commands.contract.ts'
import { cancelCommands, type Target, targetById, withdrawApprovals } from '../commands/index.ts'

/** Locks the device until the transaction ends. Its state first, in the order of all writers of both, to avoid deadlocks. */
export async function lockDevice(db: Db, caller: Caller, id: string): Promise<Target> {
  await targetById(db, caller, id)
  await sql`SELECT FROM device_state WHERE device_id = ${id} FOR UPDATE`.execute(db)
  await sql`SELECT FROM devices WHERE id = ${id} FOR UPDATE`.execute(db)
  return targetById(db, caller, id)
}

const movedAway = 'The device moved to another organization'

/**
 * Takes a locked device to another organization. What its machine is and measures follows, by keys or here. What people
 * of the old organization did with it stays with them: open commands are canceled, open approvals are withdrawn.
 * @returns the commands that were canceled
 */
export async function moveDevice(
  db: Db,
  caller: Caller,
  { id, orgId: from }: Pick<Target, 'id' | 'orgId'>,
  place: { readonly orgId: string; readonly siteId: string | null },
  now: string,
): Promise<CommandSummary[]> {
  await forgetDuplicates(db, id)
  await withdrawApprovals(db, caller, id, movedAway)
  const cancelled = await cancelCommands(db, { deviceId: id }, { error: movedAway, now })
  const ofOldOrganization = sql`ARRAY(SELECT f.key::text FROM custom_fields f WHERE f.org_id = ${from}::uuid AND NOT EXISTS (SELECT FROM custom_fields p
    WHERE p.partner_id = f.partner_id AND p.org_id IS NULL AND p.key = f.key))`
  await db
    .updateTable('devices')
    .set({ ...place, enrollmentKeyId: null, customFields: sql`custom_fields - ${ofOldOrganization}` })
    .where('id', '=', id)
    .execute()
  await db.deleteFrom('enrollmentKeys').where('deviceId', '=', id).execute()
  for (const table of ['deviceMetrics', 'deviceMetricsFiveMinutes', 'deviceMetricsHours'] as const)
    await db.updateTable(table).set({ orgId: place.orgId }).where('deviceId', '=', id).execute()
  return cancelled
}

/** Decommissions a locked device. @returns the commands that were canceled */
export async function decommissionDevice(db: Db, id: string, now: string): Promise<CommandSummary[]> {
  await forgetDuplicates(db, id)
  await db
    .updateTable('deviceState')
    .set({ status: 'offline', statusAt: now, node: null, updatingSince: null })
    .where('deviceId', '=', id)
    .execute()
  await db
    .updateTable('devices')
    .set({ lifecycle: 'decommissioned', decommissionedAt: now, quarantinedAt: null, quarantineReason: null })
    .where('id', '=', id)
    .execute()
  return cancelCommands(db, { deviceId: id }, { error: 'The device was decommissioned', now })
}

/** Rejects connections of the device until it is released. @returns the device, or undefined if it is not active */
export const quarantineDevice = (db: Db, id: string, reason: string, now: string) =>
  db
    .updateTable('devices')
    .set({ lifecycle: 'quarantined', quarantinedAt: now, quarantineReason: reason })
    .where('id', '=', id)
    .where('lifecycle', '=', 'active')
    .returning(['id', 'orgId', 'partnerId', 'siteId', 'hostname'])
    .executeTakeFirst()

/** Ends a quarantine. @returns the generation from which certificates are valid; undefined if there was no quarantine */
export const releaseDevice = (db: Db, id: string) =>
  db
    .updateTable('devices')
    .set({ lifecycle: 'active', quarantinedAt: null, quarantineReason: null })
    .where('id', '=', id)
    .where('lifecycle', '=', 'quarantined')
    .returning('keyGeneration')
    .executeTakeFirst()
