import type { ExamplesOf } from '../../../examples.ts'
import type { systemScripts } from './system-scripts.contract.ts'

/** "Disk usage" of the library. */
const id = 'a5114161-5c30-50f3-8525-d82b18f68714'

export const systemScriptsExamples: ExamplesOf<typeof systemScripts> = {
  list: { subject: 'own', input: () => ({ limit: 100 }) },
  import: {
    subject: 'organization',
    refuses: {
      ...{ siteMember: 403, otherSiteMember: 403, groupMember: 403, otherGroupMember: 403 },
      ...{ otherOrgAdmin: 403, foreignOrgAdmin: 403 },
    },
    input: ({ org }) => ({ id, orgId: org, update: true }),
  },
}
