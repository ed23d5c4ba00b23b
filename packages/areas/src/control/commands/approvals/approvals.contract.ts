import { can, get, id, page, pageOf, personCan, post, put, stepUpWhen, success, time } from '@muster/kit/contract.ts'
import { z } from 'zod'
import { CommandSummary, SkipReason } from '../commands.contract.ts'
import { ApprovalStatus, ApprovalSummary } from './approval-summary.contract.ts'

export const Approval = ApprovalSummary.extend({
  payload: z
    .record(z.string(), z.json())
    .nullable()
    .describe(
      'Of a plan, such as a deployment: its content. Null for callers without the permission that it takes, unless they asked for it.',
    ),
  /** Whether a script waits for maintenance windows. */
  respectMaintenance: z.boolean(),
  /** Null for plans, as the next. */
  timeoutMs: z.number().nullable(),
  expiresInSeconds: z.number().nullable(),
  /** Empty for plans that find their devices later. */
  deviceIds: z.array(id()),
  /** Of the requested command. The approval names it, so that what was shown is what is approved. */
  hash: z.string(),
})
export type Approval = z.infer<typeof Approval>

const one = { id: id() }
const decide = personCan('devices:execute')

/** Whether a second person is required, and a pending request to turn that off, which takes effect at `endsAt` unless withdrawn. */
const Requirement = z.object({
  required: z.boolean(),
  turnOff: z.object({ requestedBy: id(), requestedAt: time(), endsAt: time() }).nullable(),
})

export const approvals = {
  list: get('/commands/approvals', {
    summary: 'List commands and plans that need or needed the approval of a second person, newest first',
    access: can('devices:execute'),
    input: z.object({ status: ApprovalStatus.optional(), ...page }),
    output: pageOf(ApprovalSummary),
  }),
  get: get('/commands/approvals/:id', {
    summary: 'Get the command or plan that awaits approval and its devices',
    access: can('devices:execute'),
    input: z.object(one),
    output: Approval,
  }),
  approve: post('/commands/approvals/:id/approve', {
    summary:
      'Approve and send a command, or start a plan, as the second person. The requester cannot approve. `hash` is that of the request as it was shown',
    access: decide,
    audit: ['device.command.approve', 'device.command.bulk'],
    stepUp: 'always',
    input: z.object({ ...one, hash: z.string().max(100) }),
    output: z.object({
      approval: ApprovalSummary,
      commands: z.array(CommandSummary),
      skipped: z.array(z.object({ deviceId: id(), reason: SkipReason })),
    }),
  }),
  refuse: post('/commands/approvals/:id/refuse', {
    summary: 'Refuse the request of another user, or withdraw your own',
    access: decide,
    audit: 'device.command.refuse',
    stepUp: stepUpWhen('another person asked for it'),
    input: z.object({ ...one, reason: z.string().trim().max(500).nullable().default(null) }),
    output: ApprovalSummary,
  }),
  required: get('/commands/second-person', {
    summary: 'Get whether commands beyond the blast radius need a second person, and until when',
    access: can('devices:read', 'partner'),
    input: z.object({}),
    output: Requirement,
  }),
  require: put('/commands/second-person', {
    summary:
      'Set whether commands beyond the blast radius need a second person. Turning it off takes 24 hours, or the ' +
      'same request by another member; `required: true` withdraws it',
    access: personCan('settings:write', 'partner'),
    audit: 'partner.settings.update',
    stepUp: stepUpWhen('it is turned off'),
    input: z.object({ required: z.boolean() }),
    output: success.extend(Requirement.shape),
  }),
}
