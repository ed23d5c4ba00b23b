import { type CustomField, CustomValue } from '@muster/areas/custom-fields/custom-fields.contract.ts'
import { faultOfValue } from '@muster/areas/custom-fields/values.rules.ts'
import type pg from 'pg'
import type { DeviceChange } from './inventory.ts'

/** What a script said about its device, by the keys of custom fields. */
export interface ScriptFields {
  deviceId: string
  values: ReadonlyMap<string, string>
}

const fieldLine = /^::muster-field ([a-z][a-z0-9_]{0,62})=(.*?)\r?$/gm
const fieldsMax = 50

/** The lines `::muster-field key=value` of a script's standard output; the last one of a key counts. */
export function fieldsIn(stdout: string): Map<string, string> {
  const values = new Map<string, string>()
  if (!stdout.includes('::muster-field ')) return values
  for (const [, key = '', value = ''] of stdout.matchAll(fieldLine)) {
    if (values.size >= fieldsMax && !values.has(key)) break
    values.set(key, value)
  }
  return values
}

type Definition = Pick<CustomField, 'key' | 'type' | 'options' | 'required'>
type Value = string | number | boolean | null

/** The value that a text means for a field; undefined when it means none. Nothing takes the value away. */
export function meantBy(field: Definition, text: string): Value | undefined {
  const value = text === '' ? null : read(field.type, text)
  const known = CustomValue.safeParse(value)
  return known.success && faultOfValue(field, known.data) === null ? known.data : undefined
}

function read(type: Definition['type'], text: string): Value {
  if (type === 'number') return Number(text)
  if (type === 'boolean') return text === 'true' ? true : text === 'false' ? false : text
  return text
}

// Of two definitions of one key the partner's counts, as it does for filters.
const readDefinitions = {
  name: 'read-script-fields',
  text: `SELECT DISTINCT ON (d.id, f.key) d.id AS device_id, f.key, f.type, f.options, f.required FROM unnest($1::uuid[]) AS u(id)
    JOIN devices d ON d.id = u.id
    JOIN custom_fields f ON f.partner_id = d.partner_id AND (f.org_id IS NULL OR f.org_id = d.org_id)
    WHERE f.script_writable AND f.key = ANY($2::text[]) ORDER BY d.id, f.key, f.org_id NULLS FIRST`,
}

const writeFields = {
  name: 'write-script-fields',
  text: `UPDATE devices d SET custom_fields = jsonb_strip_nulls(d.custom_fields || u.given)
    FROM unnest($1::uuid[], $2::jsonb[]) AS u(id, given)
    WHERE d.id = u.id AND d.custom_fields IS DISTINCT FROM jsonb_strip_nulls(d.custom_fields || u.given)
    RETURNING d.id AS "deviceId", d.org_id AS "orgId", d.partner_id AS "partnerId", d.site_id AS "siteId"`,
}

interface DefinitionRow extends Definition {
  device_id: string
}

/** Stores what scripts say, as far as a field lets scripts write it and the value fits. */
export async function storeScriptFields(
  client: pg.PoolClient,
  given: readonly ScriptFields[],
): Promise<DeviceChange[]> {
  if (given.length === 0) return []
  const keys = [...new Set(given.flatMap(({ values }) => [...values.keys()]))]
  const deviceIds = [...new Set(given.map(({ deviceId }) => deviceId))]
  const { rows } = await client.query<DefinitionRow>({ ...readDefinitions, values: [deviceIds, keys] })
  const changes = new Map<string, Record<string, Value>>()
  for (const { deviceId, values } of given)
    for (const definition of rows) {
      const text = definition.device_id === deviceId ? values.get(definition.key) : undefined
      const value = text === undefined ? undefined : meantBy(definition, text)
      if (value !== undefined) changes.set(deviceId, { ...changes.get(deviceId), [definition.key]: value })
    }
  if (changes.size === 0) return []
  const fields = [...changes.values()].map((values) => JSON.stringify(values))
  const written = await client.query<Omit<DeviceChange, 'changed' | 'atMs'>>({
    ...writeFields,
    values: [[...changes.keys()], fields],
  })
  return written.rows.map((row): DeviceChange => ({ ...row, changed: 'customFields', atMs: Date.now() }))
}
