import type { ExamplesOf } from '../../../examples.ts'
import type { organizations } from './organizations.contract.ts'

declare module '../../../examples.ts' {
  interface Stage {
    readonly partner: string
    readonly org: string
    /** Another organization of the partner. */
    readonly otherOrg: string
  }
}

export const organizationsExamples: ExamplesOf<typeof organizations> = {
  all: { subject: 'organization', lists: true, input: () => ({}) },
  list: { subject: 'organization', lists: true, input: () => ({ limit: 100 }) },
  create: {
    subject: 'own',
    wholePartnerOnly: true,
    input: (stage, scope) => ({
      name: 'New customer',
      slug: stage.fresh(),
      ...(scope === 'system' ? { partnerId: stage.partner } : {}),
    }),
  },
  get: { subject: 'organization', input: ({ org }) => ({ id: org }) },
  update: {
    subject: 'organization',
    input: ({ org }) => ({ id: org, billingContact: { name: 'Ann' } }),
    // This organization does not allow SMS.
    proves: ({ otherOrg }) => ({ id: otherOrg, settings: { security: { allowedMfaMethods: { sms: true } } } }),
  },
  remove: { subject: 'organization', input: ({ org }) => ({ id: org }) },
  order: {
    subject: 'own',
    wholePartnerOnly: true,
    skipsHidden: true,
    input: ({ org, otherOrg }) => ({ organizationOrder: [otherOrg, org] }),
  },
}
