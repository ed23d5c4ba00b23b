import { lifecycle } from './lifecycle.contract.ts'

export default { lifecycle }
