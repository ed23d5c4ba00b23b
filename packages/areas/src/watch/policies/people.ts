// Tells people in the console: those whom a step names, or without a policy everyone who sees the alerts.
import type { Db } from '@muster/db/database.ts'
import { sql } from 'kysely'
import type { Severity } from '../../platform/events/severity.contract.ts'
import type { PartnerEvent } from '../../platform/live-events/index.ts'
import { noteMessages } from '../alerts/index.ts'
import { notify } from '../notifications/index.ts'
import type { Step } from './policies.contract.ts'

const priorities = { critical: 'urgent', high: 'high', medium: 'normal', low: 'low', info: 'low' } as const

interface About {
  readonly id: string
  readonly partnerId: string
  readonly orgId: string | null
  readonly policyId: string | null
}

interface Telling {
  readonly kind: string | null
  readonly steps: readonly { readonly step: Step; readonly index: number }[]
}

/** One notification per person and group. Its count grows with each message. */
export async function tellPeople(
  db: Db,
  group: About,
  { kind, steps }: Telling,
  alertIds: readonly string[],
): Promise<PartnerEvent[]> {
  const userIds = [...new Set(steps.flatMap(({ step }) => step.userIds))]
  const roleIds = [...new Set(steps.flatMap(({ step }) => step.roleIds))]
  const isForAll = group.policyId === null
  if (!isForAll && userIds.length + roleIds.length === 0) return []
  const { rows } = await sql<{
    id: string
    orgId: string
    siteId: string | null
    deviceId: string | null
    title: string
    message: string
    severity: Severity
  }>`
    SELECT id, org_id, site_id, device_id, title, message, severity FROM alerts WHERE id = ANY (${[...alertIds]}::uuid[])
    ORDER BY array_position(ARRAY['critical', 'high', 'medium', 'low', 'info'], severity), opened_at`.execute(db)
  const notices = [...Map.groupBy(rows, ({ orgId }) => orgId)].map(([orgId, own]) => ({
    partnerId: group.partnerId,
    orgId,
    type: 'alert' as const,
    plural: 'alerts',
    subjects: own.map(({ id, severity, title, message, siteId, deviceId }) => ({
      priority: priorities[severity],
      title,
      body: message,
      link: { kind: 'alert', id },
      siteId,
      deviceId,
    })),
    key: `alert-group:${group.id}`,
    audience: { permission: 'alerts:read' as const, ...(isForAll ? {} : { userIds, roleIds }) },
  }))
  const events = await notify(db, notices)
  const [{ index = null } = {}] = steps
  const to = `${events.length} ${events.length === 1 ? 'person' : 'people'} in the console`
  if (events.length > 0) await noteMessages(db, [{ alertIds, details: { to, kind, step: index, status: 'sent' } }])
  return events
}
