import {
  can,
  changes,
  create,
  csv,
  del,
  get,
  id,
  nameText,
  page,
  pageOf,
  patch,
  post,
  put,
  success,
  time,
} from '@muster/kit/contract.ts'
import { z } from 'zod'
import { ApprovalSummary } from '../../control/commands/approvals/approval-summary.contract.ts'
import { farReach } from '../../control/commands/commands.contract.ts'
import { FilterExpression } from '../../fleet/filter-language/filter.contract.ts'
import { Counts } from './compliance/counts.contract.ts'
import { Level } from './resolve/levels.contract.ts'
import { Rules } from './rules/rules.contract.ts'
import { Settings } from './settings/settings.contract.ts'

export const PolicyStatus = z.enum(['draft', 'active', 'inactive', 'awaiting_approval'])
/** `monitor` notes which devices do not comply, `warn` also opens alerts about them, `enforce` also repairs them. */
export const PolicyMode = z.enum(['monitor', 'warn', 'enforce'])
export type PolicyMode = z.infer<typeof PolicyMode>
export const OsType = z.enum(['linux', 'windows', 'macos'])

/** A place, a group or a device. The id of the level `partner` is that of the partner. */
export const Assignment = z.object({ level: Level, id: id() })
export type Assignment = z.infer<typeof Assignment>

/** What devices have to be like. Without an organization it belongs to the partner. */
export const Policy = z.object({
  id: id(),
  partnerId: id(),
  orgId: id().nullable(),
  name: z.string(),
  description: z.string().nullable(),
  status: PolicyStatus,
  mode: PolicyMode,
  priority: z.number(),
  assignments: z.array(Assignment),
  exclude: z.array(Assignment),
  osTypes: z.array(OsType),
  filter: FilterExpression.nullable(),
  settings: Settings,
  rules: Rules,
  maxRemediationsPerHour: z.number(),
  /** Why the policy repairs nothing until a person remediates; null unless it enforces. */
  held: z.enum(['mass_change', 'owner_not_permitted']).nullable(),
  /** Of the devices that the caller sees. */
  counts: Counts,
  createdBy: id().nullable(),
  createdAt: time(),
  updatedAt: time(),
})
export type Policy = z.infer<typeof Policy>

const assignments = z.array(Assignment).max(10_000)
const description = z.string().trim().max(2_000).nullable()
const osTypes = z.array(OsType).max(3)
/** The greater one precedes among policies of one level. */
const priority = z.int().min(0).max(10_000)

const maxRemediationsPerHour = z.int().min(1).max(10_000)

const changeable = {
  name: nameText(),
  description,
  mode: PolicyMode,
  priority,
  assignments,
  exclude: assignments,
  osTypes,
  filter: FilterExpression.nullable(),
  settings: Settings,
  rules: Rules,
  maxRemediationsPerHour,
}
const whole = {
  name: changeable.name,
  description: description.default(null),
  mode: PolicyMode.default('monitor'),
  priority: priority.default(100),
  assignments: assignments.default([]),
  exclude: assignments.default([]),
  osTypes: osTypes.default([]),
  filter: FilterExpression.nullable().default(null),
  settings: Settings.default({}),
  rules: Rules.default([]),
  maxRemediationsPerHour: maxRemediationsPerHour.default(100),
}
const one = z.object({ id: id() })
/** Set if a second person has to approve what the policy would do. */
const Enforced = Policy.extend({ approval: ApprovalSummary.nullable() })

export const policies = {
  list: get('/policies', {
    summary: 'List configuration policies',
    access: can('devices:read'),
    input: z.object({
      search: z.string().max(255).optional(),
      status: csv(PolicyStatus).optional(),
      mode: csv(PolicyMode).optional(),
      orgId: id().optional(),
      ...page,
    }),
    output: pageOf(Policy),
  }),
  create: create('/policies', {
    summary: 'Create a configuration policy for a partner or one organization',
    access: can('settings:write'),
    audit: 'policy.create',
    input: z.object({ orgId: id().nullable().default(null), partnerId: id().optional(), ...whole }),
    output: Policy,
  }),
  get: get('/policies/:id', {
    summary: 'Get a configuration policy',
    access: can('devices:read'),
    input: one,
    output: Policy,
  }),
  replace: put('/policies/:id', {
    summary: 'Replace a configuration policy. Fields that are left out get their defaults',
    access: can('settings:write'),
    audit: ['policy.update', 'device.command.request'],
    stepUp: farReach,
    input: z.object({ id: id(), ...whole }),
    output: Enforced,
  }),
  update: patch('/policies/:id', {
    summary: 'Update a configuration policy. Devices are evaluated for an active one within seconds',
    access: can('settings:write'),
    audit: ['policy.update', 'device.command.request'],
    stepUp: farReach,
    input: changes({ id: id() }, changeable),
    output: Enforced,
  }),
  remove: del('/policies/:id', {
    summary: 'Delete a configuration policy, and resolve its alerts',
    access: can('settings:write'),
    audit: 'policy.delete',
    input: one,
    output: success,
  }),
  activate: post('/policies/:id/activate', {
    summary: 'Enable a configuration policy that has rules or settings',
    access: can('settings:write'),
    audit: ['policy.activate', 'device.command.request'],
    stepUp: farReach,
    input: one,
    output: Enforced,
  }),
  deactivate: post('/policies/:id/deactivate', {
    summary: 'Disable a configuration policy, and resolve its alerts',
    access: can('settings:write'),
    audit: 'policy.deactivate',
    input: one,
    output: Policy,
  }),
}
