import { background } from '../../background/background.ts'
import { deviceReturns } from './device-returns.followers.ts'
import { forgetNotifications } from './notifications.jobs.ts'

export default background({ jobs: [forgetNotifications], followers: [deviceReturns] })
