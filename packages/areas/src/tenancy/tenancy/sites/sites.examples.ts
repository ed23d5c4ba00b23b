import type { ExamplesOf } from '../../../examples.ts'
import type { sites } from './sites.contract.ts'

declare module '../../../examples.ts' {
  interface Stage {
    readonly site: string
    /** Another site of the organization. */
    readonly otherSite: string
  }
}

/** Creating and deleting sites requires access to the whole organization. */
const refuses = { siteMember: 403, otherSiteMember: 403, groupMember: 403, otherGroupMember: 403 }

export const sitesExamples: ExamplesOf<typeof sites> = {
  list: { subject: 'site', lists: true, input: () => ({ limit: 100 }) },
  get: { subject: 'site', input: ({ site }) => ({ id: site }) },
  create: { subject: 'organization', refuses, input: ({ org }) => ({ orgId: org, name: 'New site' }) },
  update: { subject: 'site', input: ({ site }) => ({ id: site, address: { city: 'Bonn' } }) },
  remove: { subject: 'site', refuses, input: ({ site }) => ({ id: site }) },
}
