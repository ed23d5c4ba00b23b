import { can, create, get, id, page, pageOf, personCan, post, time } from '@muster/kit/contract.ts'
import { releaseVersion } from '@muster/wire/release.ts'
import { z } from 'zod'

export const RolloutState = z.enum(['running', 'paused', 'halted', 'completed', 'cancelled'])

export const Rollout = z.object({
  id: id(),
  version: z.string(),
  state: RolloutState,
  /** Percent of the fleet that each stage reaches. */
  stages: z.array(z.number()),
  /** The stage that it is in, counted from 1. */
  stage: z.number(),
  stageAt: time(),
  successPercent: z.number(),
  errorPercent: z.number(),
  stageSeconds: z.number(),
  /** Why it halted. */
  reason: z.string().nullable(),
  createdBy: id().nullable(),
  createdAt: time(),
  updatedAt: time(),
})

export const RolloutDetail = Rollout.extend({
  /** The results of the devices to which it offered its version. */
  devices: z.object({ offered: z.number(), succeeded: z.number(), failed: z.number() }),
})

export const firstStagePercentMax = 10
/** Time for a person to see the results of a stage. It cannot be shortened. */
export const stageSecondsMin = 600
const stages = z
  .array(z.int().min(1).max(100))
  .min(2)
  .max(10)
  .refine((given) => given.every((percent, index) => index === 0 || percent > (given[index - 1] ?? 0)), {
    error: 'must grow from stage to stage',
  })
  .refine((given) => (given[0] ?? 0) <= firstStagePercentMax, {
    error: `must begin with at most ${firstStagePercentMax} percent`,
  })
  .refine((given) => given.at(-1) === 100, { error: 'must end with 100 percent' })

export const Stop = z.object({
  stopped: z.boolean(),
  reason: z.string().nullable(),
  byUser: id().nullable(),
  at: time(),
})

const read = can('devices:read', 'system')
const change = personCan('settings:write', 'system')
const one = z.object({ id: id() })
/** Operations that bring a version to devices require a fresh proof; those that stop it do not. */
const proved = { stepUp: 'always' } as const

export const rollouts = {
  list: get('/agent-rollouts', {
    summary: 'List rollouts of agent versions, newest first',
    access: read,
    input: z.object({ ...page, state: RolloutState.optional() }),
    output: pageOf(Rollout),
  }),
  get: get('/agent-rollouts/:id', {
    summary: 'Get a rollout with its results so far',
    access: read,
    input: one,
    output: RolloutDetail,
  }),
  create: create('/agent-rollouts', {
    summary: 'Start a rollout of an agent version to the fleet, stage by stage',
    access: change,
    audit: 'agent_rollout.create',
    ...proved,
    transaction: 'own',
    input: z.object({
      version: releaseVersion,
      stages: stages.default([1, 10, 50, 100]),
      /** Percentage of the reached devices that must run the version before the next stage begins. */
      successPercent: z.int().min(1).max(100).default(95),
      /** The rollout halts if more than this percentage of the reached devices failed. */
      errorPercent: z.number().min(0).max(50).default(2),
      /** Minimum duration of a stage. */
      stageSeconds: z
        .int()
        .min(stageSecondsMin)
        .max(30 * 86_400)
        .default(3_600),
    }),
    output: Rollout,
  }),
  pause: post('/agent-rollouts/:id/pause', {
    summary: 'Pause a rollout. No further devices are offered the version',
    access: change,
    audit: 'agent_rollout.pause',
    transaction: 'own',
    input: one,
    output: Rollout,
  }),
  resume: post('/agent-rollouts/:id/resume', {
    summary: 'Resume a paused or halted rollout. The failures so far are accepted',
    access: change,
    audit: 'agent_rollout.resume',
    ...proved,
    transaction: 'own',
    input: one,
    output: Rollout,
  }),
  cancel: post('/agent-rollouts/:id/cancel', {
    summary: 'Cancel a rollout. Devices keep the version that they run',
    access: change,
    audit: 'agent_rollout.cancel',
    transaction: 'own',
    input: one,
    output: Rollout,
  }),
}

export const stop = {
  get: get('/agent-updates/stop', {
    summary: 'Get whether agent updates are stopped for the installation',
    access: read,
    input: z.object({}),
    output: Stop,
  }),
  set: post('/agent-updates/stop', {
    summary: 'Stop all agent updates at once, including rollouts in progress',
    access: change,
    audit: 'agent_update.stop',
    transaction: 'own',
    input: z.object({ reason: z.string().trim().min(1).max(500) }),
    output: Stop,
  }),
  lift: post('/agent-updates/allow', {
    summary: 'Lift the stop of agent updates',
    access: change,
    audit: 'agent_update.allow',
    ...proved,
    transaction: 'own',
    input: z.object({}),
    output: Stop,
  }),
}
