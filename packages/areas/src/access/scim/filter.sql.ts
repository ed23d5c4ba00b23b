// Compiles SCIM filters to SQL conditions.
import { type RawBuilder, sql } from 'kysely'
import { type Filter, type Literal, NotAFilter } from './filter.rules.ts'

/** How an attribute is read from the database. */
export type Column =
  | { readonly kind: 'text' | 'exact' | 'boolean' | 'time'; readonly is: RawBuilder<unknown> }
  /** Several values per row, which can only be compared for equality. */
  | { readonly kind: 'among'; has(value: string): RawBuilder<unknown> }
export type Columns = Readonly<Record<string, Column>>

const operators = { gt: sql`>`, ge: sql`>=`, lt: sql`<`, le: sql`<=` } as const
const escaped = (text: string) => text.replace(/[\\%_]/g, '\\$&')
type Compare = Extract<Filter, { kind: 'compare' }>

/** @param within the multi-valued attribute that the names are sub-attributes of */
export function compileFilter(filter: Filter, columns: Columns, within = ''): RawBuilder<unknown> {
  switch (filter.kind) {
    case 'and':
    case 'or': {
      const [left, right] = [filter.left, filter.right].map((each) => compileFilter(each, columns, within))
      return filter.kind === 'and' ? sql`(${left} AND ${right})` : sql`(${left} OR ${right})`
    }
    case 'not':
      return sql`(${compileFilter(filter.inner, columns, within)}) IS NOT TRUE`
    case 'some':
      return compileFilter(filter.inner, columns, `${filter.attribute}.`)
    case 'present': {
      const column = columnOf(columns, within + filter.attribute)
      return column.kind === 'among' ? sql`true` : sql`${column.is} IS NOT NULL`
    }
    case 'compare':
      return compared(columnOf(columns, within + filter.attribute), filter)
  }
}

function columnOf(columns: Columns, attribute: string): Column {
  const column = Object.hasOwn(columns, attribute) ? columns[attribute] : undefined
  if (column === undefined) throw new NotAFilter(`filter: ${attribute} cannot be filtered by`)
  return column
}

function compared(column: Column, { by, value, attribute }: Compare): RawBuilder<unknown> {
  if (column.kind === 'among') {
    if (by !== 'eq' || typeof value !== 'string')
      throw new NotAFilter(`filter: ${attribute} can only be compared with eq`)
    return column.has(value)
  }
  if (value === null) {
    if (by !== 'eq' && by !== 'ne') throw new NotAFilter('filter: null can only be compared with eq and ne')
    return by === 'eq' ? sql`${column.is} IS NULL` : sql`${column.is} IS NOT NULL`
  }
  if (column.kind === 'boolean') return truth(column.is, by, value)
  if (column.kind === 'time') return moment(column.is, by, value)
  const text = String(value)
  const isExact = column.kind === 'exact'
  const found = isExact ? sql`${column.is}::text` : sql`lower(${column.is}::text)`
  const wanted = isExact ? text : text.toLowerCase()
  switch (by) {
    case 'eq':
      return sql`${found} = ${wanted}`
    case 'ne':
      return sql`${found} IS DISTINCT FROM ${wanted}`
    case 'co':
      return sql`${found} LIKE ${`%${escaped(wanted)}%`}`
    case 'sw':
      return sql`${found} LIKE ${`${escaped(wanted)}%`}`
    case 'ew':
      return sql`${found} LIKE ${`%${escaped(wanted)}`}`
    default:
      return sql`${found} ${operators[by]} ${wanted}`
  }
}

function truth(column: RawBuilder<unknown>, by: Compare['by'], value: Literal): RawBuilder<unknown> {
  // Some providers send booleans as text.
  const wanted = typeof value === 'string' ? value.toLowerCase() === 'true' : value === true
  if (by === 'eq') return sql`${column} = ${wanted}`
  if (by === 'ne') return sql`${column} <> ${wanted}`
  throw new NotAFilter('filter: booleans can only be compared with eq and ne')
}

function moment(column: RawBuilder<unknown>, by: Compare['by'], value: Literal): RawBuilder<unknown> {
  const at = typeof value === 'string' ? Date.parse(value) : Number.NaN
  if (!Number.isFinite(at) || Math.abs(at) > 8e14) throw new NotAFilter('filter: is not a valid time')
  const iso = new Date(at).toISOString()
  // Times are read from the database in milliseconds and compared in milliseconds.
  const cut = sql`date_trunc('milliseconds', ${column})`
  if (by === 'eq') return sql`${cut} = ${iso}::timestamptz`
  if (by === 'ne') return sql`${cut} <> ${iso}::timestamptz`
  if (by === 'co' || by === 'sw' || by === 'ew')
    throw new NotAFilter('filter: times cannot be compared with co, sw and ew')
  return sql`${cut} ${operators[by]} ${iso}::timestamptz`
}
