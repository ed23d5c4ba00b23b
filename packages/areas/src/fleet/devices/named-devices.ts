// Row-level security keeps queries from using the trigram index. So the system's connection finds candidates within the
// caller's reach, and the rows are then read as the caller.
import { asSystem } from '@muster/db/database.ts'
import { shaped } from '@muster/db/shaped.ts'
import type { Caller } from '@muster/kit/access.ts'
import { type SqlBool, sql } from 'kysely'
import type pg from 'pg'
import { type ReachShape, type ReachValues, reachFrom, reachShape, reachValues } from '../../tenancy/tenancy/index.ts'
import { visibleDevices } from './visibility.ts'

/** Trigram search needs at least three letters. */
export const partLengthLeast = 3
/** With more matches than this, scanning the devices in their order finds a page sooner. */
const candidatesMost = 1_000

/** A LIKE pattern for names that contain the text, with wildcards escaped. */
export const containing = (text: string): string => `%${text.replace(/[\\%_]/g, '\\$&')}%`

/** Whether a name of the device matches a pattern of `containing`. */
export const isNamed = (pattern: string) =>
  sql<SqlBool>`(devices.hostname ILIKE ${pattern} OR devices.display_name ILIKE ${pattern})`

const candidates = shaped((db, shape: ReachShape, values: ReachValues & { readonly pattern: string }) =>
  db
    .selectFrom('devices')
    .select('devices.id')
    .where(visibleDevices(reachFrom(shape, values)))
    .where(isNamed(values.pattern))
    .limit(sql.lit(candidatesMost + 1)),
)

/** The devices within reach whose name contains the text; null when this search would be slower than a scan. */
export async function devicesNamed(system: pg.Pool, caller: Caller, text: string): Promise<string[] | null> {
  if (text.length < partLengthLeast) return null
  const values = { ...reachValues(caller), pattern: containing(text) }
  const found = await asSystem(system, (db) => candidates(db, reachShape(caller), values))
  return found.length > candidatesMost ? null : found.map(({ id }) => id)
}
