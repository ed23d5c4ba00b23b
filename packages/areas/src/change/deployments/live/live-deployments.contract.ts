import { can, csv, id, live as stream } from '@muster/kit/contract.ts'
import { z } from 'zod'
import { event, subject } from '../../../platform/live-events/event.contract.ts'

const deployment = subject('deploymentId', { deploymentId: id() })

/** A deployment, one of its batches or one of its devices changed. Carries nothing of it: read it. */
export const deploymentChanged = event('deployment.changed', deployment, {}, { newestOnly: true })

/** Read the deployments: the stream begins, or something changed that was missed. */
const Resync = z.object({ type: z.literal('resync'), at: z.number() })

export const LiveDeployment = z.discriminatedUnion('type', [deploymentChanged.schema, Resync])
export type LiveDeployment = z.infer<typeof LiveDeployment>

export const live = {
  events: stream('/deployments/events', {
    summary:
      'Stream changes of the deployments that you can see, at most one per second for each, starting with `resync`',
    access: can('automations:read'),
    input: z.object({ deploymentIds: csv(id(), 100).optional() }),
    output: LiveDeployment,
  }),
}
