import type { ExamplesOf } from '../../examples.ts'
import type { categories } from './categories.contract.ts'

declare module '../../examples.ts' {
  interface Stage {
    /** A category of the organization of the stage. */
    readonly scriptCategory: string
    /** A tag of the same organization. */
    readonly scriptTag: string
  }
}

const subject = 'organization'
const limited = { siteMember: 403, otherSiteMember: 403, groupMember: 403, otherGroupMember: 403 }

export const categoriesExamples: ExamplesOf<typeof categories> = {
  list: { subject, lists: true, input: () => ({ limit: 100 }) },
  create: {
    subject,
    refuses: { ...limited, otherOrgAdmin: 403, foreignOrgAdmin: 403 },
    input: (stage) => ({ orgId: stage.org, name: `Category ${stage.fresh()}` }),
  },
  get: { subject, input: ({ scriptCategory }) => ({ id: scriptCategory }) },
  update: { subject, refuses: limited, input: ({ scriptCategory }) => ({ id: scriptCategory, description: 'Disks' }) },
  remove: { subject, refuses: limited, input: ({ scriptCategory }) => ({ id: scriptCategory }) },
}
