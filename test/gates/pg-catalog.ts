// Tables, policies and privileges, read from the PostgreSQL catalog.
import type pg from 'pg'

export interface Table {
  readonly name: string
  readonly secured: boolean
  readonly forced: boolean
  readonly columns: readonly Column[]
}
export interface Column {
  readonly name: string
  readonly type: string
  /** Whether an insert must give a value. */
  readonly needed: boolean
  /** Values that a CHECK constraint lists. */
  readonly allowed: readonly string[]
  /** The table that the column refers to by id. */
  readonly pointsAt: string | null
}

/** Tables of the application, without partitions, which are accessed through their parents. */
export async function tablesOf(owner: pg.Client): Promise<Table[]> {
  const { rows: tables } = await owner.query<{ name: string; secured: boolean; forced: boolean }>(`
    SELECT relname AS name, relrowsecurity AS secured, relforcerowsecurity AS forced FROM pg_class
    WHERE relnamespace = 'public'::regnamespace AND relkind IN ('r', 'p') AND NOT relispartition ORDER BY relname`)
  const { rows: columns } = await owner.query<Column & { table: string; rule: string | null }>(`
    SELECT c.relname AS table, a.attname AS name, format_type(a.atttypid, NULL) AS type,
      a.attnotnull AND NOT a.atthasdef AND a.attidentity = '' AS needed,
      (SELECT pg_get_constraintdef(k.oid) FROM pg_constraint k WHERE k.conrelid = c.oid AND k.contype = 'c'
         AND k.conkey = ARRAY[a.attnum] AND pg_get_constraintdef(k.oid) LIKE '%= ANY%' LIMIT 1) AS rule,
      (SELECT f.relname FROM pg_constraint k JOIN pg_class f ON f.oid = k.confrelid
       WHERE k.conrelid = c.oid AND k.contype = 'f' AND k.conkey[1] = a.attnum
         AND (SELECT attname FROM pg_attribute WHERE attrelid = k.confrelid AND attnum = k.confkey[1]) = 'id' LIMIT 1) AS "pointsAt"
    FROM pg_class c JOIN pg_attribute a ON a.attrelid = c.oid
    WHERE c.relnamespace = 'public'::regnamespace AND c.relkind IN ('r', 'p') AND NOT c.relispartition
      AND a.attnum > 0 AND NOT a.attisdropped AND a.attgenerated = ''`)
  return tables.map((table) => ({
    ...table,
    columns: columns
      .filter((column) => column.table === table.name)
      .map(({ rule, ...column }) => ({
        ...column,
        allowed: [...(rule ?? '').matchAll(/'([^']*)'::/g)].flatMap((match) => match[1] ?? []),
      })),
  }))
}

export interface Policy {
  readonly table: string
  readonly command: 'ALL' | 'SELECT' | 'INSERT' | 'UPDATE' | 'DELETE'
  readonly roles: readonly string[]
  readonly using: string | null
  readonly check: string | null
}

export async function policiesOf(owner: pg.Client): Promise<Policy[]> {
  const { rows } = await owner.query<Policy>(`
    SELECT tablename AS table, cmd AS command, roles::text[] AS roles, qual AS using, with_check AS check
    FROM pg_policies WHERE schemaname = 'public'`)
  return rows
}

/** The privileges of a login on each table, for the whole table or by column. */
export async function privilegesOf(owner: pg.Client, role: string): Promise<Map<string, Set<string>>> {
  const { rows } = await owner.query<{ table: string; privilege: string }>(
    `SELECT relname AS table, p AS privilege
     FROM pg_class, unnest(ARRAY['SELECT', 'INSERT', 'UPDATE', 'DELETE', 'TRUNCATE', 'REFERENCES', 'TRIGGER']) AS p
     WHERE relnamespace = 'public'::regnamespace AND relkind IN ('r', 'p', 'v', 'm')
       AND (has_table_privilege($1, oid, p)
            OR (p IN ('SELECT', 'INSERT', 'UPDATE') AND has_any_column_privilege($1, oid, p)))`,
    [role],
  )
  const found = new Map<string, Set<string>>()
  for (const { table, privilege } of rows) found.set(table, (found.get(table) ?? new Set()).add(privilege))
  return found
}
