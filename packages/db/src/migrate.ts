// Applies migrations/NNNN-name.sql once each, in order, under an advisory lock; the ledger keeps their checksums.
import { createHash } from 'node:crypto'
import { readdir, readFile } from 'node:fs/promises'
import { fileURLToPath } from 'node:url'
import pg from 'pg'

const folder = fileURLToPath(new URL('../../../migrations/', import.meta.url))
const lockKey = 7_301_152

export interface Migration {
  readonly name: string
  readonly checksum: string
  readonly sql: string
}

/** The schema cannot be used as it is; the message says why and what to do. */
export class SchemaError extends Error {
  override readonly name = 'SchemaError'
}

/** The project's migrations, in order of their numbers. */
export async function readMigrations(path = folder): Promise<Migration[]> {
  const names = (await readdir(path)).filter((name) => /^\d{4}-[a-z0-9-]+\.sql$/.test(name)).sort()
  return Promise.all(
    names.map(async (name) => {
      const sql = await readFile(`${path}/${name}`, 'utf8')
      return { name, sql, checksum: createHash('sha256').update(sql).digest('hex') }
    }),
  )
}

async function readLedger(client: pg.Client): Promise<Map<string, string>> {
  const { rows: found } = await client.query<{ ledger: string | null }>(
    `SELECT to_regclass('public.migrations')::text AS ledger`,
  )
  if (found[0]?.ledger == null) return new Map()
  const { rows } = await client.query<{ name: string; checksum: string }>(
    'SELECT name, checksum FROM public.migrations',
  )
  return new Map(rows.map((row) => [row.name, row.checksum]))
}

/** The migrations not applied yet. @throws SchemaError when an applied one was altered or is unknown */
function outstanding(migrations: readonly Migration[], ledger: ReadonlyMap<string, string>): Migration[] {
  for (const { name, checksum } of migrations) {
    const applied = ledger.get(name)
    if (applied !== undefined && applied !== checksum) {
      throw new SchemaError(
        `The applied migration ${name} was changed afterward. Restore the file as it was applied; write a new migration for the change.`,
      )
    }
  }
  const known = new Set(migrations.map(({ name }) => name))
  const unknown = [...ledger.keys()].filter((name) => !known.has(name))
  if (unknown.length > 0) {
    throw new SchemaError(
      `The database has migrations that this version does not know (${unknown.join(', ')}): it was used by a newer version.`,
    )
  }
  return migrations.filter(({ name }) => !ledger.has(name))
}

async function connected<T>(url: string, work: (client: pg.Client) => Promise<T>): Promise<T> {
  const client = new pg.Client({ connectionString: url, connectionTimeoutMillis: 10_000 })
  await client.connect()
  try {
    return await work(client)
  } finally {
    await client.end()
  }
}

/**
 * Brings the database up to date. Safe to run from several processes at once and to repeat after a crash:
 * each migration and its ledger row are one transaction.
 * @param ownerUrl login that owns the tables
 * @returns names applied now
 */
export async function migrate(options: {
  ownerUrl: string
  migrations?: readonly Migration[]
  onApplied?: (name: string, ms: number) => void
}): Promise<string[]> {
  const migrations = options.migrations ?? (await readMigrations())
  return connected(options.ownerUrl, async (client) => {
    await client.query('SELECT pg_advisory_lock($1)', [lockKey])
    await client.query(`CREATE TABLE IF NOT EXISTS public.migrations (
      name text PRIMARY KEY, checksum text NOT NULL, applied_at timestamptz NOT NULL DEFAULT now())`)
    const applied: string[] = []
    for (const migration of outstanding(migrations, await readLedger(client))) {
      const began = performance.now()
      try {
        await client.query('BEGIN')
        await client.query(migration.sql)
        await client.query('INSERT INTO public.migrations (name, checksum) VALUES ($1, $2)', [
          migration.name,
          migration.checksum,
        ])
        await client.query('COMMIT')
      } catch (cause) {
        throw new SchemaError(
          `The migration ${migration.name} failed: ${cause instanceof Error ? cause.message : cause}`,
          { cause },
        )
      }
      applied.push(migration.name)
      options.onApplied?.(migration.name, performance.now() - began)
    }
    await client.query('GRANT SELECT ON public.migrations TO muster_app, muster_system')
    return applied
  })
}

/** Rejects a schema that is older, newer or altered. Works with any login that may read the ledger. */
export async function verifySchema(url: string): Promise<void> {
  const missing = await connected(url, async (client) => outstanding(await readMigrations(), await readLedger(client)))
  if (missing.length === 0) return
  throw new SchemaError(
    `The database lacks ${missing.length} migration(s), the first is ${missing[0]?.name}. Run \`npm run migrate\`, or start with AUTO_MIGRATE=true.`,
  )
}
