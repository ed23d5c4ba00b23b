import { reviews } from './reviews.contract.ts'

export default { reviews }
