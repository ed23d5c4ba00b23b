import { deliveries } from './deliveries.contract.ts'
import { webhooks } from './webhooks.contract.ts'

export default { webhooks, deliveries }
