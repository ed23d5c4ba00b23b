import type { ExamplesOf } from '../../examples.ts'
import type { mails } from './mails.contract.ts'

export const mailsExamples: ExamplesOf<typeof mails> = {
  list: { about: 'own', input: () => ({ limit: 100 }) },
  retry: { about: 'own', input: ({ mail }) => ({ id: mail }) },
}
