// Changes of alerts that Muster makes without a request: audit records, stored events and live events.
import type { Db } from '@muster/db/database.ts'
import { recordAsSystem, type SystemRecord } from '../../../platform/audit/index.ts'
import type { PartnerEvent } from '../../../platform/live-events/index.ts'
import { type Changed, emitChanges } from './stored-alert.ts'

/** More changes at once are recorded together, so that a storm does not wait for its audit records. */
const singleMax = 100
/** The search for an id finds it among this many. */
const togetherMax = 150

const actions = {
  opened: 'alert.open',
  reopened: 'alert.reopen',
  suppressed: 'alert.suppress',
  resolved: 'alert.resolve',
  acknowledged: 'alert.acknowledge',
} as const

type Details = Readonly<Record<string, unknown>>

function recordOf({ change, alert }: Changed, details: Details): SystemRecord {
  const { status, severity, source, ruleId, monitorId, deviceId, suppressionKind: suppression, resolution } = alert
  const about = { status, severity, source, ruleId, monitorId, deviceId, suppression, resolution }
  return {
    action: actions[change],
    target: alert.id,
    name: alert.title,
    orgId: alert.orgId,
    partnerId: alert.partnerId,
    details: { ...Object.fromEntries(Object.entries(about).filter(([, value]) => value !== null)), ...details },
  }
}

function* recordsTogether(changes: readonly Changed[], details: Details): Generator<SystemRecord> {
  const groups = Map.groupBy(changes, ({ change, alert }) => `${change} ${alert.orgId}`)
  for (const group of groups.values())
    for (let from = 0; from < group.length; from += togetherMax) {
      const part = group.slice(from, from + togetherMax)
      const [first] = part
      if (first === undefined) continue
      const { orgId, partnerId } = first.alert
      const ruleIds = [...new Set(part.flatMap(({ alert }) => alert.ruleId ?? []))].slice(0, 20)
      const alertIds = part.map(({ alert }) => alert.id)
      yield {
        action: actions[first.change],
        target: orgId,
        name: `${part.length} alerts`,
        orgId,
        partnerId,
        details: { count: part.length, alertIds, ruleIds, ...details },
      }
    }
}

/** Records and announces changes in the open transaction. @returns the live events to publish after the commit */
export async function emitSystemChanges(
  db: Db,
  changes: readonly Changed[],
  details: Details = {},
): Promise<PartnerEvent[]> {
  await recordAsSystem(
    db,
    changes.length > singleMax
      ? [...recordsTogether(changes, details)]
      : changes.map((change) => recordOf(change, details)),
  )
  return emitChanges(db, changes)
}
