// The custom fields of devices, and what text becomes in them.
import type { Transaction } from '@muster/db/transaction.ts'
import { type CustomField, CustomValue } from './custom-fields.contract.ts'
import { faultOfValue } from './values.rules.ts'

type Definition = Pick<CustomField, 'key' | 'type' | 'options' | 'required'>
export type FieldValue = string | number | boolean | null

/** Converts text to a value of the field. Empty text removes the value. */
export function valueFrom(
  field: Definition,
  text: string,
): { readonly value: FieldValue } | { readonly fault: string } {
  const known = CustomValue.safeParse(text === '' ? null : read(field.type, text))
  if (!known.success) return { fault: `${field.key} must be a ${field.type}` }
  const fault = faultOfValue(field, known.data)
  return fault === null ? { value: known.data } : { fault }
}

function read(type: Definition['type'], text: string): FieldValue {
  if (type === 'number') return Number(text)
  if (type === 'boolean') return text === 'true' ? true : text === 'false' ? false : text
  return text
}

// If the partner and the organization define one key, the definition of the partner counts, as in filters.
const readDefinitions = {
  name: 'read-script-fields',
  // Locked until the values are written, so that no value remains of a deleted field.
  text: `WITH kept AS MATERIALIZED (
      SELECT f.* FROM custom_fields f WHERE f.key = ANY($2::text[])
        AND f.partner_id IN (SELECT partner_id FROM devices WHERE id = ANY($1::uuid[])) ORDER BY f.id FOR SHARE)
    SELECT DISTINCT ON (d.id, f.key) d.id AS "deviceId", f.key, f.type, f.options, f.required,
      f.script_writable AS "scriptWritable"
    FROM unnest($1::uuid[]) AS u(id)
    JOIN devices d ON d.id = u.id
    JOIN kept f ON f.partner_id = d.partner_id AND (f.org_id IS NULL OR f.org_id = d.org_id)
    ORDER BY d.id, f.key, f.org_id NULLS FIRST`,
}

export interface FieldDefinition extends Definition {
  readonly deviceId: string
  readonly scriptWritable: boolean
}

/** The definitions of fields that devices have, by the id of the device and the key. */
export async function fieldDefinitions(
  transaction: Transaction,
  deviceIds: readonly string[],
  keys: readonly string[],
): Promise<ReadonlyMap<string, FieldDefinition>> {
  const { rows } = await transaction.query<FieldDefinition>({ ...readDefinitions, values: [deviceIds, keys] })
  return new Map(rows.map((row) => [`${row.deviceId} ${row.key}`, row]))
}
