import { background } from '../../background/background.ts'
import { alertDispatch } from './dispatch.jobs.ts'
import { failedMessages } from './failures.followers.ts'
import { alertRouting } from './routing.followers.ts'

export default background({ jobs: [alertDispatch], followers: [alertRouting, failedMessages] })
