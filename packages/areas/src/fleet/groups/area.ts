import { area } from '../../area.ts'
import contract from './area.contract.ts'
import { groupsExamples, membersExamples } from './groups.examples.ts'
import groups from './groups.ts'
import members from './members.ts'

export default area({
  name: 'groups',
  contract,
  handlers: { groups, members },
  examples: { groups: groupsExamples, members: membersExamples },
})
