// Changes of where a device belongs, of its lifecycle and of its settings.

import { isOneOf } from '@muster/db/conditions.ts'
import type { Db } from '@muster/db/database.ts'
import { sql } from 'kysely'
import { emit } from '../../../platform/events/index.ts'
import { deviceQuarantined } from '../devices-events.contract.ts'

/** Sets the display name and the site of a device. */
export async function placeDevice(
  db: Db,
  id: string,
  place: { readonly displayName: string | null; readonly siteId: string | null },
): Promise<void> {
  await db.updateTable('devices').set(place).where('id', '=', id).execute()
}

/** Moves a device with its metrics. Values of custom fields that only the old organization defines are removed. */
export async function moveDeviceTo(
  db: Db,
  { id, orgId: from }: { readonly id: string; readonly orgId: string },
  place: { readonly orgId: string; readonly siteId: string | null },
): Promise<void> {
  const ofOldOrganization = sql`ARRAY(SELECT f.key::text FROM custom_fields f WHERE f.org_id = ${from}::uuid AND NOT EXISTS (SELECT FROM custom_fields p
    WHERE p.partner_id = f.partner_id AND p.org_id IS NULL AND p.key = f.key))`
  await db
    .updateTable('devices')
    .set({ ...place, enrollmentKeyId: null, customFields: sql`custom_fields - ${ofOldOrganization}` })
    .where('id', '=', id)
    .execute()
  for (const table of ['deviceMetrics', 'deviceMetricsFiveMinutes', 'deviceMetricsHours'] as const)
    await db.updateTable(table).set({ orgId: place.orgId }).where('deviceId', '=', id).execute()
}

/** Decommissions a device, whose state becomes offline. */
export async function markDecommissioned(db: Db, id: string, now: string): Promise<void> {
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
}

/** Rejects connections of the device until it is released. @returns the device, or undefined if it is not active */
export async function quarantineDevice(db: Db, id: string, reason: string, now: string) {
  const device = await db
    .updateTable('devices')
    .set({ lifecycle: 'quarantined', quarantinedAt: now, quarantineReason: reason })
    .where('id', '=', id)
    .where('lifecycle', '=', 'active')
    .returning(['id', 'orgId', 'partnerId', 'siteId', 'hostname'])
    .executeTakeFirst()
  if (device === undefined) return undefined
  const { orgId, partnerId, siteId, hostname } = device
  await emit(db, deviceQuarantined, { partnerId, orgId, siteId, deviceId: id, at: now, data: { hostname, reason } })
  return device
}

/** Ends a quarantine. @returns the generation from which certificates are valid; undefined if there was no quarantine */
export const releaseDevice = (db: Db, id: string) =>
  db
    .updateTable('devices')
    .set({ lifecycle: 'active', quarantinedAt: null, quarantineReason: null })
    .where('id', '=', id)
    .where('lifecycle', '=', 'quarantined')
    .returning('keyGeneration')
    .executeTakeFirst()

/** Sets whether agents update themselves. Locks all rows in order, so that two requests do not deadlock. */
export async function setAutoUpdate(db: Db, deviceIds: readonly string[], enabled: boolean): Promise<void> {
  await db
    .with('locked', (query) =>
      query
        .selectFrom('devices')
        .select(['id', 'autoUpdate'])
        .where(isOneOf('id', deviceIds))
        .orderBy('id')
        .forNoKeyUpdate(),
    )
    .updateTable('devices')
    .from('locked')
    .set({ autoUpdate: enabled })
    .whereRef('devices.id', '=', 'locked.id')
    .where('locked.autoUpdate', '<>', enabled)
    .execute()
}
