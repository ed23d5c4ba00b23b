import { area } from '../../area.ts'
import contract from './area.contract.ts'
import { searchExamples } from './search.examples.ts'
import search from './search.ts'

export default area({
  name: 'search',
  contract,
  handlers: { search },
  examples: { search: searchExamples },
})
