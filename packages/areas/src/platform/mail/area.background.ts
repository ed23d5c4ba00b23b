import { background } from '../../background/background.ts'
import { forgetMail } from './sender.jobs.ts'

export default background({ jobs: [forgetMail] })
