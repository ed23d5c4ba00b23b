import { background } from '../../background.ts'
import { forgetMail } from './sender.jobs.ts'

export default background({ jobs: [forgetMail] })
