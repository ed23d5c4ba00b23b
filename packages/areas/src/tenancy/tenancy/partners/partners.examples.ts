import type { ExamplesOf } from '../../../examples.ts'
import type { partners } from './partners.contract.ts'

export const partnersExamples: ExamplesOf<typeof partners> = {
  list: { about: 'own', input: () => ({ limit: 100 }) },
  create: { about: 'own', input: (stage) => ({ name: 'New partner', slug: stage.fresh() }) },
  get: { about: 'partner', input: ({ partner }) => ({ id: partner }) },
  update: {
    about: 'partner',
    input: ({ partner }) => ({ id: partner, maxDevices: 100_000 }),
    proves: ({ partner }) => ({ id: partner, status: 'suspended' as const }),
  },
  remove: { about: 'partner', input: ({ partner }) => ({ id: partner }) },
  me: { about: 'own', input: () => ({}) },
  updateMe: { about: 'own', whole: true, input: () => ({ settings: { timeFormat: '24h' as const } }) },
}
