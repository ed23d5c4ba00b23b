import type { Partner } from '@muster/areas/tenancy/tenancy/partners/partners.contract.ts'

export type PartnerStatus = Partner['status']

interface Step {
  readonly verb: string
  readonly title: (name: string) => string
  readonly consequence: string
}

const steps: Readonly<Record<PartnerStatus, Step>> = {
  pending: {
    verb: 'Set to pending',
    title: (name) => `Set ${name} to pending?`,
    consequence: 'Users can sign in, but they see nothing until you approve the partner.',
  },
  active: {
    verb: 'Activate partner',
    title: (name) => `Activate ${name}?`,
    consequence: 'Users can sign in and work.',
  },
  suspended: {
    verb: 'Suspend partner',
    title: (name) => `Suspend ${name}?`,
    consequence: 'Users lose access immediately, also in open sessions. Devices keep reporting, and all data stays.',
  },
  churned: {
    verb: 'Mark as churned',
    title: (name) => `Mark ${name} as churned?`,
    consequence: 'Users lose access immediately. All data stays, and you can activate the partner again.',
  },
}
const approval: Step = { ...steps.active, verb: 'Approve partner', title: (name) => `Approve ${name}?` }

/** The step that takes a partner to another status. A pending partner is approved, all others are activated. */
export const stepTo = ({ status }: Partner, to: PartnerStatus): Step =>
  status === 'pending' && to === 'active' ? approval : steps[to]
