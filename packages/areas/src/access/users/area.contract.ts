import { invitations } from './invitations/invitations.contract.ts'
import { profile } from './profile.contract.ts'
import { protection } from './protection/protection.contract.ts'
import { users } from './users.contract.ts'

export default { invitations, profile, protection, users }
