import { auditedWhen, can, csv, get, id, live, moment, page, pageOf, post, time } from '@muster/kit/contract.ts'
import { z } from 'zod'
import { Severity } from '../../platform/events/severity.contract.ts'
import {
  alertAcknowledged,
  alertOpened,
  alertReopened,
  alertResolved,
  alertSuppressed,
} from './live-alerts.contract.ts'
import { AlertSource, AlertStatus, OpenStatus } from './words.contract.ts'

const note = z.string().trim().max(2_000).optional()

export const Suppression = z.object({
  kind: z.enum(['maintenance', 'dependency', 'user', 'rule']),
  id: id().nullable(),
  reason: z.string().nullable(),
})

/** A problem of a device, a site or Muster itself. */
export const Alert = z.object({
  id: id(),
  orgId: id(),
  siteId: id().nullable(),
  deviceId: id().nullable(),
  ruleId: id().nullable(),
  monitorId: id().nullable(),
  source: AlertSource,
  severity: Severity,
  status: AlertStatus,
  title: z.string(),
  message: z.string(),
  context: z.record(z.string(), z.json()),
  openedAt: time(),
  lastChangedAt: time(),
  acknowledgedAt: time().nullable(),
  acknowledgedBy: id().nullable(),
  /** The alert is active again then. Null: it stays acknowledged until it is resolved. */
  acknowledgedUntil: time().nullable(),
  resolvedAt: time().nullable(),
  resolvedBy: id().nullable(),
  resolution: z.enum(['auto', 'manual', 'rule_changed', 'rule_disabled', 'rule_deleted', 'device_removed']).nullable(),
  suppressedUntil: time().nullable(),
  suppression: Suppression.nullable(),
  /** How often the condition became true since the alert was opened. */
  occurrences: z.number(),
  flapping: z.boolean(),
  groupId: id().nullable(),
})
export type Alert = z.infer<typeof Alert>

const TimelineEntry = z.object({
  at: time(),
  kind: z.enum([
    'opened',
    'repeated',
    'reopened',
    'acknowledged',
    'suppressed',
    'activated',
    'resolved',
    'cleared',
    'message',
  ]),
  actorId: id().nullable(),
  actorName: z.string().nullable(),
  note: z.string().nullable(),
  details: z.record(z.string(), z.json()),
})
export type TimelineEntry = z.infer<typeof TimelineEntry>

/** Why the alert exists, who was told, and why others were not. */
export const Explanation = z.object({
  /** The figures that the condition reads, up to the opening. Of a filter, the fields with the values that matched. */
  samples: z.array(
    z.object({ at: time(), metric: z.string(), value: z.union([z.number(), z.string(), z.boolean()]).nullable() }),
  ),
  threshold: z.number().nullable(),
  ruleVersion: z.number().nullable(),
  policyId: id().nullable(),
  messages: z.array(
    z.object({ at: time(), to: z.string(), kind: z.string(), step: z.number().nullable(), status: z.string() }),
  ),
  /** Why no message was sent, if none was. */
  noMessage: z.string().nullable(),
})
export type Explanation = z.infer<typeof Explanation>

export const AlertDetail = Alert.extend({ timeline: z.array(TimelineEntry), explanation: Explanation })
export type AlertDetail = z.infer<typeof AlertDetail>

const counts = <Key extends z.ZodEnum>(key: Key) => z.record(key, z.number())

const suppressFields = {
  until: moment().optional(),
  durationMinutes: z.int().min(1).max(525_600).optional(),
  reason: z.string().trim().max(500).optional(),
}

export const BulkAction = z.enum(['acknowledge', 'resolve', 'suppress'])

const choice = {
  status: csv(AlertStatus).optional(),
  severity: csv(Severity).optional(),
  source: csv(AlertSource).optional(),
  orgId: id().optional(),
  siteId: id().optional(),
  deviceId: id().optional(),
  ruleId: id().optional(),
  groupId: id().optional(),
  search: z.string().max(255).optional(),
  from: moment().optional(),
  to: moment().optional(),
}

/** Read the list: the stream begins, or events were missed. */
const Resync = z.object({ type: z.literal('resync'), at: z.number() })
export const AlertEvent = z.discriminatedUnion('type', [
  alertOpened.schema,
  alertAcknowledged.schema,
  alertResolved.schema,
  alertSuppressed.schema,
  alertReopened.schema,
  Resync,
])
export type AlertEvent = z.infer<typeof AlertEvent>

export const alerts = {
  list: get('/alerts', {
    summary: 'List alerts, the latest first',
    access: can('alerts:read'),
    input: z.object({
      ...choice,
      sort: z.enum(['openedAt', 'severity', 'lastChangedAt']).default('openedAt'),
      sortDir: z.enum(['asc', 'desc']).default('desc'),
      ...page,
    }),
    output: pageOf(Alert),
  }),
  summary: get('/alerts/summary', {
    summary: 'Get the number of open alerts, and how fast alerts are acknowledged and resolved',
    access: can('alerts:read'),
    input: z.object({ orgId: id().optional(), siteId: id().optional() }),
    output: z.object({
      /** Alerts that are not resolved. */
      total: z.number(),
      byStatus: counts(OpenStatus),
      bySeverity: counts(Severity),
      byOrganization: z.array(z.object({ orgId: id(), orgName: z.string(), total: z.number() })),
      opened24h: z.number(),
      resolved24h: z.number(),
      mttaSeconds: z.number().nullable(),
      mttrSeconds: z.number().nullable(),
    }),
  }),
  events: live('/alerts/events', {
    summary: 'Stream events of the alerts that you can see, starting with `resync`',
    access: can('alerts:read'),
    input: z.object({
      orgIds: csv(id()).optional(),
      siteIds: csv(id()).optional(),
      deviceIds: csv(id(), 5_000).optional(),
    }),
    output: AlertEvent,
  }),
  get: get('/alerts/:id', {
    summary: 'Get an alert with its timeline and explanation',
    access: can('alerts:read'),
    input: z.object({ id: id() }),
    output: AlertDetail,
  }),
  acknowledge: post('/alerts/:id/acknowledge', {
    summary: 'Acknowledge an alert, until it is resolved or until a time',
    access: can('alerts:acknowledge'),
    audit: 'alert.acknowledge',
    input: z.object({ id: id(), note, until: moment().optional() }),
    output: Alert,
  }),
  resolve: post('/alerts/:id/resolve', {
    summary: 'Resolve an alert. It stays quiet until its condition was false once',
    access: can('alerts:acknowledge'),
    audit: 'alert.resolve',
    input: z.object({ id: id(), note }),
    output: Alert,
  }),
  suppress: post('/alerts/:id/suppress', {
    summary: 'Suppress an alert, until it is resolved or until a time',
    access: can('alerts:acknowledge'),
    audit: 'alert.suppress',
    input: z.object({ id: id(), ...suppressFields }),
    output: Alert,
  }),
  bulk: post('/alerts/bulk', {
    summary: 'Change up to 500 alerts: acknowledge, resolve or suppress them',
    access: can('alerts:acknowledge'),
    audit: auditedWhen('an alert changed', 'alert.acknowledge', 'alert.resolve', 'alert.suppress'),
    input: z.object({ ids: z.array(id()).min(1).max(500), action: BulkAction, note, ...suppressFields }),
    output: z.object({
      changed: z.array(id()),
      skipped: z.array(z.object({ id: id(), reason: z.enum(['NOT_FOUND', 'CONFLICT']), message: z.string() })),
    }),
  }),
}
