import { deadLetters } from './dead-letters.contract.ts'
import { jobs } from './jobs.contract.ts'

export default { deadLetters, jobs }
