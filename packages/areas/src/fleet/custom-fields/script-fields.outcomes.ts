import type { Transaction } from '@muster/db/transaction.ts'
import { type Applied, outcome } from '../../background/outcome.ts'
import { changeEvents, mergeCustomValues } from '../devices/index.ts'
import { type FieldDefinition, type FieldValue, fieldDefinitions, valueFrom } from './field-definitions.ts'

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
  readonly set: Record<string, FieldValue>
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

interface Script {
  readonly commandId: string
  readonly deviceId: string
  readonly fields: ScriptFields
}

/** Sets custom fields from the output of a script, and reports in the result of its command which were set. */
export const scriptFields = outcome({
  command: 'run_script',
  async apply(transaction, ended) {
    const scripts = ended.flatMap(({ id, deviceId, status, stdout }): Script[] => {
      if (stdout === null || (status !== 'completed' && status !== 'failed')) return []
      const fields = fieldsIn(stdout)
      return fields.values.size + fields.refused.length === 0 ? [] : [{ commandId: id, deviceId, fields }]
    })
    return scripts.length === 0 ? {} : setFields(transaction, scripts)
  },
})

async function setFields(transaction: Transaction, scripts: readonly Script[]): Promise<Applied> {
  const keys = [...new Set(scripts.flatMap(({ fields }) => [...fields.values.keys()]))]
  const deviceIds = [...new Set(scripts.map(({ deviceId }) => deviceId))]
  const definitions = await fieldDefinitions(transaction, deviceIds, keys)
  const changes = new Map<string, Record<string, FieldValue>>()
  const additions = new Map<string, { customFields: FieldOutcome }>()
  for (const { commandId, deviceId, fields } of scripts) {
    const customFields = outcomeOf(fields, (key) => definitions.get(`${deviceId} ${key}`))
    additions.set(commandId, { customFields })
    if (Object.keys(customFields.set).length > 0)
      changes.set(deviceId, { ...changes.get(deviceId), ...customFields.set })
  }
  if (changes.size === 0) return { additions }
  const places = await mergeCustomValues(transaction, changes)
  return { additions, events: changeEvents('customFields', places) }
}

function outcomeOf({ values, refused }: ScriptFields, definitionOf: (key: string) => FieldDefinition | undefined) {
  const found: FieldOutcome = { set: {}, refused: [...refused] }
  for (const [key, text] of values) {
    const definition = definitionOf(key)
    if (definition === undefined) found.refused.push({ field: key, reason: 'there is no such field' })
    else if (!definition.scriptWritable) found.refused.push({ field: key, reason: 'scripts may not write it' })
    else {
      const converted = valueFrom(definition, text)
      if ('fault' in converted) found.refused.push({ field: key, reason: converted.fault })
      else found.set[key] = converted.value
    }
  }
  return found
}
