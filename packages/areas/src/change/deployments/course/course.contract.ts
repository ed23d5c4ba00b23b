// The course of a deployment: it is started, paused, resumed, passed at its gates and canceled.
import { auditedWhen, can, flag, id, post } from '@muster/kit/contract.ts'
import { z } from 'zod'
import { ApprovalSummary } from '../../../control/commands/approvals/approval-summary.contract.ts'
import { farReach } from '../../../control/commands/commands.contract.ts'
import { Deployment, namesSecrets } from '../deployments.contract.ts'

/** Set if it waits until a second person approves it under `/commands/approvals`. */
export const approval = ApprovalSummary.nullable()
const Started = Deployment.extend({ approval })
const one = { id: id() }

export const course = {
  start: post('/deployments/:id/start', {
    summary: 'Start a deployment that is ready, now or at its `startAt`',
    access: can('automations:write'),
    audit: auditedWhen('it starts, or a second person is asked', 'deployment.start', 'device.command.request'),
    stepUp: farReach,
    input: z.object(one),
    output: Started,
  }),
  pause: post('/deployments/:id/pause', {
    summary: 'Pause a deployment. Devices that were sent the order finish it',
    access: can('automations:write'),
    audit: 'deployment.pause',
    stepUp: namesSecrets,
    input: z.object(one),
    output: Deployment,
  }),
  resume: post('/deployments/:id/resume', {
    summary: 'Resume a deployment that is paused or halted, and accept the failures so far',
    access: can('automations:write'),
    audit: auditedWhen('it goes on, or a second person is asked', 'deployment.resume', 'device.command.request'),
    stepUp: farReach,
    input: z.object(one),
    output: Started,
  }),
  pass: post('/deployments/:id/batches/:number/pass', {
    summary: 'Approve a batch whose gates wait for a person, so that the next batch can begin',
    access: can('automations:write'),
    audit: 'deployment.pass',
    stepUp: farReach,
    input: z.object({ ...one, number: z.coerce.number().int().min(1) }),
    output: Deployment,
  }),
  cancel: post('/deployments/:id/cancel', {
    summary: 'Cancel a deployment. Devices that work on the order finish it, unless `stopRunning` is true',
    access: can('automations:write'),
    audit: 'deployment.cancel',
    stepUp: namesSecrets,
    input: z.object({ ...one, stopRunning: flag().default(false) }),
    output: Deployment,
  }),
}
