import { background } from '../../background/background.ts'
import { webhookDeliveries } from './webhook-sender.ts'
import { webhookFollower } from './webhooks.followers.ts'

export default background({ followers: [webhookFollower], deliveryKinds: [webhookDeliveries] })
