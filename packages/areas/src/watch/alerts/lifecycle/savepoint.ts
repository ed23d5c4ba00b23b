import type { Db } from '@muster/db/database.ts'
import type { Log } from '@muster/kit/log.ts'
import { sql } from 'kysely'
import type { PartnerEvent } from '../../../platform/live-events/index.ts'

/** A transaction that locked the same alerts in another order: it goes on while this one lets go of them. */
const deadlock = '40P01'
const triesMax = 3

/** Changes alerts behind a savepoint: what else the open transaction stores is kept even if alerts cannot be changed. */
export async function behindSavepoint(
  db: Db,
  log: Log,
  change: () => Promise<PartnerEvent[]>,
): Promise<PartnerEvent[]> {
  await sql`SAVEPOINT alerts`.execute(db)
  for (let tries = 1; ; tries++) {
    try {
      const events = await change()
      await sql`RELEASE SAVEPOINT alerts`.execute(db)
      return events
    } catch (error) {
      await sql`ROLLBACK TO SAVEPOINT alerts`.execute(db)
      if (tries < triesMax && error instanceof Error && 'code' in error && error.code === deadlock) continue
      log.error({ err: error }, 'Alerts could not be stored')
      return []
    }
  }
}
