import { can, changes, create, del, flag, get, id, page, pageOf, patch, success, time } from '@muster/kit/contract.ts'
import { z } from 'zod'
import { Severity } from '../../../platform/events/severity.contract.ts'
import { AlertCondition } from '../words.contract.ts'

/** When a monitor raises an alert. */
export const MonitorAlert = z.object({
  id: id(),
  monitorId: id(),
  partnerId: id(),
  orgId: id(),
  condition: AlertCondition,
  threshold: z.number().nullable(),
  consecutive: z.number(),
  severity: Severity,
  channelIds: z.array(id()),
  policyId: id().nullable(),
  enabled: z.boolean(),
  createdAt: time(),
  updatedAt: time(),
})
export type MonitorAlert = z.infer<typeof MonitorAlert>

const threshold = z
  .number()
  .min(1)
  .max(86_400_000)
  .nullable()
  .describe('Milliseconds of responseTime, days of certificate; the other conditions have none')
const consecutive = z.int().min(1).max(100)
const channelIds = z.array(id()).max(20)

/** What a PATCH can change. */
const changeable = {
  threshold,
  consecutive,
  severity: Severity,
  channelIds,
  policyId: id().nullable(),
  enabled: flag(),
}

export const monitorAlerts = {
  listAll: get('/monitors/alerts', {
    summary: 'List the alert rules of all monitors',
    access: can('alerts:read'),
    input: z.object({ orgId: id().optional(), condition: AlertCondition.optional(), ...page }),
    output: pageOf(MonitorAlert),
  }),
  list: get('/monitors/:monitorId/alerts', {
    summary: 'List the alert rules of a monitor',
    access: can('alerts:read'),
    input: z.object({ monitorId: id(), ...page }),
    output: pageOf(MonitorAlert),
  }),
  create: create('/monitors/:monitorId/alerts', {
    summary: 'Create an alert rule of a monitor',
    access: can('alerts:write'),
    audit: 'monitor_alert.create',
    refuses: [409],
    input: z.object({
      monitorId: id(),
      condition: AlertCondition,
      threshold: threshold.default(null),
      consecutive: consecutive.default(1),
      severity: Severity.default('high'),
      channelIds: channelIds.default([]),
      policyId: id().nullable().default(null),
      enabled: flag().default(true),
    }),
    output: MonitorAlert,
  }),
  update: patch('/monitors/alerts/:id', {
    summary: 'Update an alert rule of a monitor',
    access: can('alerts:write'),
    audit: 'monitor_alert.update',
    input: changes({ id: id() }, changeable),
    output: MonitorAlert,
  }),
  remove: del('/monitors/alerts/:id', {
    summary: 'Delete an alert rule of a monitor',
    access: can('alerts:write'),
    audit: 'monitor_alert.delete',
    input: z.object({ id: id() }),
    output: success,
  }),
}
