// The index of the parts of names is closed to queries under row-level security, which lets no condition near a row before its
// own. So the system's connection finds candidates within the caller's reach, and they are then read as the caller.
import { asSystem } from '@muster/db/database.ts'
import { shaped } from '@muster/db/shaped.ts'
import type { Caller } from '@muster/kit/access.ts'
import { type SqlBool, sql } from 'kysely'
import type pg from 'pg'
import { type ReachShape, type ReachValues, reachFrom, reachShape, reachValues } from '../../tenancy/tenancy/index.ts'
import { visibleDevices } from './visibility.ts'

/** Trigrams need three letters to be of use. */
export const partLengthLeast = 3
/** Among more than these a page is found sooner by going through the devices in their order. */
const candidatesMost = 1_000

/** For LIKE: whatever contains the text itself, nothing in it a wildcard. */
export const containing = (text: string): string => `%${text.replace(/[\\%_]/g, '\\$&')}%`

/** Has a device a name that a pattern of `containing` fits? */
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

/** The devices in the caller's reach whose name contains the text; null where that is no way to find them. */
export async function devicesNamed(system: pg.Pool, caller: Caller, text: string): Promise<string[] | null> {
  if (text.length < partLengthLeast) return null
  const values = { ...reachValues(caller), pattern: containing(text) }
  const found = await asSystem(system, (db) => candidates(db, reachShape(caller), values))
  return found.length > candidatesMost ? null : found.map(({ id }) => id)
}
