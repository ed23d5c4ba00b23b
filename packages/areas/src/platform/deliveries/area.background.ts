import { background } from '../../background/background.ts'
import { forgetDeliveries } from './expiry.jobs.ts'

export default background({ jobs: [forgetDeliveries] })
