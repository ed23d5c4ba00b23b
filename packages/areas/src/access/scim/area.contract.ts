import { discovery, groups, users } from './scim.contract.ts'

export default { discovery, groups, users }
