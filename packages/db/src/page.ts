// Pages of lists: the rows and their total number.
import { type RawBuilder, type SelectQueryBuilder, sql } from 'kysely'
import type { Db } from './database.ts'

/** A page as callers request it, numbered from 1. */
export interface Page {
  readonly page: number
  readonly limit: number
}

export interface Paged<Row> {
  readonly data: Row[]
  readonly pagination: { readonly page: number; readonly limit: number; readonly total: number }
}

const offsetOf = ({ page, limit }: Page): number => (page - 1) * limit

/** An empty page, for callers that reach no row. */
export const emptyPage = ({ page, limit }: Page): Paged<never> => ({
  data: [],
  pagination: { page, limit, total: 0 },
})

/**
 * One page of an ordered query and the total number of rows, queried in one message. The count replaces the selected
 * columns, so a query with GROUP BY must be a subquery.
 */
export async function paged<DB, TB extends keyof DB, Row>(
  query: SelectQueryBuilder<DB, TB, Row>,
  { page, limit }: Page,
): Promise<Paged<Row>> {
  const [rows, counted] = await Promise.all([
    query.limit(limit).offset(offsetOf({ page, limit })).execute(),
    query
      .clearSelect()
      .clearOrderBy()
      .select(sql<number>`count(*)`.as('total'))
      // The type of a selection stays open while the tables are a parameter.
      .$castTo<{ readonly total: number }>()
      .executeTakeFirstOrThrow(),
  ])
  return { data: rows, pagination: { page, limit, total: counted.total } }
}

/** The same for a list written as SQL. `rows` has no ORDER BY, because the count needs none. */
export async function pagedSql<Row>(
  db: Db,
  { rows, orderBy }: { readonly rows: RawBuilder<Row>; readonly orderBy: RawBuilder<unknown> },
  { page, limit }: Page,
): Promise<Paged<Row>> {
  const [found, counted] = await Promise.all([
    sql<Row>`${rows} ORDER BY ${orderBy} LIMIT ${limit} OFFSET ${offsetOf({ page, limit })}`.execute(db),
    sql<{ total: number }>`SELECT count(*) AS total FROM (${rows}) counted`.execute(db),
  ])
  return { data: found.rows, pagination: { page, limit, total: counted.rows[0]?.total ?? 0 } }
}

/**
 * For lists with a cursor: query one row more than the limit. @returns the page, and its last row if another page
 * follows
 */
export function upTo<Row>(limit: number, rows: readonly Row[]): { data: Row[]; last: Row | null } {
  const data = rows.slice(0, limit)
  return { data, last: rows.length > limit ? (data.at(-1) ?? null) : null }
}
