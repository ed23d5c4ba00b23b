// Conditions for the `where` of queries of any shape. Columns are named as in queries: `sites.orgId`.
import { type RawBuilder, type SqlBool, sql } from 'kysely'

export type Condition = RawBuilder<SqlBool>

export const always: Condition = sql`true`
export const never: Condition = sql`false`

export const equals = (column: string, value: string | boolean | null): Condition => sql`${sql.ref(column)} = ${value}`
export const isNull = (column: string): Condition => sql`${sql.ref(column)} IS NULL`
export const isNullOr = (column: string, value: string | null): Condition =>
  anyOf(isNull(column), equals(column, value))

/**
 * Whether a column is one of the values: `.where(isOneOf('sites.id', ids))`. Unlike `in` it accepts an empty list,
 * which matches no row, and one prepared statement serves lists of every length.
 */
export const isOneOf = (column: string, values: readonly string[]): Condition =>
  sql`${sql.ref(column)} = ANY (${[...values]})`

export const allOf = (...conditions: readonly Condition[]): Condition =>
  conditions.length === 0 ? always : sql`(${sql.join(conditions, sql` AND `)})`

export const anyOf = (...conditions: readonly Condition[]): Condition =>
  conditions.length === 0 ? never : sql`(${sql.join(conditions, sql` OR `)})`
