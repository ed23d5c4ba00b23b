import { groups, members } from './groups.contract.ts'

export default { groups, members }
