import {
  anyone,
  auditedWhen,
  can,
  create,
  csv,
  flag,
  get,
  id,
  page,
  pageOf,
  raw,
  time,
  unaudited,
} from '@muster/kit/contract.ts'
import { z } from 'zod'

export const RunStatus = z.enum(['queued', 'running', 'completed', 'partial', 'failed', 'cancelled', 'skipped'])
export type RunStatus = z.infer<typeof RunStatus>

/** One run of an automation, without its steps. */
export const RunSummary = z.object({
  id: id(),
  automationId: id(),
  partnerId: id(),
  orgId: id().nullable(),
  triggeredBy: z.enum(['schedule', 'event', 'webhook', 'manual']),
  /** What started it, such as the time of a schedule or the id of an event. */
  triggerKey: z.string(),
  status: RunStatus,
  /** Why it did not do everything, such as `too_many_devices`, `overlap` or `missed`. */
  reason: z.string().nullable(),
  dryRun: z.boolean(),
  devices: z.object({ total: z.number(), succeeded: z.number(), failed: z.number(), skipped: z.number() }),
  createdAt: time(),
  startedAt: time().nullable(),
  finishedAt: time().nullable(),
})
export type RunSummary = z.infer<typeof RunSummary>

/** What a step did on one device, or once for all of them. */
const StepDevice = z.object({
  /** Null for what the step does once. */
  deviceId: id().nullable(),
  hostname: z.string().nullable(),
  status: z.enum(['planned', 'pending', 'running', 'succeeded', 'failed', 'skipped']),
  attempt: z.number(),
  commandId: id().nullable(),
  error: z.string().nullable(),
  /** Of a dry run: what would be done. */
  detail: z.record(z.string(), z.json()).nullable(),
})

export const Run = RunSummary.extend({
  steps: z.array(
    z.object({
      number: z.number(),
      type: z.string(),
      status: z.enum(['planned', 'running', 'succeeded', 'partial', 'failed', 'skipped']),
      startedAt: time(),
      finishedAt: time().nullable(),
      /** Up to 500, those that failed first. */
      devices: z.array(StepDevice),
    }),
  ),
  log: z.array(z.object({ at: time(), message: z.string() })),
})
export type Run = z.infer<typeof Run>

export const triggerBytesMax = 262_144

export const runs = {
  list: get('/automations/:id/runs', {
    summary: 'List the runs of an automation, newest first',
    access: can('automations:read'),
    input: z.object({ id: id(), status: csv(RunStatus).optional(), ...page }),
    output: pageOf(RunSummary),
  }),
  get: get('/automations/runs/:runId', {
    summary: 'Get a run with its steps and devices',
    access: can('automations:read'),
    input: z.object({ runId: id() }),
    output: Run,
  }),
  run: create('/automations/:id/run', {
    summary: 'Start an automation now. With `dryRun`, answer with what each device would get, and do nothing',
    access: can('automations:write'),
    audit: auditedWhen('a run starts, or is only tried', 'automation.run', 'automation.dry_run'),
    input: z.object({
      id: id(),
      dryRun: flag().default(false),
      /** These devices, as far as they match the conditions; all that match unless given. */
      deviceIds: csv(id(), 10_000).optional(),
    }),
    output: Run,
  }),
  trigger: raw('POST', '/automations/:id/trigger', {
    summary: 'Start an automation from another program, signed as Standard Webhooks describes or with a credential',
    access: anyone,
    status: 202,
    answers: [200],
    refuses: [400, 401, 403, 404, 409, 413, 428, 429],
    unread: true,
    produces: 'application/json',
    bodyBytesMax: triggerBytesMax,
    audit: unaudited('the worker records each run, with its owner and cause'),
    input: z.object({ id: id() }),
  }),
}
