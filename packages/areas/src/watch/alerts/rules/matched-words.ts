// What devices are that made them match the filter of a rule.
import type { Db } from '@muster/db/database.ts'
import { sql } from 'kysely'
import { z } from 'zod'
import { fieldValue } from '../../../fleet/devices/index.ts'
import { fields, isFieldName } from '../../../fleet/filter-language/fields.contract.ts'
import { customKeyOf, type Filter, fieldsUsed } from '../../../fleet/filter-language/filter.contract.ts'
import { Metric } from './conditions.contract.ts'
import { figureText, metricLabel } from './metric-words.contract.ts'

const fieldsMax = 5
const textMax = 200
const Value = z.union([z.string(), z.number(), z.boolean(), z.array(z.string()), z.null()])
type Value = z.infer<typeof Value>
const Values = z.record(z.string(), Value)

/** Ids say nothing to people. */
const isTold = (name: string): boolean =>
  customKeyOf(name) !== null || (isFieldName(name) && fields[name].type !== 'id')

function wordsOf(name: string, value: Value): string {
  const metric = Metric.safeParse(name)
  if (metric.success && typeof value === 'number')
    return `${metricLabel(metric.data)}: ${figureText(metric.data, value)}`
  const label = isFieldName(name) ? fields[name].label : name
  if (value === null || value === '' || (Array.isArray(value) && value.length === 0)) return `${label}: none`
  if (typeof value === 'boolean') return `${label}: ${value ? 'yes' : 'no'}`
  return `${label}: ${cut(Array.isArray(value) ? value.join(', ') : String(value))}`
}

const cut = (text: string): string => (text.length > textMax ? `${text.slice(0, textMax)}…` : text)
const shownValue = (value: Value): string | number | boolean | null =>
  Array.isArray(value) ? cut(value.join(', ')) : typeof value === 'string' ? cut(value) : value

/** The fields that a filter reads, as they are for a device now. */
export interface Matched {
  readonly words: string
  readonly values: Readonly<Record<string, string | number | boolean | null>>
}

/** For each device, the fields that the filter reads with their values now. Devices without such fields have nothing. */
export async function matchedFields(
  db: Db,
  filter: Filter,
  deviceIds: readonly string[],
): Promise<Map<string, Matched>> {
  const names = [...fieldsUsed(filter)].filter(isTold).slice(0, fieldsMax)
  const columns = names.flatMap((name) => {
    const value = fieldValue(name)
    return value === null ? [] : [sql`${name}::text, ${value}`]
  })
  if (columns.length === 0) return new Map()
  const { rows } = await sql<{
    id: string
    found: unknown
  }>`SELECT devices.id, jsonb_build_object(${sql.join(columns)}) AS found
    FROM devices LEFT JOIN device_state state ON state.device_id = devices.id
    WHERE devices.id = ANY (${[...deviceIds]}::uuid[])`.execute(db)
  return new Map(
    rows.map(({ id, found }) => {
      const values = Object.entries(Values.parse(found))
      const ordered = values.sort(([a], [b]) => names.indexOf(a) - names.indexOf(b))
      return [
        id,
        {
          words: ordered.map(([name, value]) => wordsOf(name, value)).join('. '),
          values: Object.fromEntries(ordered.map(([name, value]) => [name, shownValue(value)])),
        },
      ]
    }),
  )
}
