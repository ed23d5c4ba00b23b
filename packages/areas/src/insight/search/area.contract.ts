import { search } from './search.contract.ts'

export default { search }
