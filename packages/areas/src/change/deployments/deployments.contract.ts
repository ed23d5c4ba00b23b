import {
  can,
  changes,
  create,
  del,
  get,
  id,
  moment,
  nameText,
  noStepUp,
  page,
  pageOf,
  patch,
  post,
  success,
  time,
} from '@muster/kit/contract.ts'
import { z } from 'zod'
import { DeploymentOrder } from '../../background/deployment-order.contract.ts'
import { namesNothing, Places, SavedTargets, Targets } from '../../fleet/targets/targets.contract.ts'
import { Strategy, StrategyInput } from './batches/strategy.contract.ts'
import { DeploymentOrigin } from './deployment-origin.contract.ts'
import { GateState } from './gates/gate.contract.ts'

export const DeploymentStatus = z.enum([
  'draft',
  'ready',
  'awaiting_approval',
  'scheduled',
  'running',
  'paused',
  'halted',
  'completed',
  'cancelled',
])
export type DeploymentStatus = z.infer<typeof DeploymentStatus>

/** `queued`: its command has not started. `held`: it waits for a maintenance window or to be online. */
export const DeviceStatus = z.enum([
  'pending',
  'held',
  'queued',
  'running',
  'succeeded',
  'failed',
  'skipped',
  'cancelled',
  'expired',
])
export type DeviceStatus = z.infer<typeof DeviceStatus>

/** Devices by status. */
export const Counts = z.object({
  total: z.number(),
  pending: z.number(),
  held: z.number(),
  queued: z.number(),
  running: z.number(),
  succeeded: z.number(),
  failed: z.number(),
  skipped: z.number(),
  cancelled: z.number(),
  expired: z.number(),
})
export type Counts = z.infer<typeof Counts>

/** A staged deployment. Without an organization it belongs to the whole partner. */
export const DeploymentSummary = z.object({
  id: id(),
  partnerId: id(),
  orgId: id().nullable(),
  name: z.string(),
  description: z.string().nullable(),
  order: DeploymentOrder,
  status: DeploymentStatus,
  /** Why it halted or ended early, or what it waits for. */
  reason: z.string().nullable(),
  /** The batch that is under way; 0 before the first. */
  currentBatch: z.number(),
  batchCount: z.number(),
  /** Those that the caller sees. */
  counts: Counts,
  startAt: time().nullable(),
  /** Devices that were not sent the order by then expire. Seven days after the start unless given. */
  deadlineAt: time().nullable(),
  startedAt: time().nullable(),
  endedAt: time().nullable(),
  createdBy: id().nullable(),
  /** The run of an automation that made it; null for deployments of people. */
  origin: DeploymentOrigin.nullable(),
  createdAt: time(),
  updatedAt: time(),
})
export type DeploymentSummary = z.infer<typeof DeploymentSummary>

export const DeploymentBatch = z.object({
  /** From 1. */
  number: z.number(),
  devices: z.number(),
  counts: Counts,
  beganAt: time().nullable(),
  endedAt: time().nullable(),
  /** In the order of the strategy. Empty for the last batch, which no other one follows. */
  gates: z.array(GateState),
})
export type DeploymentBatch = z.infer<typeof DeploymentBatch>

export const Deployment = DeploymentSummary.extend({
  targets: SavedTargets,
  exclude: SavedTargets,
  strategy: Strategy,
  /** Empty until it is initialized. */
  batches: z.array(DeploymentBatch),
})
export type Deployment = z.infer<typeof Deployment>

/** Why these changes take no fresh proof. */
export const namesSecrets = noStepUp('parameters of scripts name secrets; the answer has no value of one')

const description = z.string().trim().max(2_000).nullable()
const named = (targets: Targets) => targets.filter !== undefined || !namesNothing(targets)
const targets = Targets.refine(named, { error: 'must name devices, groups, sites, organizations, tags or a filter' })
const one = { id: id() }

export const deployments = {
  list: get('/deployments', {
    summary: 'List deployments, newest first',
    access: can('automations:read'),
    input: z.object({
      status: DeploymentStatus.optional(),
      orgId: id().optional(),
      search: z.string().max(255).optional(),
      ...page,
    }),
    output: pageOf(DeploymentSummary),
  }),
  create: create('/deployments', {
    summary: 'Create a draft of a deployment for a partner or one organization',
    access: can('automations:write'),
    audit: 'deployment.create',
    stepUp: namesSecrets,
    bodyBytesMax: 2_097_152,
    input: z.object({
      orgId: id().nullable().default(null),
      partnerId: id().optional(),
      name: nameText(),
      description: description.default(null),
      order: DeploymentOrder,
      targets,
      exclude: Places.default({}),
      strategy: StrategyInput.default({}),
      startAt: moment().nullable().default(null),
      deadlineAt: moment().nullable().default(null),
    }),
    output: Deployment,
  }),
  get: get('/deployments/:id', {
    summary: 'Get a deployment with its batches',
    access: can('automations:read'),
    input: z.object(one),
    output: Deployment,
  }),
  update: patch('/deployments/:id', {
    summary:
      'Update a deployment that was not started, which makes it a draft again. Later, only `strategy.maxConcurrency` and `deadlineAt` change',
    access: can('automations:write'),
    audit: 'deployment.update',
    stepUp: namesSecrets,
    bodyBytesMax: 2_097_152,
    input: changes(one, {
      name: nameText(),
      description,
      order: DeploymentOrder,
      targets,
      exclude: Places,
      strategy: StrategyInput,
      startAt: moment().nullable(),
      deadlineAt: moment().nullable(),
    }),
    output: Deployment,
  }),
  remove: del('/deployments/:id', {
    summary: 'Delete a deployment that was not started or has ended',
    access: can('automations:delete'),
    audit: 'deployment.delete',
    input: z.object(one),
    output: success,
  }),
  initialize: post('/deployments/:id/initialize', {
    summary: 'Set the devices and batches of a deployment',
    access: can('automations:write'),
    audit: 'deployment.initialize',
    stepUp: namesSecrets,
    input: z.object(one),
    output: Deployment,
  }),
}
