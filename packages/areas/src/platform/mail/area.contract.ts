import { mails } from './mails.contract.ts'

export default { mails }
