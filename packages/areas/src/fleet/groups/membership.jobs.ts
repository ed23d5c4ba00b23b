import { asSystem, type Db } from '@muster/db/database.ts'
import { sql } from 'kysely'
import type pg from 'pg'
import { every, type Job } from '../../background/job.ts'
import { type FieldSource, fields, isFieldName } from '../filter-language/fields.contract.ts'
import { type DynamicGroup, evaluateGroup } from './membership.ts'

/** What changed since a moment, by kind of change and organization. */
interface Touched {
  readonly kind: FieldSource
  readonly orgId: string
  readonly deviceIds: string[]
}

/** The database's clock, so that "since" means the same to every process. Slightly back, because a commit becomes visible after its `now()`. */
async function touchedSince(db: Db, since: string): Promise<Touched[]> {
  const { rows } = await sql<Touched>`
    WITH watched AS (SELECT DISTINCT org_id FROM device_groups WHERE type = 'dynamic')
    SELECT 'device' AS kind, org_id, array_agg(id) AS device_ids FROM devices
      WHERE updated_at > ${since}::timestamptz AND org_id IN (TABLE watched) GROUP BY org_id
    UNION ALL
    SELECT 'state', org_id, array_agg(device_id) FROM device_state
      WHERE (last_seen_at > ${since}::timestamptz OR status_at > ${since}::timestamptz) AND org_id IN (TABLE watched) GROUP BY org_id
    UNION ALL
    SELECT 'inventory', org_id, array_agg(device_id) FROM device_inventory
      WHERE updated_at > ${since}::timestamptz AND org_id IN (TABLE watched) GROUP BY org_id`.execute(db)
  return rows
}

interface Watching extends DynamicGroup {
  readonly fieldsUsed: string[]
}
const dynamicGroups = (db: Db): Promise<Watching[]> =>
  db
    .selectFrom('deviceGroups')
    .select(['id', 'orgId', 'partnerId', 'siteId', 'filter', 'fieldsUsed'])
    .where('type', '=', 'dynamic')
    .execute()

/** Site, lifecycle and organization are looked at by every group. */
const concerns = ({ fieldsUsed }: Watching, kind: FieldSource): boolean =>
  kind === 'device' || fieldsUsed.some((name) => isFieldName(name) && fields[name].source === kind)

/**
 * Brings all dynamic groups in line with the devices that changed since then.
 * @returns the moment to continue from
 */
export async function followDeviceChanges(system: pg.Pool, since: string): Promise<string> {
  const { groups, touched, now } = await asSystem(system, async (db) => {
    const { rows } = await sql<{ now: string }>`SELECT now() - interval '1 second' AS now`.execute(db)
    const groups = await dynamicGroups(db)
    // Without dynamic groups there is nothing to evaluate.
    return { now: rows[0]?.now ?? since, groups, touched: groups.length === 0 ? [] : await touchedSince(db, since) }
  })
  const byOrg = Map.groupBy(touched, (change) => change.orgId)
  const due = groups.flatMap((group) => {
    const changed = (byOrg.get(group.orgId) ?? []).filter((change) => concerns(group, change.kind))
    return changed.length === 0
      ? []
      : [{ group, deviceIds: [...new Set(changed.flatMap((change) => change.deviceIds))] }]
  })
  for (let from = 0; from < due.length; from += groupsAtOnce)
    await evaluateTogether(system, due.slice(from, from + groupsAtOnce))
  return now
}

interface Due {
  readonly group: Watching
  readonly deviceIds: string[]
}

/** In one transaction, whose statements leave without waiting for each other; where one of them fails, each by itself. */
async function evaluateTogether(system: pg.Pool, due: readonly Due[]): Promise<void> {
  const evaluate = (db: Db, { group, deviceIds }: Due) => evaluateGroup(db, group, deviceIds)
  try {
    await asSystem(system, (db) => Promise.all(due.map((each) => evaluate(db, each))))
  } catch {
    for (const each of due) await asSystem(system, (db) => evaluate(db, each))
  }
}

/** Evaluates each filter for all devices. Repairs missed changes, and follows filters whose result depends on the time. */
export async function sweepGroups(system: pg.Pool): Promise<void> {
  for (const group of await asSystem(system, dynamicGroups))
    await asSystem(system, (db) => evaluateGroup(db, group, null))
}

/** Groups per transaction, because a round trip takes longer than most evaluations. */
const groupsAtOnce = 20
const firstLookMs = 60_000

/** Follows device changes again and again, each time from where it got to. What was before its first look is the sweep's. */
export function changeFollower(system: pg.Pool): () => Promise<void> {
  let since = new Date(Date.now() - firstLookMs).toISOString()
  return async () => {
    since = await followDeviceChanges(system, since)
  }
}

/** Dynamic groups follow the change of a device within five seconds. */
export const groupChanges: Job = {
  name: 'group-changes',
  when: { everyMs: 1_500 },
  by: 'one worker',
  begin: ({ pool }) => changeFollower(pool),
}

export const groupSweep = every(60_000, 'group-sweep', ({ pool }) => sweepGroups(pool))
