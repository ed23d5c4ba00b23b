import type { ExamplesOf } from '../../examples.ts'
import type { policies } from './policies.contract.ts'

declare module '../../examples.ts' {
  interface Stage {
    readonly alertPolicy: string
  }
}

const subject = 'organization'
/** A policy names places and people of the whole organization. */
const limited = { siteMember: 403, otherSiteMember: 403, groupMember: 403, otherGroupMember: 403 }

export const policiesExamples: ExamplesOf<typeof policies> = {
  list: { subject, lists: true, refuses: limited, input: () => ({ limit: 100 }) },
  create: {
    subject,
    refuses: { ...limited, otherOrgAdmin: 403, foreignOrgAdmin: 403 },
    input: (stage) => ({ orgId: stage.org, name: stage.fresh(), match: { severities: ['critical' as const] } }),
  },
  preview: { subject, refuses: limited, input: ({ org }) => ({ orgId: org, severity: 'critical' as const }) },
  reorder: { subject, refuses: limited, input: ({ alertPolicy }) => ({ ids: [alertPolicy] }) },
  update: { subject, refuses: limited, input: ({ alertPolicy }) => ({ id: alertPolicy, order: 2 }) },
  remove: { subject, refuses: limited, input: ({ alertPolicy }) => ({ id: alertPolicy }) },
}
