import { area } from '../../area.ts'
import contract from './area.contract.ts'
import deadLetters from './dead-letters.ts'
import jobs from './jobs.ts'
import { deadLettersExamples, jobsExamples } from './queues.examples.ts'

export default area({
  name: 'queues',
  contract,
  handlers: { deadLetters, jobs },
  examples: { deadLetters: deadLettersExamples, jobs: jobsExamples },
})
