import {
  ask,
  can,
  changes,
  create,
  csv,
  del,
  flag,
  get,
  id,
  moment,
  nameText,
  page,
  pageOf,
  patch,
  success,
  time,
} from '@muster/kit/contract.ts'
import { z } from 'zod'
import { Places, Targets } from '../../../fleet/targets/targets.contract.ts'
import { Severity } from '../../../platform/events/severity.contract.ts'
import { ConditionsInput } from './conditions.contract.ts'
import { ruleFields, shownRuleFields } from './rule-fields.contract.ts'
import { RuleTest, TestInput, testHours } from './rule-test.contract.ts'

const name = nameText()
const parameters = z.record(z.string().max(100), z.union([z.string().max(500), z.number(), z.boolean()]))

/** What raises alerts, for the devices that it targets. Without an organization it applies to the whole partner. */
export const AlertRule = z.object({
  id: id(),
  partnerId: id(),
  orgId: id().nullable(),
  name: z.string(),
  enabled: z.boolean(),
  ...shownRuleFields,
  targets: Targets,
  exclude: Places,
  snoozedUntil: time().nullable(),
  templateId: id().nullable(),
  parameters: z.record(z.string(), z.json()),
  /** Fields that do not follow the template. */
  overrides: z.array(z.string()),
  version: z.number(),
  openAlerts: z.number(),
  createdAt: time(),
  updatedAt: time(),
})
export type AlertRule = z.infer<typeof AlertRule>

/** What a PATCH can change. */
const changeable = {
  name,
  enabled: flag(),
  ...ruleFields,
  targets: Targets,
  exclude: Places,
  conditions: ConditionsInput,
  snoozedUntil: moment().nullable(),
  templateId: id().nullable(),
  parameters,
}

export const rules = {
  list: get('/alerts/rules', {
    summary: 'List alert rules',
    access: can('alerts:read'),
    input: z.object({
      orgId: id().optional(),
      enabled: flag().optional(),
      severity: csv(Severity).optional(),
      search: z.string().max(255).optional(),
      ...page,
    }),
    output: pageOf(AlertRule),
  }),
  create: create('/alerts/rules', {
    summary: 'Create an alert rule for a partner or one organization',
    access: can('alerts:write'),
    audit: 'alert_rule.create',
    input: z.object({
      orgId: id().nullable().default(null),
      partnerId: id().optional(),
      /** Without a template, a rule needs a name, a severity and conditions. */
      name: name.optional(),
      enabled: flag().default(true),
      ...z.object(ruleFields).partial().shape,
      targets: Targets.default({}),
      exclude: Places.default({}),
      conditions: ConditionsInput.optional(),
      snoozedUntil: moment().nullable().default(null),
      templateId: id().nullable().default(null),
      parameters: parameters.default({}),
    }),
    output: AlertRule,
  }),
  get: get('/alerts/rules/:id', {
    summary: 'Get an alert rule',
    access: can('alerts:read'),
    input: z.object({ id: id() }),
    output: AlertRule,
  }),
  update: patch('/alerts/rules/:id', {
    summary: 'Update an alert rule. Workers apply the change within 5 seconds',
    access: can('alerts:write'),
    audit: 'alert_rule.update',
    input: changes({ id: id() }, changeable),
    output: AlertRule,
  }),
  remove: del('/alerts/rules/:id', {
    summary: 'Delete an alert rule, and resolve its alerts',
    access: can('alerts:write'),
    audit: 'alert_rule.delete',
    input: z.object({ id: id() }),
    output: success,
  }),
  test: ask('/alerts/rules/:id/test', {
    summary: 'Test what an alert rule would do now, and would have done. Nothing is opened',
    access: can('alerts:read'),
    input: TestInput,
    output: RuleTest,
  }),
  preview: ask('/alerts/rules/preview', {
    summary: 'Test a rule that is not saved. Nothing is opened',
    access: can('alerts:write'),
    hiddenAs: 403,
    input: z.object({
      orgId: id().nullable().default(null),
      partnerId: id().optional(),
      targets: Targets.default({}),
      exclude: Places.default({}),
      /** Without a template, conditions are needed. */
      conditions: ConditionsInput.optional(),
      templateId: id().nullable().default(null),
      parameters: parameters.default({}),
      forSeconds: ruleFields.forSeconds.optional(),
      clearForSeconds: ruleFields.clearForSeconds.optional(),
      reopenSeconds: ruleFields.reopenSeconds.optional(),
      policyId: id().nullable().optional().describe('Its groups and times count for the messages.'),
      deviceId: id().optional(),
      hours: testHours,
    }),
    output: RuleTest,
  }),
}
