import type { Db } from '@muster/db/database.ts'
import { sql } from 'kysely'
import type { AlertSource } from '../words.contract.ts'

/** An alert that changes this often within this time flaps; no message is sent until it is stable for as long. */
const changesMin = 6
export const flappingMinutes = 30

/** The keys whose next change makes them flap. */
export async function flappingKeys(
  db: Db,
  about: readonly { readonly source: AlertSource; readonly key: string }[],
): Promise<ReadonlySet<string>> {
  if (about.length === 0) return new Set()
  const { rows } = await sql<{ key: string }>`SELECT g.key
    FROM unnest(${about.map(({ source }) => source)}::text[], ${about.map(({ key }) => key)}::text[]) AS g(source, key)
    JOIN alerts a ON a.source = g.source AND a.key = g.key AND a.last_changed_at > now() - make_interval(mins => ${flappingMinutes})
    JOIN alert_timeline t ON t.alert_id = a.id AND t.at > now() - make_interval(mins => ${flappingMinutes})
      AND t.kind IN ('opened', 'reopened', 'repeated', 'resolved', 'cleared')
    GROUP BY g.key HAVING count(*) >= ${changesMin - 1}`.execute(db)
  return new Set(rows.map(({ key }) => key))
}

/** Of `alerts a`: it flaps now, open or ended by itself. */
export const flapsNow = sql<boolean>`(a.flapping AND a.last_changed_at > now() - make_interval(mins => ${sql.lit(flappingMinutes)})
  AND (a.status <> 'resolved' OR a.resolution = 'auto'))`
