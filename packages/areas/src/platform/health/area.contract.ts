import { health } from './health.contract.ts'

export default { health }
