import { background } from '../../background/background.ts'
import { forgetSessions } from './sessions/forget.jobs.ts'

export default background({ jobs: [forgetSessions] })
