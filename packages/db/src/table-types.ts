// The types of the tables of a migrated database: column types from the catalog, allowed values from CHECK constraints.
import type pg from 'pg'

interface Column {
  table: string
  name: string
  type: string
  nullable: boolean
  optional: boolean
  fallback: string
  rule: string | null
}

const columns = `
  SELECT c.relname AS table, a.attname AS name, format_type(a.atttypid, NULL) AS type, NOT a.attnotnull AS nullable,
         (a.atthasdef OR a.attidentity <> '') AS optional, coalesce(pg_get_expr(d.adbin, d.adrelid), '') AS fallback,
         (SELECT pg_get_constraintdef(k.oid) FROM pg_constraint k
          WHERE k.conrelid = c.oid AND k.contype = 'c' AND k.conkey = ARRAY[a.attnum] AND pg_get_constraintdef(k.oid) LIKE '%= ANY%' LIMIT 1) AS rule
  FROM pg_class c JOIN pg_attribute a ON a.attrelid = c.oid LEFT JOIN pg_attrdef d ON d.adrelid = c.oid AND d.adnum = a.attnum
  WHERE c.relkind IN ('r', 'p') AND NOT c.relispartition AND c.relnamespace = 'public'::regnamespace
    AND a.attnum > 0 AND NOT a.attisdropped
  ORDER BY c.relname, a.attnum`

const plain: Record<string, string> = {
  boolean: 'boolean',
  smallint: 'number',
  integer: 'number',
  bigint: 'number',
  real: 'number',
  'double precision': 'number',
  numeric: 'number',
  bytea: 'Buffer',
}

function typeOf({ type, rule, fallback }: Column): string {
  if (type === 'jsonb') return fallback.startsWith("'[]'") ? 'JsonListColumn' : 'JsonColumn'
  const list = type.endsWith('[]')
  const allowed = [...(rule ?? '').matchAll(/'([^']*)'::(?:text|character varying)/g)].map((match) => `'${match[1]}'`)
  const item = allowed.length > 0 ? allowed.join(' | ') : (plain[list ? type.slice(0, -2) : type] ?? 'string')
  return list ? `${item}[]` : item
}

const camel = (name: string) => name.replace(/_([a-z0-9])/g, (_, letter: string) => letter.toUpperCase())
const pascal = (name: string) => camel(`_${name}`)

function lineOf(column: Column): string {
  const type = typeOf(column)
  const nullable = column.nullable ? (type.endsWith('Column') ? `Nullable<${type}>` : `${type} | null`) : type
  return `  ${camel(column.name)}: ${column.optional && !column.nullable ? `Generated<${nullable}>` : nullable}`
}

function render(all: readonly Column[]): string {
  const tables = Map.groupBy(all, (column) => column.table)
  const interfaces = [...tables].map(
    ([table, its]) => `export interface ${pascal(table)} {\n${its.map(lineOf).join('\n')}\n}\n`,
  )
  const index = [...tables.keys()].map((table) => `  ${camel(table)}: ${pascal(table)}`)
  return `// Written by \`npm run tables\` from the migrated database. Do not edit.
import type { Generated, JsonColumn, JsonListColumn, Nullable } from './json.ts'

${interfaces.join('\n')}
export interface Tables {
${index.join('\n')}
}
`
}

/** The text of tables.ts for the database behind this connection. */
export async function tableTypes(client: Pick<pg.Client, 'query'>): Promise<string> {
  return render((await client.query<Column>(columns)).rows)
}
