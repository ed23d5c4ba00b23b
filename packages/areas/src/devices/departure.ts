// What happens to a device's rows when it leaves its organisation or the fleet.
import type { Db } from '@muster/db/database.ts'
import type { Caller } from '@muster/kit/access.ts'
import { sql } from 'kysely'
import type { CommandSummary } from './commands.contract.ts'
import { cancelCommands, type Target, targetById } from './commands.queries.ts'

/** The device, which nobody else changes until the transaction ends. Its state first, as everybody does who writes both. */
export async function lockDevice(db: Db, caller: Caller, id: string): Promise<Target> {
  await targetById(db, caller, id)
  await sql`SELECT FROM device_state WHERE device_id = ${id} FOR UPDATE`.execute(db)
  await sql`SELECT FROM devices WHERE id = ${id} FOR UPDATE`.execute(db)
  return targetById(db, caller, id)
}

/** Takes a locked device to another organisation: the rows about it follow by their keys, its metrics here. */
export async function moveDevice(
  db: Db,
  id: string,
  place: { readonly orgId: string; readonly siteId: string | null },
): Promise<void> {
  await db.updateTable('devices').set(place).where('id', '=', id).execute()
  for (const table of ['deviceMetrics', 'deviceMetricsFiveMinutes', 'deviceMetricsHours'] as const)
    await db.updateTable(table).set({ orgId: place.orgId }).where('deviceId', '=', id).execute()
}

/** Ends a locked device's part in the fleet. @returns the commands that were called off */
export async function decommissionDevice(db: Db, id: string, now: string): Promise<CommandSummary[]> {
  await db
    .updateTable('deviceState')
    .set({ status: 'offline', statusAt: now, node: null, updatingSince: null })
    .where('deviceId', '=', id)
    .execute()
  await db
    .updateTable('devices')
    .set({ lifecycle: 'decommissioned', decommissionedAt: now })
    .where('id', '=', id)
    .execute()
  return cancelCommands(db, { deviceId: id }, { error: 'The device was decommissioned', now })
}
