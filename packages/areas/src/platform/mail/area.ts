import { area } from '../../area.ts'
import contract from './area.contract.ts'
import { mailsExamples } from './mails.examples.ts'
import mails from './mails.ts'

export default area({
  name: 'mail',
  contract,
  handlers: { mails },
  examples: { mails: mailsExamples },
})
