import type { ExamplesOf } from '../../examples.ts'
import type { alertChannels } from './channels.contract.ts'

declare module '../../examples.ts' {
  interface Stage {
    readonly alertChannel: string
  }
}

const subject = 'organization'
/** A channel tells of the whole organization. */
const reach = { siteMember: false, otherSiteMember: false, groupMember: false, otherGroupMember: false }
const limited = { siteMember: 403, otherSiteMember: 403, groupMember: 403, otherGroupMember: 403 }

export const channelsExamples: ExamplesOf<typeof alertChannels> = {
  list: { subject, lists: true, reach, input: () => ({ limit: 100 }) },
  create: {
    subject,
    refuses: { ...limited, otherOrgAdmin: 403, foreignOrgAdmin: 403 },
    input: ({ org, fresh }) => ({
      orgId: org,
      name: `Channel ${fresh()}`,
      type: 'email' as const,
      config: { to: ['ann@example.test'] },
    }),
  },
  update: { subject, reach, input: ({ alertChannel }) => ({ id: alertChannel, enabled: true }) },
  remove: { subject, reach, input: ({ alertChannel }) => ({ id: alertChannel }) },
  test: { subject, reach, input: ({ alertChannel }) => ({ id: alertChannel }) },
}
