import { secrets } from './secrets.contract.ts'

export default { secrets }
