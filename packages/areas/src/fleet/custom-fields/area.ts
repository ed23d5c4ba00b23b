import { area } from '../../area.ts'
import contract from './area.contract.ts'
import { customFieldsExamples } from './custom-fields.examples.ts'
import customFields from './custom-fields.ts'

export default area({
  name: 'customFields',
  contract,
  handlers: { customFields },
  examples: { customFields: customFieldsExamples },
})
