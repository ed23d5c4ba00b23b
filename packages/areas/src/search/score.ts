import { type RawBuilder, sql } from 'kysely'

type Text = RawBuilder<unknown>

/** For LIKE: the text itself, nothing in it a wildcard. */
export const escaped = (text: string): string => text.replace(/[\\%_]/g, '\\$&')

/** How well a name answers a query: the very name, its beginning, the beginning of a word of it, a part of it, or alike. */
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
 * How names are held against a query. By their parts: they contain it. Otherwise by likeness: at least so much of its
 * trigrams occur in a name, in one extent.
 */
export type Match = 'parts' | number

/** Does a name answer a query at all? For sets that are small enough to be looked through. */
export const answers = (name: Text, query: string, match: Match): Text =>
  match === 'parts' ? sql`${name} ILIKE ${`%${escaped(query)}%`}` : sql`word_similarity(${query}, ${name}) >= ${match}`
