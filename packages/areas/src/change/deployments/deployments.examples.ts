import type { ExamplesOf } from '../../examples.ts'
import type { course } from './course/course.contract.ts'
import type { deployments } from './deployments.contract.ts'
import type { devices } from './devices/devices.contract.ts'
import type { live } from './live/live-deployments.contract.ts'

declare module '../../examples.ts' {
  interface Stage {
    /** A draft over all devices of the organization of the stage. */
    readonly deployment: string
    /** One whose batches are drawn. */
    readonly readyDeployment: string
    /** One that was started. */
    readonly startedDeployment: string
  }
}

const subject = 'organization'
/** The targets are the whole organization, which limited members do not change. */
const limited = { siteMember: 403, groupMember: 403 }
/** Members who reach none of the devices do not see it. */
const reach = { otherSiteMember: false, otherGroupMember: false }
/** Another caller has taken this step, or the device is not one that failed. */
const answers = [409]
const order = { kind: 'command' as const, type: 'refresh_inventory' as const }

export const deploymentsExamples: ExamplesOf<typeof deployments> = {
  list: { subject, reach, lists: true, input: () => ({ limit: 100 }) },
  create: {
    subject,
    refuses: { ...limited, otherSiteMember: 403, otherGroupMember: 403, otherOrgAdmin: 403, foreignOrgAdmin: 403 },
    input: (stage) => ({
      ...{ orgId: stage.org, name: `Deployment ${stage.fresh()}`, order, targets: { orgIds: [stage.org] } },
      strategy: { batches: [{ count: 1 }, { percent: 100 }], soakSeconds: 60 },
    }),
  },
  get: { subject, reach, input: ({ deployment }) => ({ id: deployment }) },
  update: { subject, reach, refuses: limited, input: ({ deployment }) => ({ id: deployment, description: 'Nightly' }) },
  remove: { subject, reach, refuses: limited, input: ({ deployment }) => ({ id: deployment }) },
  initialize: { subject, reach, refuses: limited, input: ({ deployment }) => ({ id: deployment }) },
}

export const courseExamples: ExamplesOf<typeof course> = {
  start: { subject, reach, refuses: limited, answers, input: ({ readyDeployment }) => ({ id: readyDeployment }) },
  pause: { subject, reach, refuses: limited, answers, input: ({ startedDeployment }) => ({ id: startedDeployment }) },
  resume: { subject, reach, refuses: limited, answers, input: ({ startedDeployment }) => ({ id: startedDeployment }) },
  pass: {
    ...{ subject, reach, refuses: limited, answers },
    input: ({ startedDeployment }) => ({ id: startedDeployment, number: 1 }),
  },
  cancel: { subject, reach, refuses: limited, answers, input: ({ startedDeployment }) => ({ id: startedDeployment }) },
}

export const devicesExamples: ExamplesOf<typeof devices> = {
  list: { subject, reach, hidesSubject: true, input: ({ startedDeployment }) => ({ id: startedDeployment }) },
  retry: {
    ...{ subject, reach, refuses: limited, answers },
    input: ({ startedDeployment, device }) => ({ id: startedDeployment, deviceId: device }),
  },
}

export const liveExamples: ExamplesOf<typeof live> = {
  events: { subject: 'own', input: () => ({}) },
}
