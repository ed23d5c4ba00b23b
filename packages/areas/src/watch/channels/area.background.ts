import { background } from '../../background/background.ts'
import { channelDeliveries } from './channel-sender.ts'

export default background({ deliveryKinds: [channelDeliveries] })
