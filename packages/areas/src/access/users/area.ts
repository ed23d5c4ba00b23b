import { area } from '../../area.ts'
import contract from './area.contract.ts'
import invitations from './invitations/invitations.ts'
import profile from './profile.ts'
import protection from './protection/protection.ts'
import { invitationsExamples, profileExamples, protectionExamples, usersExamples } from './users.examples.ts'
import users from './users.ts'

export default area({
  name: 'users',
  contract,
  handlers: { invitations, profile, protection, users },
  examples: {
    invitations: invitationsExamples,
    profile: profileExamples,
    protection: protectionExamples,
    users: usersExamples,
  },
})
