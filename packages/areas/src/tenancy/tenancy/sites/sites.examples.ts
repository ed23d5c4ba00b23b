import type { ExamplesOf } from '../../../examples.ts'
import type { sites } from './sites.contract.ts'

/** Adding or deleting a site concerns the whole organization. */
const refuses = { siteMember: 403, otherSiteMember: 403, groupMember: 403, otherGroupMember: 403 }

export const sitesExamples: ExamplesOf<typeof sites> = {
  list: { about: 'site', lists: true, input: () => ({ limit: 100 }) },
  get: { about: 'site', input: ({ site }) => ({ id: site }) },
  create: { about: 'organization', refuses, input: ({ org }) => ({ orgId: org, name: 'New site' }) },
  update: { about: 'site', input: ({ site }) => ({ id: site, address: { city: 'Bonn' } }) },
  remove: { about: 'site', refuses, input: ({ site }) => ({ id: site }) },
}
