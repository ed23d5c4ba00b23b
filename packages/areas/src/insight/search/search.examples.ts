import type { ExamplesOf } from '../../examples.ts'
import type { search } from './search.contract.ts'

export const searchExamples: ExamplesOf<typeof search> = {
  find: { subject: 'device', lists: true, input: () => ({ q: 'sample', types: 'device', limit: 100 }) },
}
