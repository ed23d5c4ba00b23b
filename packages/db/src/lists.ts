import type { Expression, ExpressionBuilder, SqlBool } from 'kysely'

/**
 * Whether a column is one of the values: `.where(isOneOf('sites.id', ids))`. Unlike `in` it accepts an empty list,
 * which matches no row, and one prepared statement serves lists of every length.
 */
export const isOneOf =
  (column: string, values: readonly string[]) =>
  // biome-ignore lint/suspicious/noExplicitAny: a condition for any query; a wrong name fails at the first query
  (eb: ExpressionBuilder<any, any>): Expression<SqlBool> =>
    eb(column, '=', eb.fn.any(eb.val([...values])))
