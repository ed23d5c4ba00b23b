// Keeps what filters choose in line with the devices: members of dynamic groups, and matching devices of target sets.
import { asSystem, type Db } from '@muster/db/database.ts'
import { sql } from 'kysely'
import type pg from 'pg'
import { every, type Job } from '../../background/job.ts'
import { type FieldSource, fields, isFieldName } from '../filter-language/fields.contract.ts'
import { dynamicGroups } from '../groups/index.ts'
import { filteredSets } from './filter-members.ts'

/** A filter whose result is stored. */
interface FollowedFilter {
  readonly partnerId: string
  /** Null for a filter over all devices of the partner. */
  readonly orgId: string | null
  readonly fieldsUsed: readonly string[]
  /** Brings the stored result in line for these devices, or for all. */
  evaluate(db: Db, deviceIds: readonly string[] | null): Promise<unknown>
}

const followedFilters = async (db: Db): Promise<FollowedFilter[]> => {
  const [groups, sets] = await Promise.all([dynamicGroups(db), filteredSets(db)])
  return [...groups, ...sets]
}

/** What changed since a moment, by kind of change and organization. */
interface Touched {
  readonly kind: FieldSource
  readonly partnerId: string
  readonly orgId: string
  readonly deviceIds: string[]
}

/** The database's clock, so that "since" means the same to every process. Slightly back, because a commit becomes visible after its `now()`. */
async function touchedSince(db: Db, since: string, filters: readonly FollowedFilter[]): Promise<Touched[]> {
  const orgIds = [...new Set(filters.flatMap(({ orgId }) => orgId ?? []))]
  const partnerIds = [...new Set(filters.flatMap(({ orgId, partnerId }) => (orgId === null ? [partnerId] : [])))]
  const { rows } = await sql<Touched>`
    WITH watched AS (
      SELECT unnest(${orgIds}::uuid[]) AS org_id UNION SELECT id FROM organizations WHERE partner_id = ANY (${partnerIds}::uuid[]))
    SELECT 'device' AS kind, partner_id, org_id, array_agg(id) AS device_ids FROM devices
      WHERE updated_at > ${since}::timestamptz AND org_id IN (TABLE watched) GROUP BY partner_id, org_id
    UNION ALL
    SELECT 'state', partner_id, org_id, array_agg(device_id) FROM device_state
      WHERE (last_seen_at > ${since}::timestamptz OR status_at > ${since}::timestamptz) AND org_id IN (TABLE watched)
      GROUP BY partner_id, org_id
    UNION ALL
    SELECT 'inventory', partner_id, org_id, array_agg(device_id) FROM device_inventory
      WHERE updated_at > ${since}::timestamptz AND org_id IN (TABLE watched) GROUP BY partner_id, org_id`.execute(db)
  return rows
}

/** Site, lifecycle and organization are looked at by every filter. */
const concerns = ({ orgId, partnerId, fieldsUsed }: FollowedFilter, change: Touched): boolean =>
  (orgId === null ? partnerId === change.partnerId : orgId === change.orgId) &&
  (change.kind === 'device' || fieldsUsed.some((name) => isFieldName(name) && fields[name].source === change.kind))

/**
 * Brings all followed filters in line with the devices that changed since then.
 * @returns the moment to continue from
 */
export async function followDeviceChanges(system: pg.Pool, since: string): Promise<string> {
  const { filters, touched, now } = await asSystem(system, async (db) => {
    const { rows } = await sql<{ now: string }>`SELECT now() - interval '1 second' AS now`.execute(db)
    const filters = await followedFilters(db)
    // Without filters there is nothing to evaluate.
    return {
      now: rows[0]?.now ?? since,
      filters,
      touched: filters.length === 0 ? [] : await touchedSince(db, since, filters),
    }
  })
  const due = filters.flatMap((filter): Due[] => {
    const changed = touched.filter((change) => concerns(filter, change))
    return changed.length === 0
      ? []
      : [{ filter, deviceIds: [...new Set(changed.flatMap((change) => change.deviceIds))] }]
  })
  for (let from = 0; from < due.length; from += filtersAtOnce)
    await evaluateTogether(system, due.slice(from, from + filtersAtOnce))
  return now
}

interface Due {
  readonly filter: FollowedFilter
  readonly deviceIds: string[]
}

/** In one transaction, whose statements leave without waiting for each other; where one of them fails, each by itself. */
async function evaluateTogether(system: pg.Pool, due: readonly Due[]): Promise<void> {
  const evaluate = (db: Db, { filter, deviceIds }: Due) => filter.evaluate(db, deviceIds)
  try {
    await asSystem(system, (db) => Promise.all(due.map((each) => evaluate(db, each))))
  } catch {
    for (const each of due) await asSystem(system, (db) => evaluate(db, each))
  }
}

/** Evaluates each filter for all devices. Repairs missed changes, and follows filters whose result depends on the time. */
export async function sweepFilters(system: pg.Pool): Promise<void> {
  for (const filter of await asSystem(system, followedFilters))
    await asSystem(system, (db) => filter.evaluate(db, null))
}

/** Filters per transaction, because a round trip takes longer than most evaluations. */
const filtersAtOnce = 20
const firstLookMs = 60_000

/** Follows device changes again and again, each time from where it got to. What was before its first look is the sweep's. */
function changeFollower(system: pg.Pool): () => Promise<void> {
  let since = new Date(Date.now() - firstLookMs).toISOString()
  return async () => {
    since = await followDeviceChanges(system, since)
  }
}

/** Dynamic groups and target sets follow the change of a device within five seconds. */
export const filterChanges: Job = {
  name: 'filter-changes',
  when: { everyMs: 1_500 },
  by: 'one worker',
  begin: ({ pool }) => changeFollower(pool),
}

export const filterSweep = every(60_000, 'filter-sweep', ({ pool }) => sweepFilters(pool))
