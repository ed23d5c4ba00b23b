import { sql } from 'kysely'
import type { Db } from './database.ts'

/**
 * Holds a lock until the transaction ends: `shared` with others who name a thing, `exclusive` to change or delete it. Row locks
 * cannot do this where row security hides a thing of the partner from the row locks of organizations.
 */
export async function lockByName(db: Db, name: string, as: 'shared' | 'exclusive'): Promise<void> {
  const key = sql`hashtextextended(${name}, 0)`
  await (as === 'shared'
    ? sql`SELECT pg_advisory_xact_lock_shared(${key})`
    : sql`SELECT pg_advisory_xact_lock(${key})`
  ).execute(db)
}
