import { background } from '../../background/background.ts'
import { mailOldest, mailsFailed, mailsWaiting, sendMail } from './send-mail.jobs.ts'
import { forgetMail } from './sender.jobs.ts'

export default background({ jobs: [forgetMail, sendMail], gauges: [mailOldest, mailsFailed, mailsWaiting] })
