import type { ExamplesOf } from '../../../examples.ts'
import type { organizations } from './organizations.contract.ts'

export const organizationsExamples: ExamplesOf<typeof organizations> = {
  all: { about: 'organization', lists: true, input: () => ({}) },
  list: { about: 'organization', lists: true, input: () => ({ limit: 100 }) },
  create: {
    about: 'own',
    whole: true,
    input: (stage, scope) => ({
      name: 'New customer',
      slug: stage.fresh(),
      ...(scope === 'system' ? { partnerId: stage.partner } : {}),
    }),
  },
  get: { about: 'organization', input: ({ org }) => ({ id: org }) },
  update: {
    about: 'organization',
    input: ({ org }) => ({ id: org, billingContact: { name: 'Ann' } }),
    // It allows no SMS.
    proves: ({ otherOrg }) => ({ id: otherOrg, settings: { security: { allowedMfaMethods: { sms: true } } } }),
  },
  remove: { about: 'organization', input: ({ org }) => ({ id: org }) },
  order: {
    about: 'own',
    whole: true,
    each: true,
    input: ({ org, otherOrg }) => ({ organizationOrder: [otherOrg, org] }),
  },
}
