import { dashboard } from './dashboard/dashboard.contract.ts'
import { organizations } from './organizations/organizations.contract.ts'
import { partners } from './partners/partners.contract.ts'
import { sites } from './sites/sites.contract.ts'

export default { dashboard, organizations, partners, sites }
