import type { ExamplesOf } from '../examples.ts'
import type { sites } from './sites.contract.ts'

export const sitesExamples: ExamplesOf<typeof sites> = {
  list: { about: 'site', lists: true, input: () => ({ limit: 100 }) },
  get: { about: 'site', input: ({ site }) => ({ id: site }) },
  create: { about: 'organization', input: ({ org }) => ({ orgId: org, name: 'New site' }) },
  update: { about: 'site', input: ({ site }) => ({ id: site, address: { city: 'Bonn' } }) },
  remove: { about: 'site', input: ({ site }) => ({ id: site }) },
}
