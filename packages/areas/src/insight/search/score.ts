import { type RawBuilder, sql } from 'kysely'

type Text = RawBuilder<unknown>

/** Escapes the text for LIKE, so that it contains no wildcard. */
export const escaped = (text: string): string => text.replace(/[\\%_]/g, '\\$&')

/** The score of a name: exact match, prefix, beginning of a word, substring, or similarity. */
export const scoreOf = (name: Text, query: string): Text => {
  const plain = escaped(query.toLowerCase())
  return sql`CASE
    WHEN lower(${name}) = ${query.toLowerCase()} THEN 1.0
    WHEN lower(${name}) LIKE ${`${plain}%`} THEN 0.9
    WHEN lower(${name}) LIKE ${`% ${plain}%`} OR lower(${name}) LIKE ${`%-${plain}%`} OR lower(${name}) LIKE ${`%.${plain}%`} THEN 0.8
    WHEN lower(${name}) LIKE ${`%${plain}%`} THEN 0.7
    ELSE 0.6 * word_similarity(${query}, ${name}) END`
}

/**
 * How names match a query. `parts`: the name contains it. A number: at least this share of the query's trigrams occurs
 * together in the name.
 */
export type Match = 'parts' | number

/** From this share on, most of the query occurs in the name. */
const largeShare = 0.5

/**
 * The parts of a query that must be similar to a name. Below a large share, each word must match by itself. Otherwise a word
 * that all names share, such as a domain, would make all of them match.
 */
export function similarParts(query: string, least: number): string[] {
  const words = least < largeShare ? query.match(/[\p{L}\p{N}]+/gu) : null
  return words === null ? [query] : words
}

/** Whether a name matches the query. For sets that are small enough to scan. */
export const matches = (name: Text, query: string, match: Match): Text =>
  match === 'parts'
    ? sql`${name} ILIKE ${`%${escaped(query)}%`}`
    : sql.join(
        similarParts(query, match).map((part) => sql`word_similarity(${part}, ${name}) >= ${match}`),
        sql` AND `,
      )
