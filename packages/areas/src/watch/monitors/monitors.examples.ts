import type { ExamplesOf } from '../../examples.ts'
import type { monitors } from './monitors.contract.ts'

declare module '../../examples.ts' {
  interface Stage {
    /** A monitor of the site of the stage. */
    readonly monitor: string
    /** Its rule for alerts. */
    readonly monitorAlert: string
  }
}

const subject = 'site'
/** Members limited to groups see no monitors. */
const refuses = { groupMember: 404, otherGroupMember: 404 }
const reach = { groupMember: false, otherGroupMember: false }

export const monitorsExamples: ExamplesOf<typeof monitors> = {
  list: { subject, lists: true, reach, input: () => ({ limit: 100 }) },
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
      siteId: stage.site,
      name: stage.fresh(),
      type: 'tcp' as const,
      target: 'printer.example.com',
      config: { port: 443 },
    }),
  },
  dashboard: { subject, lists: true, reach, hidesSubject: true, input: () => ({}) },
  get: { subject, refuses, input: ({ monitor }) => ({ id: monitor }) },
  update: { subject, refuses, input: ({ monitor }) => ({ id: monitor, intervalSeconds: 90 }) },
  remove: { subject, refuses, input: ({ monitor }) => ({ id: monitor }) },
  // No agent is connected on the stage.
  check: { subject, refuses, answers: [409], input: ({ monitor }) => ({ id: monitor }) },
  test: { subject, refuses, answers: [409], input: ({ monitor }) => ({ id: monitor, timeoutSeconds: 3 }) },
  results: { subject, refuses, hidesSubject: true, input: ({ monitor }) => ({ id: monitor }) },
}
