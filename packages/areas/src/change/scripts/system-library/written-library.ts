// Writes the scripts that come with this version of Muster into the database, at each start of admin.
import { asSystem, type Db } from '@muster/db/database.ts'
import { systemScripts } from '@muster/script-library/system-scripts.ts'
import { sql } from 'kysely'
import type pg from 'pg'
import { ScriptParameters } from '../parameters.contract.ts'

export interface LibraryChange {
  readonly key: string
  readonly change: 'added' | 'updated' | 'removed'
}

/**
 * Adds, updates and removes rows until they are the library, in one transaction. A second run changes nothing.
 * @param dryRun changes nothing, and tells what would change
 */
export const writeSystemScripts = (system: pg.Pool, { dryRun = false } = {}): Promise<LibraryChange[]> =>
  asSystem(system, async (db) => {
    await sql`SELECT pg_advisory_xact_lock(7301155)`.execute(db)
    const changes = await changesOf(db)
    if (!dryRun && changes.length > 0) await write(db)
    return changes
  })

const columns = [
  'key',
  'version',
  'name',
  'description',
  'category',
  'tags',
  'os_types',
  'language',
  'content',
  'sha256',
  'parameters',
  'args',
  'run_as',
  'timeout_seconds',
  'exit_codes',
] as const

/** The library as a JSON document, with the columns of the table as fields. */
const library = () =>
  JSON.stringify(
    systemScripts().map(({ osTypes, runAs, timeoutSeconds, exitCodes, parameters, ...script }) => ({
      ...script,
      ...{ os_types: osTypes, run_as: runAs, timeout_seconds: timeoutSeconds, exit_codes: exitCodes },
      parameters: ScriptParameters.parse(parameters),
    })),
  )

const given = () => sql`jsonb_populate_recordset(NULL::system_scripts, ${library()}::jsonb)`
const rowOf = (table: string) => sql.join(columns.map((column) => sql.ref(`${table}.${column}`)))

async function changesOf(db: Db): Promise<LibraryChange[]> {
  const { rows } = await sql<LibraryChange>`
    SELECT coalesce(given.key, stored.key) AS key,
      CASE WHEN stored.id IS NULL THEN 'added' WHEN given.id IS NULL THEN 'removed' ELSE 'updated' END AS change
    FROM ${given()} AS given FULL JOIN system_scripts stored ON stored.id = given.id
    WHERE stored.id IS NULL OR given.id IS NULL OR (${rowOf('stored')}) IS DISTINCT FROM (${rowOf('given')})
    ORDER BY 1`.execute(db)
  return rows
}

async function write(db: Db): Promise<void> {
  const names = sql.join(columns.map((column) => sql.ref(column)))
  await sql`DELETE FROM system_scripts WHERE id NOT IN (SELECT id FROM ${given()} AS given)`.execute(db)
  await sql`INSERT INTO system_scripts AS stored (id, ${names}) SELECT given.id, ${rowOf('given')} FROM ${given()} AS given
    ON CONFLICT (id) DO UPDATE SET (${names}) = (${rowOf('excluded')})
    WHERE (${rowOf('stored')}) IS DISTINCT FROM (${rowOf('excluded')})`.execute(db)
}
