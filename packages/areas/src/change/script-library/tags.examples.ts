import type { ExamplesOf } from '../../examples.ts'
import type { tags } from './tags.contract.ts'

const subject = 'organization'
const limited = { siteMember: 403, otherSiteMember: 403, groupMember: 403, otherGroupMember: 403 }

export const tagsExamples: ExamplesOf<typeof tags> = {
  list: { subject, lists: true, input: () => ({ limit: 100 }) },
  create: {
    subject,
    refuses: { ...limited, otherOrgAdmin: 403, foreignOrgAdmin: 403 },
    input: (stage) => ({ orgId: stage.org, name: `t${stage.fresh()}` }),
  },
  remove: { subject, refuses: limited, input: ({ scriptTag }) => ({ id: scriptTag }) },
}
