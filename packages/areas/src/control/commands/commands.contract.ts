import {
  auditedWhen,
  can,
  create,
  csv,
  flag,
  get,
  id,
  jsonObject,
  page,
  pageOf,
  post,
  stepUpWhen,
  time,
} from '@muster/kit/contract.ts'
import { z } from 'zod'
import { namesNothing, Places, Targets } from '../../fleet/targets/targets.contract.ts'
import { ApprovalSummary } from './approvals/approval-summary.contract.ts'

export const CommandStatus = z.enum([
  'pending',
  'sent',
  'running',
  'completed',
  'failed',
  'timed_out',
  'cancelled',
  'expired',
])
export type CommandStatus = z.infer<typeof CommandStatus>

/** Commands that can wait for their device. command-registry.ts has their rules. */
export const QueuedCommand = z.enum([
  'refresh_inventory',
  'run_script',
  'set_auto_update',
  'reboot',
  'shutdown',
  'start_service',
  'stop_service',
  'restart_service',
  'run_task',
  'enable_task',
  'disable_task',
  'set_registry_value',
  'delete_registry_value',
  'create_registry_key',
  'delete_registry_key',
])
export type QueuedCommand = z.infer<typeof QueuedCommand>
/** Commands that only a connected device can answer. */
const InteractiveCommand = z.enum([
  'list_processes',
  'get_process',
  'kill_process',
  'list_services',
  'get_service',
  'list_files',
  'read_file',
  'write_file',
  'list_event_logs',
  'get_event_log',
  'list_events',
  'get_event',
  'list_tasks',
  'get_task',
  'get_task_history',
  'list_registry_keys',
  'list_registry_values',
  'get_registry_value',
  'run_check',
])
/** All commands of agents. */
export type CommandName = QueuedCommand | z.infer<typeof InteractiveCommand>

/** A command in lists, without its payload and result. */
export const CommandSummary = z.object({
  id: id(),
  deviceId: id(),
  orgId: id(),
  type: z.string(),
  status: CommandStatus,
  exitCode: z.number().nullable(),
  error: z.string().nullable(),
  timeoutMs: z.number(),
  createdBy: id().nullable(),
  /** Of the bulk request that created it. */
  batchId: id().nullable(),
  createdAt: time(),
  sentAt: time().nullable(),
  startedAt: time().nullable(),
  finishedAt: time().nullable(),
  expiresAt: time(),
  updatedAt: time(),
})
export type CommandSummary = z.infer<typeof CommandSummary>

const anyObject = z.record(z.string(), z.json())

export const Command = CommandSummary.extend({
  payload: anyObject,
  result: anyObject.nullable(),
  stdout: z.string().nullable(),
  stderr: z.string().nullable(),
})
export type Command = z.infer<typeof Command>

export const ShownCommand = Command.extend({
  payload: anyObject
    .nullable()
    .describe(
      'Null, as `result`, `stdout` and `stderr` are, for callers without the permission that sending it takes.',
    ),
})
export type ShownCommand = z.infer<typeof ShownCommand>

/** Why a bulk request skipped a device. */
export const SkipReason = z.enum([
  'already_pending',
  'provisioned',
  'quarantined',
  'decommissioned',
  'organization_suspended',
  'agent_too_old',
  'unsupported_platform',
  'missing_tool',
  'not_permitted',
  'maintenance',
  'missing_secret',
  'scripts_not_allowed',
  'set_by_policy',
])
export type SkipReason = z.infer<typeof SkipReason>

const payloadBytesMax = 600 * 1024
/** More devices per request answer 413. */
export const bulkDevicesMax = 10_000

/** Chosen by the caller. A repeated request with the same key returns the commands of the first one. */
export const idempotencyKey = z
  .string()
  .regex(/^[\x21-\x7e]{8,200}$/, { error: 'must be 8 to 200 printable characters' })
  .optional()
/** How long a command waits for a device that is offline. */
export const expiresInSeconds = z
  .int()
  .min(5)
  .max(30 * 86_400)
  .optional()
/** For commands and system tools: see blast-radius.ts. */
export const farReach = stepUpWhen('the caller reaches many devices within minutes, or several organizations at once')

const order = {
  type: QueuedCommand,
  payload: jsonObject(payloadBytesMax)
    .default({})
    .describe(
      'Of run_script: `{ script, language?: bash | sh | python | powershell, args?, env?, workingDirectory?, runAs?: system | user, runAsUser?, secrets? }`, ' +
        'where `secrets` names a secret for each variable. ' +
        'Of reboot and shutdown: `{ delaySeconds?, message?, dryRun? }`. Of set_auto_update: `{ enabled }`. ' +
        'Of start_service, stop_service, restart_service: `{ name }`. Of run_task, enable_task, disable_task: `{ path }`. ' +
        'Of refresh_inventory: nothing.',
    ),
  /** How long the device may take once it has started. */
  timeoutMs: z.int().min(1_000).max(86_400_000).optional(),
  expiresInSeconds,
  /** Whether maintenance windows hold the command back: scripts, restarts, shutdowns. Sending it anyway is on record. */
  respectMaintenance: flag().default(true),
}

/** The progress of the commands of one request. */
export const BatchProgress = z.object({
  batchId: id(),
  type: z.string(),
  createdAt: time(),
  total: z.number(),
  /** How many have ended, in any way. */
  ended: z.number(),
  byStatus: z.partialRecord(CommandStatus, z.number()),
})
export type BatchProgress = z.infer<typeof BatchProgress>

/** A command of a bulk request, with its device. */
export const BatchCommand = CommandSummary.extend({
  hostname: z.string(),
  displayName: z.string().nullable(),
  orgName: z.string(),
})
export type BatchCommand = z.infer<typeof BatchCommand>

export const commands = {
  progress: get('/devices/bulk/commands/:batchId', {
    summary: 'Get the progress and results of a bulk command on the devices that you can see',
    access: can('devices:read'),
    input: z.object({ batchId: id(), status: csv(CommandStatus).optional(), ...page }),
    output: BatchProgress.extend({ commands: z.array(BatchCommand) }),
  }),
  list: get('/devices/:id/commands', {
    summary: 'List the commands of a device, newest first',
    access: can('devices:read'),
    input: z.object({ id: id(), status: csv(CommandStatus).optional(), type: QueuedCommand.optional(), ...page }),
    output: pageOf(CommandSummary),
  }),
  get: get('/devices/:id/commands/:commandId', {
    summary: 'Get a command with its payload and result',
    access: can('devices:read'),
    input: z.object({ id: id(), commandId: id() }),
    output: ShownCommand,
  }),
  create: create('/devices/:id/commands', {
    summary: 'Send a command to a device. With `waitMs`, the response waits for the end of the command or that time',
    access: can('devices:execute'),
    audit: 'device.command',
    stepUp: farReach,
    input: z.object({
      id: id(),
      ...order,
      idempotencyKey,
      waitMs: z.int().min(0).max(60_000).default(0),
    }),
    output: Command,
  }),
  cancel: post('/devices/:id/commands/:commandId/cancel', {
    summary: 'Cancel a command. A running command is asked to stop',
    access: can('devices:execute'),
    audit: 'device.command.cancel',
    input: z.object({ id: id(), commandId: id() }),
    output: CommandSummary,
  }),
  bulk: create('/devices/bulk/commands', {
    summary: 'Send a command to many devices',
    access: can('devices:execute'),
    audit: auditedWhen(
      'a device was sent a command, or a second person is asked',
      'device.command.bulk',
      'device.command.request',
    ),
    stepUp: farReach,
    bodyBytesMax: 2_097_152,
    input: z
      .object({
        ...Targets.shape,
        exclude: Places.default({}),
        ...order,
        idempotencyKey,
      })
      .refine((given) => given.filter !== undefined || !namesNothing(given), {
        error: 'Name devices, groups, sites, organizations, tags or a filter',
      }),
    output: z.object({
      /** Identifies the commands of this request; null if there are none. */
      batchId: id().nullable(),
      commands: z.array(CommandSummary),
      skipped: z.array(z.object({ deviceId: id(), reason: SkipReason })),
      failed: z.array(z.object({ deviceId: id(), code: z.string(), message: z.string() })),
      /** Set if nothing was sent yet because a second person must approve it under `/commands/approvals`. */
      approval: ApprovalSummary.nullable(),
    }),
  }),
}
