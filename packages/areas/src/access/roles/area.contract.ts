import { permissions } from './permissions.contract.ts'
import { roles } from './roles.contract.ts'

export default { permissions, roles }
