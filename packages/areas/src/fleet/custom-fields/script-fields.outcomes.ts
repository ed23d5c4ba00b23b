import type pg from 'pg'
import { type Applied, outcome } from '../../background/outcome.ts'
import { changeEvents, type DevicePlace } from '../devices/index.ts'
import { type CustomField, CustomValue } from './custom-fields.contract.ts'
import { faultOfValue } from './values.rules.ts'

/** The custom fields in the output of a script, by key. */
interface ScriptFields {
  readonly values: ReadonlyMap<string, string>
  readonly refused: readonly Refusal[]
}

/** A field that was not set, and why. */
interface Refusal {
  readonly field: string
  readonly reason: string
}

/** Part of the result of the script's command. */
interface FieldOutcome {
  readonly set: Record<string, Value>
  readonly refused: Refusal[]
}

const fieldLine = /^::muster-field (.*?)\r?$/gm
const assignment = /^([a-z][a-z0-9_]{0,62})=(.*)$/
const fieldsMax = 50
const shownMax = 64

/** Reads lines `::muster-field key=value` of standard output. The last line of a key counts. */
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

/** Converts text to a value of the field. Empty text removes the value. */
export function valueFrom(field: Definition, text: string): { readonly value: Value } | { readonly fault: string } {
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

// If the partner and the organization define one key, the definition of the partner counts, as in filters.
const readDefinitions = {
  name: 'read-script-fields',
  // Locked until the values are written, so that no value remains of a deleted field.
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

interface Script {
  readonly commandId: string
  readonly deviceId: string
  readonly fields: ScriptFields
}

/** Sets custom fields from the output of a script, and reports in the result of its command which were set. */
export const scriptFields = outcome({
  command: 'run_script',
  async apply(client, ended) {
    const scripts = ended.flatMap(({ id, deviceId, status, stdout }): Script[] => {
      if (stdout === null || (status !== 'completed' && status !== 'failed')) return []
      const fields = fieldsIn(stdout)
      return fields.values.size + fields.refused.length === 0 ? [] : [{ commandId: id, deviceId, fields }]
    })
    return scripts.length === 0 ? {} : setFields(client, scripts)
  },
})

async function setFields(client: pg.PoolClient, scripts: readonly Script[]): Promise<Applied> {
  const keys = [...new Set(scripts.flatMap(({ fields }) => [...fields.values.keys()]))]
  const deviceIds = [...new Set(scripts.map(({ deviceId }) => deviceId))]
  const { rows } = await client.query<DefinitionRow>({ ...readDefinitions, values: [deviceIds, keys] })
  const definitions = new Map(rows.map((row) => [`${row.device_id} ${row.key}`, row]))
  const changes = new Map<string, Record<string, Value>>()
  const additions = new Map<string, { customFields: FieldOutcome }>()
  for (const { commandId, deviceId, fields } of scripts) {
    const customFields = outcomeOf(fields, (key) => definitions.get(`${deviceId} ${key}`))
    additions.set(commandId, { customFields })
    if (Object.keys(customFields.set).length > 0)
      changes.set(deviceId, { ...changes.get(deviceId), ...customFields.set })
  }
  if (changes.size === 0) return { additions }
  const values = [...changes.values()].map((given) => JSON.stringify(given))
  const written = await client.query<Omit<DevicePlace, 'atMs'>>({
    ...writeFields,
    values: [[...changes.keys()], values],
  })
  const places = written.rows.map((row) => ({ ...row, atMs: Date.now() }))
  return { additions, events: changeEvents('customFields', places) }
}

function outcomeOf({ values, refused }: ScriptFields, definitionOf: (key: string) => DefinitionRow | undefined) {
  const found: FieldOutcome = { set: {}, refused: [...refused] }
  for (const [key, text] of values) {
    const definition = definitionOf(key)
    if (definition === undefined) found.refused.push({ field: key, reason: 'there is no such field' })
    else if (!definition.script_writable) found.refused.push({ field: key, reason: 'scripts may not write it' })
    else {
      const converted = valueFrom(definition, text)
      if ('fault' in converted) found.refused.push({ field: key, reason: converted.fault })
      else found.set[key] = converted.value
    }
  }
  return found
}
