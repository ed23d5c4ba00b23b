import { groups } from './groups.contract.ts'
import { members } from './members.contract.ts'

export default { groups, members }
