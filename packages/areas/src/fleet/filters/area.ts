import { area } from '../../area.ts'
import contract from './area.contract.ts'
import { filtersExamples } from './filters.examples.ts'
import filters from './filters.ts'

export default area({
  name: 'filters',
  contract,
  handlers: { filters },
  examples: { filters: filtersExamples },
})
