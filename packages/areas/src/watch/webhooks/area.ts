import { area } from '../../area.ts'
import contract from './area.contract.ts'
import deliveries from './deliveries.ts'
import { deliveriesExamples, webhooksExamples } from './webhooks.examples.ts'
import webhooks from './webhooks.ts'

export default area({
  name: 'webhooks',
  contract,
  handlers: { webhooks, deliveries },
  examples: { webhooks: webhooksExamples, deliveries: deliveriesExamples },
})
