import type { ExamplesOf } from '../../examples.ts'
import type { keys } from './keys.contract.ts'

declare module '../../examples.ts' {
  interface Stage {
    /** Made by the partner's administrator. */
    readonly apiKey: string
  }
}

/** Keys are visible to callers who reach the whole partner, and to their creators. */
const reach = { selected: false, selectedOther: false, none: false }

export const apiKeysExamples: ExamplesOf<typeof keys> = {
  list: { subject: 'partner', reach, lists: true, input: () => ({ limit: 100 }) },
  get: { subject: 'partner', reach, input: ({ apiKey }) => ({ id: apiKey }) },
  create: { subject: 'own', input: () => ({ name: 'Reporting', scopes: ['devices:read' as const] }) },
  // Only the creator can change a key.
  update: {
    subject: 'partner',
    reach,
    answers: [403],
    input: ({ apiKey }) => ({ id: apiKey, name: 'Renamed' }),
    proves: ({ apiKey }) => ({ id: apiKey, scopes: ['devices:read' as const, 'devices:write' as const] }),
  },
  rotate: { subject: 'partner', reach, answers: [403], input: ({ apiKey }) => ({ id: apiKey }) },
  revoke: { subject: 'partner', reach, input: ({ apiKey }) => ({ id: apiKey }) },
}
