import {
  ask,
  auditedWhen,
  can,
  create,
  csv,
  flag,
  get,
  id,
  live,
  moment,
  page,
  pageOf,
  post,
  time,
} from '@muster/kit/contract.ts'
import { z } from 'zod'
import { ApprovalSummary } from '../../../control/commands/approvals/approval-summary.contract.ts'
import {
  CommandStatus,
  expiresInSeconds,
  farReach,
  idempotencyKey,
  SkipReason,
} from '../../../control/commands/commands.contract.ts'
import { OutputEvent } from '../../../control/commands/output/output.contract.ts'
import { Origin } from '../../../control/commands/plans/origin.contract.ts'
import { namesNothing, Places, Targets } from '../../../fleet/targets/targets.contract.ts'
import { StrategyInput } from '../../deployments/batches/strategy.contract.ts'
import { ScriptSeverity } from '../exit-codes.contract.ts'
import { ParameterValue } from '../parameters.contract.ts'
import { namesSecrets, RunAs, versionInput } from '../scripts.contract.ts'

/** What the commands of a run do the work of. It stands with their approval. */
export const ScriptSubject = z.object({
  kind: z.literal('script'),
  id: id(),
  versionId: id(),
  version: z.number(),
  sha256: z.string(),
  /** With the defaults; secrets and fields by their names. */
  parameters: z.record(z.string(), ParameterValue),
})
export type ScriptSubject = z.infer<typeof ScriptSubject>

/** The run of a script on one device, without its output. */
export const ExecutionSummary = z.object({
  id: id(),
  partnerId: id(),
  orgId: id(),
  scriptId: id(),
  /** Null where the caller does not see the script. */
  scriptName: z.string().nullable(),
  versionId: id(),
  version: z.number(),
  /** Of the content that was sent. */
  sha256: z.string(),
  deviceId: id(),
  hostname: z.string(),
  commandId: id(),
  batchId: id().nullable(),
  /** That of the command. */
  status: CommandStatus,
  /** By the exit code, once it has ended. Null for runs that were canceled or expired. */
  severity: ScriptSeverity.nullable(),
  exitCode: z.number().nullable(),
  error: z.string().nullable(),
  /** Secrets and fields by their names. */
  parameters: z.record(z.string(), ParameterValue),
  /** The deployment, automation or policy that sent it; null for runs of people. */
  origin: Origin.nullable(),
  createdBy: id().nullable(),
  createdAt: time(),
  startedAt: time().nullable(),
  finishedAt: time().nullable(),
})
export type ExecutionSummary = z.infer<typeof ExecutionSummary>

export const Execution = ExecutionSummary.extend({
  stdout: z
    .string()
    .nullable()
    .describe('Null, as `stderr` and `customFields` are, for callers without the permission to run scripts.'),
  stderr: z.string().nullable(),
  /** Which custom fields the output set, and which were refused. */
  customFields: z
    .object({
      set: z.record(z.string(), z.json()),
      refused: z.array(z.object({ field: z.string(), reason: z.string() })),
    })
    .nullable(),
})
export type Execution = z.infer<typeof Execution>

const skippedDevices = z.object({ deviceId: id(), reason: SkipReason })
const failedDevices = z.object({ deviceId: id(), code: z.string(), message: z.string() })
const namesNoDevices = 'Name devices, groups, sites, organizations, tags or a filter'

/** What a run is, and for which devices. */
const planned = {
  id: id(),
  ...Targets.shape,
  exclude: Places.default({}),
  parameters: z.record(z.string().max(63), ParameterValue).default({}),
  /** Of the script unless given, as the fields below. */
  args: versionInput.args.optional(),
  /** The approved version unless given. */
  versionId: id().optional(),
  runAs: RunAs.optional(),
  timeoutSeconds: versionInput.timeoutSeconds.optional(),
  /** Whether maintenance windows hold the script back. Sending it anyway is on record. */
  respectMaintenance: flag().default(true),
}

const bytes = z.coerce.number().int().min(0).max(1_048_576).default(0)

export const executions = {
  execute: create('/scripts/:id/execute', {
    summary: 'Run a script on devices. With `waitMs`, the response waits for the end on one device or that time',
    access: can('scripts:execute'),
    audit: auditedWhen(
      'a device was sent the script, or a second person is asked',
      'device.command.bulk',
      'device.command.request',
      'deployment.start',
    ),
    stepUp: farReach,
    bodyBytesMax: 2_097_152,
    input: z
      .object({
        ...planned,
        expiresInSeconds,
        idempotencyKey,
        waitMs: z.int().min(0).max(60_000).default(0),
        /** Makes and starts a deployment, which sends the script in batches. `deploymentId` names it. */
        strategy: StrategyInput.optional(),
        /** Makes a deployment too, which sends the script to all devices at this time. Until then it can be canceled. */
        startAt: moment().optional(),
      })
      .refine((given) => given.filter !== undefined || !namesNothing(given), { error: namesNoDevices }),
    output: z.object({
      /** Identifies the commands of this request; null if there are none. */
      batchId: id().nullable(),
      executions: z.array(Execution),
      skipped: z.array(skippedDevices),
      failed: z.array(failedDevices),
      /** Set if nothing was sent yet because a second person must approve it under `/commands/approvals`. */
      approval: ApprovalSummary.nullable(),
      /** With `strategy` or `startAt`: the deployment, which sends the script later. */
      deploymentId: id().nullable(),
    }),
  }),
  preview: ask('/scripts/:id/execute/preview', {
    summary: 'Preview which devices a run would reach, without sending anything',
    access: can('scripts:execute'),
    input: z
      .object(planned)
      .refine((given) => given.filter !== undefined || !namesNothing(given), { error: namesNoDevices }),
    output: z.object({
      /** That would get the script. Maintenance windows are judged when it is sent. */
      devices: z.number(),
      organizations: z.number(),
      skipped: z.array(z.object({ reason: SkipReason, devices: z.number() })),
      failed: z.array(failedDevices),
    }),
  }),
  list: get('/scripts/:id/executions', {
    summary: 'List the runs of a script, newest first, without their output',
    access: can('scripts:read'),
    input: z.object({
      id: id(),
      status: csv(CommandStatus).optional(),
      severity: csv(ScriptSeverity).optional(),
      deviceId: id().optional(),
      ...page,
    }),
    output: pageOf(ExecutionSummary),
  }),
  get: get('/scripts/executions/:id', {
    summary: 'Get the run of a script with its output',
    access: can('scripts:read'),
    input: z.object({ id: id() }),
    output: Execution,
  }),
  cancel: post('/scripts/executions/:id/cancel', {
    summary: 'Cancel the run of a script. A running one is asked to stop',
    access: can('scripts:execute'),
    audit: 'device.command.cancel',
    stepUp: namesSecrets,
    input: z.object({ id: id() }),
    output: Execution,
  }),
  output: live('/scripts/executions/:id/output', {
    summary: 'Stream the output of a run from the given offsets until it ends',
    access: can('scripts:execute'),
    input: z.object({ id: id(), stdout: bytes, stderr: bytes }),
    output: OutputEvent,
  }),
}
