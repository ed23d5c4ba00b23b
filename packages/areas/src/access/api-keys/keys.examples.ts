import type { ExamplesOf } from '../../examples.ts'
import type { keys } from './keys.contract.ts'

/** Keys show to those who reach the whole partner, and to their creators. */
const reach = { selected: false, selectedOther: false, none: false }

export const apiKeysExamples: ExamplesOf<typeof keys> = {
  list: { about: 'partner', reach, lists: true, input: () => ({ limit: 100 }) },
  get: { about: 'partner', reach, input: ({ apiKey }) => ({ id: apiKey }) },
  create: { about: 'own', input: () => ({ name: 'Reporting', scopes: ['devices:read' as const] }) },
  // Only its creator changes a key.
  update: {
    about: 'partner',
    reach,
    answers: [403],
    input: ({ apiKey }) => ({ id: apiKey, name: 'Renamed' }),
    proves: ({ apiKey }) => ({ id: apiKey, scopes: ['devices:read' as const, 'devices:write' as const] }),
  },
  rotate: { about: 'partner', reach, answers: [403], input: ({ apiKey }) => ({ id: apiKey }) },
  revoke: { about: 'partner', reach, input: ({ apiKey }) => ({ id: apiKey }) },
}
