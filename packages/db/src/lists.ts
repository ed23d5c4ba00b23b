import type { Expression, ExpressionBuilder, SqlBool } from 'kysely'

/**
 * A column is one of the values: `.where(isOneOf('sites.id', ids))`. Unlike `in` it can be asked about an empty list, which
 * nothing is in, and one prepared statement serves lists of every length.
 */
export const isOneOf =
  (column: string, values: readonly string[]) =>
  // biome-ignore lint/suspicious/noExplicitAny: one condition for a column of any query; a wrong name fails the first time it is asked
  (eb: ExpressionBuilder<any, any>): Expression<SqlBool> =>
    eb(column, '=', eb.fn.any(eb.val([...values])))
