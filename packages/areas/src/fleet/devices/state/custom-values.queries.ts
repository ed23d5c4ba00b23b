// The values of custom fields, which are stored with their device.
import type { Db } from '@muster/db/database.ts'
import type { Transaction } from '@muster/db/transaction.ts'
import { sql } from 'kysely'
import type { DevicePlace } from './device-changes.ts'
import { keepChanges } from './kept-events.ts'

type Values = Readonly<Record<string, string | number | boolean | null>>

/** Replaces the values of a device. */
export async function setCustomValues(db: Db, id: string, values: Values): Promise<void> {
  const given = JSON.stringify(values)
  const { numUpdatedRows } = await db
    .updateTable('devices')
    .set({ customFields: given })
    .where('id', '=', id)
    .where(sql<boolean>`custom_fields IS DISTINCT FROM ${given}::jsonb`)
    .executeTakeFirst()
  if (numUpdatedRows > 0n) await keepChanges(db, [id], ['customFields'])
}

/** Removes the values of one field from all devices of its organization, or of its partner. */
export async function removeCustomValues(
  db: Db,
  { key, partnerId, orgId }: { readonly key: string; readonly partnerId: string; readonly orgId: string | null },
): Promise<void> {
  await db
    .updateTable('devices')
    .set({ customFields: sql`custom_fields - ${key}::text` })
    .where('partnerId', '=', partnerId)
    .$if(orgId !== null, (query) => query.where('orgId', '=', orgId ?? ''))
    .where(sql<boolean>`custom_fields ? ${key}::text`)
    .execute()
}

const mergeValues = {
  name: 'merge-custom-values',
  text: `UPDATE devices d SET custom_fields = jsonb_strip_nulls(d.custom_fields || u.given)
    FROM unnest($1::uuid[], $2::jsonb[]) AS u(id, given)
    WHERE d.id = u.id AND d.custom_fields IS DISTINCT FROM jsonb_strip_nulls(d.custom_fields || u.given)
    RETURNING d.id AS "deviceId", d.org_id AS "orgId", d.partner_id AS "partnerId", d.site_id AS "siteId"`,
}

/** Adds values to those of devices; null removes a value. @returns the devices whose values changed */
export async function mergeCustomValues(
  transaction: Transaction,
  changes: ReadonlyMap<string, Values>,
): Promise<DevicePlace[]> {
  const values = [...changes.values()].map((given) => JSON.stringify(given))
  const { rows } = await transaction.query<Omit<DevicePlace, 'atMs'>>({
    ...mergeValues,
    values: [[...changes.keys()], values],
  })
  await keepChanges(
    transaction,
    rows.map(({ deviceId }) => deviceId),
    ['customFields'],
  )
  return rows.map((row) => ({ ...row, atMs: Date.now() }))
}
