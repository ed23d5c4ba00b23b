import type { Db } from '@muster/db/database.ts'
import type { Tables } from '@muster/db/tables.ts'
import type { Selectable } from 'kysely'
import { emitAll, eventOf } from '../../../platform/events/index.ts'
import { liveEvent, type PartnerEvent } from '../../../platform/live-events/index.ts'
import type { Alert } from '../alerts.contract.ts'
import {
  alertAcknowledgedEvent,
  alertOpenedEvent,
  alertReopenedEvent,
  alertResolvedEvent,
  alertSuppressedEvent,
} from '../alerts-events.contract.ts'
import {
  alertAcknowledged,
  alertOpened,
  alertReopened,
  alertResolved,
  alertSuppressed,
} from '../live-alerts.contract.ts'

export type StoredAlert = Selectable<Tables['alerts']>

/** Maps a database row to an alert of the contract. */
export function asAlert(row: StoredAlert): Alert {
  const { suppressionKind: kind, suppressionId: id, suppressionReason: reason } = row
  return {
    id: row.id,
    orgId: row.orgId,
    siteId: row.siteId,
    deviceId: row.deviceId,
    ruleId: row.ruleId,
    monitorId: row.monitorId,
    source: row.source,
    severity: row.severity,
    status: row.status,
    title: row.title,
    message: row.message,
    context: row.context,
    openedAt: row.openedAt,
    lastChangedAt: row.lastChangedAt,
    acknowledgedAt: row.acknowledgedAt,
    acknowledgedBy: row.acknowledgedBy,
    acknowledgedUntil: row.status === 'acknowledged' ? row.acknowledgedUntil : null,
    resolvedAt: row.resolvedAt,
    resolvedBy: row.resolvedBy,
    resolution: row.resolution,
    suppressedUntil: row.suppressedUntil,
    suppression: kind === null ? null : { kind, id, reason },
    occurrences: row.occurrences,
    flapping: row.flapping,
    groupId: row.groupId,
  }
}

/** What happened to an alert, as events name it. */
export type AlertChange = 'opened' | 'acknowledged' | 'resolved' | 'suppressed' | 'reopened'

const kinds = {
  opened: { stored: alertOpenedEvent, live: alertOpened },
  acknowledged: { stored: alertAcknowledgedEvent, live: alertAcknowledged },
  resolved: { stored: alertResolvedEvent, live: alertResolved },
  suppressed: { stored: alertSuppressedEvent, live: alertSuppressed },
  reopened: { stored: alertReopenedEvent, live: alertReopened },
} as const

/** An alert that changed, and how. */
export interface Changed {
  readonly change: AlertChange
  readonly alert: StoredAlert
}

/** Stores the events of changes in the open transaction. @returns the live events to publish after the commit */
export async function emitChanges(db: Db, changes: readonly Changed[]): Promise<PartnerEvent[]> {
  await emitAll(
    db,
    changes.map(({ change, alert }) => {
      const { partnerId, orgId, siteId, deviceId, lastChangedAt: at } = alert
      const { id: alertId, ruleId, source, severity, status, title, message, occurrences } = alert
      const data = { alertId, ruleId, source, severity, status, title, message, occurrences }
      return eventOf(kinds[change].stored, { partnerId, orgId, siteId, deviceId, at, data })
    }),
  )
  return changes.map(({ change, alert }) => {
    const { partnerId, orgId, siteId, deviceId, id: alertId, ruleId, source, severity, status, title } = alert
    const at = Date.parse(alert.lastChangedAt)
    return liveEvent(kinds[change].live, partnerId, {
      orgId,
      siteId,
      deviceId,
      alertId,
      at,
      ruleId,
      source,
      severity,
      status,
      title,
    })
  })
}
