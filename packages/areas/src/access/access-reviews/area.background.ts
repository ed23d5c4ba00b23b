import { background } from '../../background/background.ts'
import { reminders } from './reminders.jobs.ts'

export default background({ jobs: [reminders] })
