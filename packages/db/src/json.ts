import type { ColumnType } from 'kysely'

export type JsonValue = string | number | boolean | null | JsonValue[] | { [key: string]: JsonValue }
export type JsonObject = { [key: string]: JsonValue }
/** A jsonb column that holds an object. */
export type JsonColumn = ColumnType<JsonObject, JsonObject | string, JsonObject | string>
/** A jsonb column that holds a list; the driver would take a JavaScript array for an SQL array, so it is written as text. */
export type JsonListColumn = ColumnType<JsonValue[], string, string>
export type Nullable<C> =
  C extends ColumnType<infer S, infer I, infer U> ? ColumnType<S | null, I | null | undefined, U | null> : never
/** A column that the database fills when nothing is given. */
export type Generated<C> =
  C extends ColumnType<infer S, infer I, infer U> ? ColumnType<S, I | undefined, U> : ColumnType<C, C | undefined, C>
