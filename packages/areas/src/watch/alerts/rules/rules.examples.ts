import type { ExamplesOf } from '../../../examples.ts'
import type { rules } from './rules.contract.ts'

declare module '../../../examples.ts' {
  interface Stage {
    /** A rule for the site of the stage. */
    readonly alertRule: string
  }
}

const conditions = { kind: 'metric', metric: 'cpuPercent', operator: 'gt', threshold: 90 } as const
const subject = 'site'
/** A member limited to groups does not see rules of a site. */
const refuses = { groupMember: 404, otherGroupMember: 404 }

export const rulesExamples: ExamplesOf<typeof rules> = {
  list: { subject, lists: true, reach: { groupMember: false, otherGroupMember: false }, input: () => ({ limit: 100 }) },
  create: {
    subject,
    refuses: {
      groupMember: 403,
      otherGroupMember: 403,
      otherSiteMember: 400,
      otherOrgAdmin: 403,
      foreignOrgAdmin: 403,
    },
    input: (stage) => ({
      orgId: stage.org,
      name: stage.fresh(),
      severity: 'high' as const,
      targets: { siteIds: [stage.site] },
      conditions,
    }),
  },
  get: { subject, refuses, input: ({ alertRule }) => ({ id: alertRule }) },
  update: { subject, refuses, input: ({ alertRule }) => ({ id: alertRule, severity: 'low' as const }) },
  remove: { subject, refuses, input: ({ alertRule }) => ({ id: alertRule }) },
  test: { subject, refuses, hidesSubject: true, input: ({ alertRule }) => ({ id: alertRule, hours: 1 }) },
  preview: {
    subject,
    hidesSubject: true,
    refuses: {
      groupMember: 403,
      otherGroupMember: 403,
      otherSiteMember: 400,
      otherOrgAdmin: 403,
      foreignOrgAdmin: 403,
    },
    input: (stage) => ({ orgId: stage.org, targets: { siteIds: [stage.site] }, conditions, hours: 1 }),
  },
}
