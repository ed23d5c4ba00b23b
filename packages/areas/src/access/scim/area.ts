import { area } from '../../area.ts'
import contract from './area.contract.ts'
import discovery from './discovery.ts'
import groups from './groups.ts'
import { discoveryExamples, scimGroupsExamples, scimUsersExamples } from './scim.examples.ts'
import users from './users.ts'

export default area({
  name: 'scim',
  contract,
  handlers: { discovery, groups, users },
  examples: { discovery: discoveryExamples, groups: scimGroupsExamples, users: scimUsersExamples },
})
