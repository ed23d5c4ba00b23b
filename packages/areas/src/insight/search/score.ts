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

/** From here on what a query shares with a name is most of it. */
const largePart = 0.5

/**
 * What of a query has to be alike a name. For less than a large part each word by itself: otherwise one that all names share,
 * such as a domain, would let all of them be compared.
 */
export function alikeParts(query: string, least: number): string[] {
  const words = least < largePart ? query.match(/[\p{L}\p{N}]+/gu) : null
  return words === null ? [query] : words
}

/** Does a name answer a query at all? For sets that are small enough to be looked through. */
export const answers = (name: Text, query: string, match: Match): Text =>
  match === 'parts'
    ? sql`${name} ILIKE ${`%${escaped(query)}%`}`
    : sql.join(
        alikeParts(query, match).map((part) => sql`word_similarity(${part}, ${name}) >= ${match}`),
        sql` AND `,
      )
