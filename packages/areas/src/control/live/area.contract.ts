import { live } from './live.contract.ts'

export default { live }
