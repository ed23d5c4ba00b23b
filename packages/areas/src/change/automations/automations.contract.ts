import {
  can,
  changes,
  create,
  del,
  flag,
  get,
  id,
  nameText,
  page,
  pageOf,
  patch,
  success,
  time,
} from '@muster/kit/contract.ts'
import { z } from 'zod'
import { ApprovalSummary } from '../../control/commands/approvals/approval-summary.contract.ts'
import { farReach } from '../../control/commands/commands.contract.ts'
import { FilterExpression } from '../../fleet/filter-language/filter.contract.ts'
import { Action, Actions, OnFailure } from './runs/actions/actions.contract.ts'
import { Trigger, TriggerType } from './triggers/triggers.contract.ts'

export const AutomationStatus = z.enum(['enabled', 'disabled', 'awaiting_approval', 'tripped'])
export type AutomationStatus = z.infer<typeof AutomationStatus>

const description = z.string().trim().max(2_000).nullable()
const conditions = FilterExpression.nullable()

/** What an automation does, and within which limits. */
const work = {
  trigger: Trigger,
  /** The devices of a run match this filter. */
  conditions,
  actions: Actions,
  onFailure: OnFailure,
  /** What becomes of a run while another one with the same devices is open. */
  overlap: z.enum(['skip', 'queue', 'parallel']),
  /** A run with more devices does nothing. */
  maxDevicesPerRun: z.int().min(1).max(10_000),
  maxRunsPerHour: z.int().min(1).max(100_000),
  /** Between the starts of two runs with the same devices. */
  cooldownSeconds: z.int().min(0).max(2_592_000),
  respectMaintenance: flag(),
}

/** Actions that start by themselves, on a schedule, an event or a webhook. Without an organization it is for all devices of the partner. */
export const Automation = z.object({
  id: id(),
  partnerId: id(),
  orgId: id().nullable(),
  name: z.string(),
  description,
  enabled: z.boolean(),
  status: AutomationStatus,
  /** Why it does not run although it is enabled, such as `owner_not_permitted` or `too_many_runs`. */
  statusReason: z.string().nullable(),
  trigger: Trigger,
  conditions,
  actions: z.array(Action),
  onFailure: OnFailure,
  overlap: work.overlap,
  maxDevicesPerRun: z.number(),
  maxRunsPerHour: z.number(),
  cooldownSeconds: z.number(),
  respectMaintenance: z.boolean(),
  /** The versions of scripts that its steps run, until it is enabled or edited again. */
  scripts: z.array(
    z.object({
      /** Of the step. */
      number: z.number(),
      scriptId: id(),
      versionId: id(),
      version: z.number(),
      /** The script has another approved version by now. */
      updateAvailable: z.boolean(),
    }),
  ),
  nextRunAt: time().nullable(),
  lastRunAt: time().nullable(),
  /** In whose name it acts: who enabled it, or changed last what it does. */
  ownerId: id(),
  createdBy: id().nullable(),
  createdAt: time(),
  updatedAt: time(),
})
export type Automation = z.infer<typeof Automation>

const Stored = Automation.extend({
  /** Of the webhook trigger, where it was just made. It is shown only once. */
  secret: z.string().optional(),
  /** Set if the automation waits for a second person, who approves it under `/commands/approvals`. */
  approval: ApprovalSummary.nullable(),
})
const one = { id: id() }

export const automations = {
  list: get('/automations', {
    summary: 'List automations',
    access: can('automations:read'),
    input: z.object({
      orgId: id().optional(),
      status: AutomationStatus.optional(),
      trigger: TriggerType.optional(),
      search: z.string().max(255).optional(),
      ...page,
    }),
    output: pageOf(Automation),
  }),
  create: create('/automations', {
    summary: 'Create an automation. To enable it takes the permissions that its actions need',
    access: can('automations:write'),
    audit: ['automation.create', 'device.command.request'],
    stepUp: farReach,
    input: z.object({
      orgId: id().nullable().default(null),
      partnerId: id().optional(),
      name: nameText(),
      description: description.default(null),
      enabled: flag().default(true),
      trigger: work.trigger,
      conditions: conditions.default(null),
      actions: work.actions,
      onFailure: OnFailure.default('stop'),
      overlap: work.overlap.default('skip'),
      maxDevicesPerRun: work.maxDevicesPerRun.default(100),
      maxRunsPerHour: work.maxRunsPerHour.default(60),
      cooldownSeconds: work.cooldownSeconds.default(0),
      respectMaintenance: flag().default(true),
    }),
    output: Stored,
  }),
  get: get('/automations/:id', {
    summary: 'Get an automation',
    access: can('automations:read'),
    input: z.object(one),
    output: Automation,
  }),
  update: patch('/automations/:id', {
    summary: 'Update an automation, or rotate the secret of its webhook. The previous secret is accepted for 24 hours',
    access: can('automations:write'),
    audit: ['automation.update', 'device.command.request'],
    stepUp: farReach,
    input: changes(one, { name: nameText(), description, enabled: flag(), ...work, rotateSecret: z.literal(true) }),
    output: Stored,
  }),
  remove: del('/automations/:id', {
    summary: 'Delete an automation with its runs. What it has sent to devices goes on',
    access: can('automations:delete'),
    audit: 'automation.delete',
    input: z.object(one),
    output: success,
  }),
}
