import { policies } from './policies.contract.ts'

export default { policies }
