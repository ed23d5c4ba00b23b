import type { ExamplesOf } from '../../examples.ts'
import type { automations } from './automations.contract.ts'
import type { runs } from './runs/runs.contract.ts'

declare module '../../examples.ts' {
  interface Stage {
    readonly automation: string
    readonly automationRun: string
  }
}

const subject = 'organization'
/** An automation acts on the whole organization. */
const hidden = { siteMember: false, otherSiteMember: false, groupMember: false, otherGroupMember: false }
const limited = { siteMember: 403, otherSiteMember: 403, groupMember: 403, otherGroupMember: 403 }

const restarts = [{ type: 'command' as const, command: 'reboot' as const }]

export const automationsExamples: ExamplesOf<typeof automations> = {
  list: { subject, lists: true, reach: hidden, input: () => ({ limit: 100 }) },
  create: {
    subject,
    refuses: { ...limited, otherOrgAdmin: 403, foreignOrgAdmin: 403 },
    input: ({ org, fresh }) => ({
      ...{ orgId: org, name: `Automation ${fresh()}`, trigger: { type: 'manual' } },
      actions: [{ type: 'add_tag', tag: 'automated' }],
    }),
    proves: ({ org, fresh }) => ({
      ...{ orgId: org, name: `Automation ${fresh()}`, trigger: { type: 'manual' } },
      ...{ actions: restarts, maxDevicesPerRun: 101 },
    }),
  },
  get: { subject, reach: hidden, input: ({ automation }) => ({ id: automation }) },
  update: {
    ...{ subject, reach: hidden },
    input: ({ automation }) => ({ id: automation, cooldownSeconds: 5 }),
    proves: ({ automation }) => ({ id: automation, actions: restarts, maxDevicesPerRun: 101 }),
  },
  remove: { subject, reach: hidden, input: ({ automation }) => ({ id: automation }) },
}

export const runsExamples: ExamplesOf<typeof runs> = {
  list: { subject, reach: hidden, hidesSubject: true, input: ({ automation }) => ({ id: automation, limit: 100 }) },
  get: { subject, reach: hidden, hidesSubject: true, input: ({ automationRun }) => ({ runId: automationRun }) },
  run: { subject, reach: hidden, input: ({ automation }) => ({ id: automation, dryRun: true }) },
  // A public operation: it knows no caller, and admits those with a credential itself.
  trigger: { subject, input: ({ automation }) => ({ id: automation }), answers: [401, 403, 404, 428] },
}
