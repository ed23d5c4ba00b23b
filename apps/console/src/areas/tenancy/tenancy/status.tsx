import type { Organization } from '@muster/areas/tenancy/tenancy/organizations/organizations.contract.ts'
import { Badge, type Tone } from '../../../ui/display.tsx'

export type OrganizationStatus = Organization['status']

export const statusWords: readonly (readonly [OrganizationStatus, string])[] = [
  ['active', 'Active'],
  ['trial', 'Trial'],
  ['suspended', 'Suspended'],
  ['churned', 'Churned'],
]
const words = new Map(statusWords)
const tones: Readonly<Record<OrganizationStatus, Tone>> = {
  active: 'good',
  trial: 'info',
  suspended: 'warn',
  churned: 'plain',
}

export const StatusBadge = ({ status }: { readonly status: OrganizationStatus }) => (
  <Badge tone={tones[status]}>{words.get(status)}</Badge>
)

interface Step {
  readonly verb: string
  readonly consequence: string
}

/** What another status means for the people and machines of an organisation. */
export const steps: Readonly<Record<OrganizationStatus, Step>> = {
  active: { verb: 'Activate', consequence: 'Its people can work again, and its devices can be changed and commanded.' },
  trial: { verb: 'Set to trial', consequence: 'It works like an active one.' },
  suspended: {
    verb: 'Suspend',
    consequence:
      'Its devices keep reporting and everything can be read, but nothing in it can be added, changed or commanded until it is active again. Running commands go on.',
  },
  churned: {
    verb: 'Mark as churned',
    consequence:
      'The customer has left. Its data stays and can be read; nothing in it can be added, changed or commanded. You can set it back to active.',
  },
}
