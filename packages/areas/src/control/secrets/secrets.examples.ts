import type { ExamplesOf } from '../../examples.ts'
import type { secrets } from './secrets.contract.ts'

declare module '../../examples.ts' {
  interface Stage {
    /** A secret of the organization of the stage. */
    readonly secret: string
  }
}

const subject = 'organization'
/** A secret concerns the whole organization. */
const hidden = { siteMember: false, otherSiteMember: false, groupMember: false, otherGroupMember: false }
const limited = { siteMember: 403, otherSiteMember: 403, groupMember: 403, otherGroupMember: 403 }

export const secretsExamples: ExamplesOf<typeof secrets> = {
  list: { subject, lists: true, reach: hidden, input: () => ({ limit: 100 }) },
  create: {
    subject,
    refuses: { ...limited, otherOrgAdmin: 403, foreignOrgAdmin: 403 },
    input: ({ org, fresh }) => ({ orgId: org, name: `secret-${fresh()}`, value: 'a value' }),
  },
  update: { subject, reach: hidden, input: ({ secret }) => ({ id: secret, description: 'Of the backup' }) },
  remove: { subject, reach: hidden, input: ({ secret }) => ({ id: secret }) },
}
