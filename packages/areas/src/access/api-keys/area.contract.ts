import { keys } from './keys.contract.ts'

export default { keys }
