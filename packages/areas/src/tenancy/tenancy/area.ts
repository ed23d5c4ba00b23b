import { area } from '../../area.ts'
import contract from './area.contract.ts'
import { dashboardExamples } from './dashboard/dashboard.examples.ts'
import dashboard from './dashboard/dashboard.ts'
import { organizationsExamples } from './organizations/organizations.examples.ts'
import organizations from './organizations/organizations.ts'
import { partnersExamples } from './partners/partners.examples.ts'
import partners from './partners/partners.ts'
import { sitesExamples } from './sites/sites.examples.ts'
import sites from './sites/sites.ts'

export default area({
  name: 'tenancy',
  contract,
  handlers: { dashboard, organizations, partners, sites },
  examples: {
    dashboard: dashboardExamples,
    organizations: organizationsExamples,
    partners: partnersExamples,
    sites: sitesExamples,
  },
})
