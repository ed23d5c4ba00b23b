import type { ExamplesOf } from '../../../examples.ts'
import type { partners } from './partners.contract.ts'

export const partnersExamples: ExamplesOf<typeof partners> = {
  list: { subject: 'own', input: () => ({ limit: 100 }) },
  create: { subject: 'own', input: (stage) => ({ name: 'New partner', slug: stage.fresh() }) },
  get: { subject: 'partner', input: ({ partner }) => ({ id: partner }) },
  update: {
    subject: 'partner',
    input: ({ partner }) => ({ id: partner, maxDevices: 100_000 }),
    proves: ({ partner }) => ({ id: partner, status: 'suspended' as const }),
  },
  remove: { subject: 'partner', input: ({ partner }) => ({ id: partner }) },
  me: { subject: 'own', input: () => ({}) },
  updateMe: { subject: 'own', wholePartnerOnly: true, input: () => ({ settings: { timeFormat: '24h' as const } }) },
}
