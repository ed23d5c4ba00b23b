import type { ColumnType } from 'kysely'

export type JsonValue = string | number | boolean | null | JsonValue[] | { [key: string]: JsonValue }
export type JsonObject = { [key: string]: JsonValue }
/** A jsonb column that holds an object. */
export type JsonColumn = ColumnType<JsonObject, JsonObject | string, JsonObject | string>
/** A jsonb column with a list, written as text, because the driver would convert an array to an SQL array. */
export type JsonListColumn = ColumnType<JsonValue[], string, string>
export type Nullable<C> =
  C extends ColumnType<infer S, infer I, infer U> ? ColumnType<S | null, I | null | undefined, U | null> : never
/** A column with a default in the database. */
export type Generated<C> =
  C extends ColumnType<infer S, infer I, infer U> ? ColumnType<S, I | undefined, U> : ColumnType<C, C | undefined, C>
