import {
  ask,
  auditedWhen,
  can,
  changes,
  create,
  csv,
  del,
  flag,
  get,
  id,
  nameText,
  page,
  pageOf,
  patch,
  post,
  success,
  time,
} from '@muster/kit/contract.ts'
import { z } from 'zod'
import { Severity } from '../../platform/events/severity.contract.ts'
import { AlertSource } from '../alerts/words.contract.ts'

const ids = csv(id(), 500).optional()

/** Which alerts a policy is about. What is left out matches all. */
export const Match = z.strictObject({
  severities: csv(Severity).optional(),
  orgIds: ids,
  siteIds: ids,
  groupIds: ids,
  ruleIds: ids,
  tags: csv(z.string().max(100), 100).optional(),
  sources: csv(AlertSource).optional(),
  /** By the business hours of the partner. */
  hours: z.enum(['business', 'after']).optional(),
})
export type Match = z.infer<typeof Match>

const recipients = z.array(id()).max(50).default([])

/** Who is told so long after the group began. */
export const Step = z.strictObject({
  afterMinutes: z.int().min(0).max(10_080).default(0),
  channelIds: recipients,
  userIds: recipients,
  roleIds: recipients,
})
export type Step = z.infer<typeof Step>

export const GroupKey = z.enum(['organization', 'site', 'rule', 'device', 'severity'])
export type GroupKey = z.infer<typeof GroupKey>

const name = nameText()
const fields = {
  name,
  enabled: flag(),
  order: z.int().min(0).max(10_000),
  match: Match,
  groupBy: z.array(GroupKey).max(5),
  groupWaitSeconds: z.int().min(1).max(3_600),
  groupIntervalSeconds: z.int().min(5).max(86_400),
  repeatIntervalSeconds: z.int().min(60).max(604_800),
  steps: z.array(Step).max(10),
  loops: z.int().min(0).max(5),
  continue: flag(),
}

/** Decides who is told about which alerts, and how they are grouped. */
export const AlertPolicy = z.object({
  id: id(),
  partnerId: id(),
  orgId: id().nullable(),
  ...fields,
  enabled: z.boolean(),
  continue: z.boolean(),
  createdAt: time(),
  updatedAt: time(),
})
export type AlertPolicy = z.infer<typeof AlertPolicy>

export const policies = {
  list: get('/alerts/policies', {
    summary: 'List alert policies in the order in which they apply',
    access: can('alerts:read'),
    input: z.object({ orgId: id().optional(), ...page }),
    output: pageOf(AlertPolicy),
  }),
  create: create('/alerts/policies', {
    summary: 'Create an alert policy for a partner or one organization',
    access: can('alerts:write'),
    audit: 'alert_policy.create',
    input: z.object({
      orgId: id().nullable().default(null),
      partnerId: id().optional(),
      name,
      enabled: fields.enabled.default(true),
      order: fields.order.default(0),
      match: Match.default({}),
      groupBy: fields.groupBy.default(['organization', 'rule']),
      groupWaitSeconds: fields.groupWaitSeconds.default(30),
      groupIntervalSeconds: fields.groupIntervalSeconds.default(300),
      repeatIntervalSeconds: fields.repeatIntervalSeconds.default(14_400),
      steps: fields.steps.default([]),
      loops: fields.loops.default(0),
      continue: fields.continue.default(false),
    }),
    output: AlertPolicy,
  }),
  preview: ask('/alerts/policies/preview', {
    summary: 'Preview who would hear of an alert, and when',
    access: can('alerts:read'),
    hiddenAs: 403,
    input: z.object({
      orgId: id(),
      siteId: id().nullable().default(null),
      deviceId: id().nullable().default(null),
      ruleId: id().nullable().default(null),
      severity: Severity,
      source: AlertSource.default('rule'),
    }),
    output: z.object({
      /** Empty: no policy applies, and people who see the alert are notified in the console. */
      routes: z.array(
        z.object({ policyId: id(), name: z.string(), orgId: id().nullable(), steps: z.array(Step), loops: z.number() }),
      ),
    }),
  }),
  reorder: post('/alerts/policies/reorder', {
    summary: 'Set the order of the alert policies of a partner or one organization. Policies that are left out follow',
    access: can('alerts:write'),
    audit: auditedWhen('the order changed', 'alert_policy.update'),
    input: z.object({ ids: z.array(id()).min(1).max(1_000).describe('Policies of one owner, the first one first.') }),
    output: z.object({ data: z.array(AlertPolicy) }),
  }),
  update: patch('/alerts/policies/:id', {
    summary: 'Update an alert policy. Groups that are open follow it with their next message',
    access: can('alerts:write'),
    audit: 'alert_policy.update',
    input: changes({ id: id() }, fields),
    output: AlertPolicy,
  }),
  remove: del('/alerts/policies/:id', {
    summary: 'Delete an alert policy that no rule names',
    access: can('alerts:write'),
    audit: 'alert_policy.delete',
    input: z.object({ id: id() }),
    output: success,
  }),
}
