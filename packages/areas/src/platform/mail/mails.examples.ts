import type { ExamplesOf } from '../../examples.ts'
import type { mails } from './mails.contract.ts'

declare module '../../examples.ts' {
  interface Stage {
    readonly mail: string
  }
}

export const mailsExamples: ExamplesOf<typeof mails> = {
  list: { subject: 'own', input: () => ({ limit: 100 }) },
  retry: { subject: 'own', input: ({ mail }) => ({ id: mail }) },
}
