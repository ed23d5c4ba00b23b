import { isOneOf } from '@muster/db/conditions.ts'
import type { Db } from '@muster/db/database.ts'
import type { Caller } from '@muster/kit/access.ts'
import { notFound } from '@muster/kit/errors.ts'
import { visibleDevices } from '../../../fleet/devices/index.ts'
import { isLimited, reachesWholePartner } from '../../../tenancy/tenancy/index.ts'
import { countsByZone, readable, total } from '../window.queries.ts'
import type { Occurrence } from './occurrences.contract.ts'

/** Occurrences with what their window adds. */
export const selectOccurrences = (db: Db) =>
  db
    .selectFrom('maintenanceOccurrences as o')
    .innerJoin('maintenanceWindows as w', 'w.id', 'o.windowId')
    .select([
      'o.id',
      'o.windowId',
      'o.orgId',
      'o.timezone',
      'o.startsAt',
      'o.endsAt',
      'o.startedAt',
      'o.endedAt',
      'o.status',
      'o.endedBy',
      'o.deviceCount',
      'o.suppressed',
      'o.notReturned',
      'w.name',
      'w.targetSetId',
      'w.timezone as windowTimezone',
    ])

type Row = Awaited<ReturnType<ReturnType<typeof selectOccurrences>['execute']>>[number]

type Counts = Awaited<ReturnType<typeof countsByZone>>

/**
 * Adds the numbers of devices, and hides devices that the caller does not see.
 * @param known the numbers of devices in the target sets, if they have been counted
 */
export async function shown(db: Db, caller: Caller, rows: readonly Row[], known?: Counts): Promise<Occurrence[]> {
  // Noted numbers count all devices of a window at its end.
  const seesPart = ({ orgId }: Row) => isLimited(caller) || (orgId === null && !reachesWholePartner(caller))
  const isCounted = (row: Row) => row.deviceCount === null || row.status === 'active' || seesPart(row)
  const uncounted = rows.filter(isCounted)
  const waiting = [...new Set(uncounted.map(({ targetSetId }) => targetSetId))]
  const counts: Counts = known ?? (waiting.length === 0 ? new Map() : await countsByZone(db, caller, waiting))
  const named = [...new Set(rows.flatMap(({ notReturned }) => notReturned))]
  const seen =
    named.length === 0
      ? []
      : await db
          .selectFrom('devices')
          .select('devices.id')
          .where(isOneOf('devices.id', named))
          .where(visibleDevices(caller))
          .execute()
  const visible = new Set(seen.map(({ id }) => id))
  return rows.map((all) => {
    const { targetSetId, windowTimezone, deviceCount, notReturned, ...row } = all
    const ofSet = counts.get(targetSetId)
    const now = windowTimezone === 'site' ? (ofSet?.get(row.timezone) ?? 0) : total(ofSet)
    return {
      ...row,
      suppressed: suppressedOf(row.suppressed),
      deviceCount: isCounted(all) ? now : (deviceCount ?? now),
      notReturned: notReturned.filter((id) => visible.has(id)),
    }
  })
}

const activities = ['alerts', 'scripts', 'patches', 'automations', 'agentUpdates', 'software', 'reboots'] as const
/** All activities, with zero for those that were not held back. */
export const suppressedOf = (stored: Readonly<Record<string, unknown>>): Occurrence['suppressed'] => {
  const count = (activity: string) => (typeof stored[activity] === 'number' ? stored[activity] : 0)
  const [alerts, scripts, patches, automations, agentUpdates, software, reboots] = activities.map(count)
  return {
    alerts: alerts ?? 0,
    scripts: scripts ?? 0,
    patches: patches ?? 0,
    automations: automations ?? 0,
    agentUpdates: agentUpdates ?? 0,
    software: software ?? 0,
    reboots: reboots ?? 0,
  }
}

/** @throws NOT_FOUND */
export async function occurrenceById(db: Db, caller: Caller, id: string): Promise<Occurrence> {
  const row = await selectOccurrences(db).where('o.id', '=', id).where(readable(caller)).executeTakeFirst()
  if (row === undefined) throw notFound('Occurrence')
  const [occurrence] = await shown(db, caller, [row])
  if (occurrence === undefined) throw notFound('Occurrence')
  return occurrence
}
