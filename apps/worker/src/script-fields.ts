import { type CustomField, CustomValue } from '@muster/areas/fleet/custom-fields/custom-fields.contract.ts'
import { faultOfValue } from '@muster/areas/fleet/custom-fields/values.rules.ts'
import type pg from 'pg'
import type { DeviceChange } from './inventory.ts'

/** What a script said about its device, by the keys of custom fields. */
interface ScriptFields {
  readonly values: ReadonlyMap<string, string>
  readonly refused: readonly Refusal[]
}

/** A field that a script could not set, and why. */
interface Refusal {
  readonly field: string
  readonly reason: string
}

/** What became of it: stands in the result of the script's command. */
interface FieldOutcome {
  readonly set: Record<string, Value>
  readonly refused: Refusal[]
}

const fieldLine = /^::muster-field (.*?)\r?$/gm
const assignment = /^([a-z][a-z0-9_]{0,62})=(.*)$/
const fieldsMax = 50
const shownMax = 64

/** The lines `::muster-field key=value` of a script's standard output; the last one of a key counts. */
export function fieldsIn(stdout: string): ScriptFields {
  const values = new Map<string, string>()
  const refused: Refusal[] = []
  const refuse = (field: string, reason: string) => {
    if (refused.length < fieldsMax) refused.push({ field: field.slice(0, shownMax), reason })
  }
  if (!stdout.includes('::muster-field ')) return { values, refused }
  for (const [, text = ''] of stdout.matchAll(fieldLine)) {
    const [, key, value = ''] = assignment.exec(text) ?? []
    if (key === undefined) refuse(text, 'is not of the form key=value')
    else if (values.size >= fieldsMax && !values.has(key)) refuse(key, `one script sets at most ${fieldsMax} fields`)
    else values.set(key, value)
  }
  return { values, refused }
}

type Definition = Pick<CustomField, 'key' | 'type' | 'options' | 'required'>
type Value = string | number | boolean | null

/** The value that a text means for a field, or why it means none. Nothing takes the value away. */
export function meantBy(field: Definition, text: string): { readonly value: Value } | { readonly fault: string } {
  const known = CustomValue.safeParse(text === '' ? null : read(field.type, text))
  if (!known.success) return { fault: `${field.key} must be a ${field.type}` }
  const fault = faultOfValue(field, known.data)
  return fault === null ? { value: known.data } : { fault }
}

function read(type: Definition['type'], text: string): Value {
  if (type === 'number') return Number(text)
  if (type === 'boolean') return text === 'true' ? true : text === 'false' ? false : text
  return text
}

// Of two definitions of one key the partner's counts, as it does for filters.
const readDefinitions = {
  name: 'read-script-fields',
  // They stay until the values are written: no value outlives its field.
  text: `WITH kept AS MATERIALIZED (
      SELECT f.* FROM custom_fields f WHERE f.key = ANY($2::text[])
        AND f.partner_id IN (SELECT partner_id FROM devices WHERE id = ANY($1::uuid[])) ORDER BY f.id FOR SHARE)
    SELECT DISTINCT ON (d.id, f.key) d.id AS device_id, f.key, f.type, f.options, f.required, f.script_writable
    FROM unnest($1::uuid[]) AS u(id)
    JOIN devices d ON d.id = u.id
    JOIN kept f ON f.partner_id = d.partner_id AND (f.org_id IS NULL OR f.org_id = d.org_id)
    ORDER BY d.id, f.key, f.org_id NULLS FIRST`,
}

const writeFields = {
  name: 'write-script-fields',
  text: `UPDATE devices d SET custom_fields = jsonb_strip_nulls(d.custom_fields || u.given)
    FROM unnest($1::uuid[], $2::jsonb[]) AS u(id, given)
    WHERE d.id = u.id AND d.custom_fields IS DISTINCT FROM jsonb_strip_nulls(d.custom_fields || u.given)
    RETURNING d.id AS "deviceId", d.org_id AS "orgId", d.partner_id AS "partnerId", d.site_id AS "siteId"`,
}

interface DefinitionRow extends Definition {
  readonly device_id: string
  readonly script_writable: boolean
}

/** What one script said, and of which device. */
export interface Said extends ScriptFields {
  readonly deviceId: string
  tell(outcome: FieldOutcome): void
}

/** Stores what scripts say, as far as a field lets scripts write it and the value fits, and tells each what became of it. */
export async function storeScriptFields(client: pg.PoolClient, given: readonly Said[]): Promise<DeviceChange[]> {
  if (given.length === 0) return []
  const keys = [...new Set(given.flatMap(({ values }) => [...values.keys()]))]
  const deviceIds = [...new Set(given.map(({ deviceId }) => deviceId))]
  const { rows } = await client.query<DefinitionRow>({ ...readDefinitions, values: [deviceIds, keys] })
  const definitions = new Map(rows.map((row) => [`${row.device_id} ${row.key}`, row]))
  const changes = new Map<string, Record<string, Value>>()
  for (const said of given) {
    const { deviceId } = said
    const outcome = outcomeOf(said, (key) => definitions.get(`${deviceId} ${key}`))
    said.tell(outcome)
    if (Object.keys(outcome.set).length > 0) changes.set(deviceId, { ...changes.get(deviceId), ...outcome.set })
  }
  if (changes.size === 0) return []
  const fields = [...changes.values()].map((values) => JSON.stringify(values))
  const written = await client.query<Omit<DeviceChange, 'changed' | 'atMs'>>({
    ...writeFields,
    values: [[...changes.keys()], fields],
  })
  return written.rows.map((row): DeviceChange => ({ ...row, changed: 'customFields', atMs: Date.now() }))
}

function outcomeOf({ values, refused }: ScriptFields, definitionOf: (key: string) => DefinitionRow | undefined) {
  const outcome: FieldOutcome = { set: {}, refused: [...refused] }
  for (const [key, text] of values) {
    const definition = definitionOf(key)
    if (definition === undefined) outcome.refused.push({ field: key, reason: 'there is no such field' })
    else if (!definition.script_writable) outcome.refused.push({ field: key, reason: 'scripts may not write it' })
    else {
      const meant = meantBy(definition, text)
      if ('fault' in meant) outcome.refused.push({ field: key, reason: meant.fault })
      else outcome.set[key] = meant.value
    }
  }
  return outcome
}
