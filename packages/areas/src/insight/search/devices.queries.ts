// Row-level security keeps queries from using the trigram indexes, and scanning all names on each keystroke is too slow. So
// the system's connection finds candidates within the caller's reach, in steps that each end early. The rows themselves are
// then read as the caller.
import { asSystem, type Db } from '@muster/db/database.ts'
import type { Caller } from '@muster/kit/access.ts'
import { type RawBuilder, sql } from 'kysely'
import { containing, isNamed, partLengthLeast, visibleDevices } from '../../fleet/devices/index.ts'
import type { Services } from '../../services.ts'
import { escaped, type Match, scoreOf, similarParts } from './score.ts'
import type { Hit } from './search.contract.ts'

/** How many equally good matches are compared. */
const comparedMax = 1_000

const shownName = sql`coalesce(devices.display_name, devices.hostname)`

const visible = (db: Db, caller: Caller) =>
  db.selectFrom('devices').select('id').where(visibleDevices(caller)).where('lifecycle', '<>', 'decommissioned')

/** Devices whose name begins with the query. When these are too few, devices whose name contains it. */
async function byParts(db: Db, caller: Caller, query: string, limit: number): Promise<{ id: string }[]> {
  const plain = escaped(query)
  const beginning = await visible(db, caller)
    .where(sql<boolean>`lower(${shownName}) LIKE ${`${plain.toLowerCase()}%`}`)
    .orderBy(sql`lower(${shownName})`)
    .limit(limit)
    .execute()
  if (beginning.length >= limit || query.length < partLengthLeast) return beginning
  const parts = visible(db, caller)
    .where(isNamed(containing(query)))
    .limit(limit)
  return [...beginning, ...(await parts.execute())]
}

/** Devices whose name is similar enough to the query. */
async function bySimilarity(db: Db, caller: Caller, query: string, least: number): Promise<{ id: string }[]> {
  await sql`SELECT set_config('pg_trgm.word_similarity_threshold', ${String(least)}, true), set_config('enable_seqscan', 'off', true)`.execute(
    db,
  )
  const parts = similarParts(query, least)
  const isAlike = (name: RawBuilder<unknown>) =>
    sql`(${sql.join(
      parts.map((part) => sql`${part} <% ${name}`),
      sql` AND `,
    )})`
  const alike = sql<boolean>`(${isAlike(sql`hostname`)} OR ${isAlike(sql`display_name`)})`
  return visible(db, caller).where(alike).limit(comparedMax).execute()
}

export async function findDevices(
  db: Db,
  services: Services,
  caller: Caller,
  query: string,
  match: Match,
  limit: number,
): Promise<Hit[]> {
  const found = await asSystem(services.system, (system) =>
    match === 'parts' ? byParts(system, caller, query, limit) : bySimilarity(system, caller, query, match),
  )
  const ids = [...new Set(found.map(({ id }) => id))]
  if (ids.length === 0) return []
  const { rows } = await sql<Hit>`
    SELECT 'device' AS type, devices.id, ${shownName} AS title, concat_ws(' · ', nullif(devices.hostname, ${shownName}), devices.os_name) AS subtitle,
      devices.org_id, o.name AS org_name,
      greatest(${scoreOf(sql`devices.hostname`, query)}, CASE WHEN devices.display_name IS NOT NULL THEN ${scoreOf(sql`devices.display_name`, query)} END)::float8 AS score
    FROM devices JOIN organizations o ON o.id = devices.org_id
    WHERE devices.id = ANY (${ids}::uuid[])
    ORDER BY score DESC, title, devices.id LIMIT ${limit}`.execute(db)
  return rows
}
