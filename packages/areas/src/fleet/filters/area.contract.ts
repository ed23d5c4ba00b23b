import { filters } from './filters.contract.ts'

export default { filters }
