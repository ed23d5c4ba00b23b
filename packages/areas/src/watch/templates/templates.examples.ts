import type { ExamplesOf } from '../../examples.ts'
import type { templates } from './templates.contract.ts'

declare module '../../examples.ts' {
  interface Stage {
    /** A template of the organization of the stage. */
    readonly alertTemplate: string
  }
}

const subject = 'organization'
/** A template concerns every rule of its organization. */
const limited = { siteMember: 403, otherSiteMember: 403, groupMember: 403, otherGroupMember: 403 }

export const templatesExamples: ExamplesOf<typeof templates> = {
  list: { subject, lists: true, input: () => ({ limit: 100 }) },
  builtIn: { subject: 'own', input: () => ({ limit: 100 }) },
  create: {
    subject,
    refuses: { ...limited, otherOrgAdmin: 403, foreignOrgAdmin: 403 },
    input: (stage) => ({
      orgId: stage.org,
      key: `t${stage.fresh()}`,
      name: 'Busy',
      severity: 'high' as const,
      conditions: { kind: 'metric', metric: 'cpuPercent', operator: 'gt', threshold: { parameter: 'threshold' } },
      parameters: [{ name: 'threshold', type: 'number' as const, default: 90, min: 1, max: 100 }],
    }),
  },
  update: {
    subject,
    refuses: limited,
    input: ({ alertTemplate }) => ({ id: alertTemplate, severity: 'low' as const }),
  },
  remove: { subject, refuses: limited, input: ({ alertTemplate }) => ({ id: alertTemplate }) },
}
