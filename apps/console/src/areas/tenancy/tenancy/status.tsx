import type { Organization } from '@muster/areas/tenancy/tenancy/organizations/organizations.contract.ts'
import { Badge, type Tone } from '../../../ui/page/display.tsx'

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
  readonly title: (name: string) => string
  readonly consequence: string
}

/** The effect of each status on the users and devices of an organization. */
export const steps: Readonly<Record<OrganizationStatus, Step>> = {
  active: {
    verb: 'Activate organization',
    title: (name) => `Activate ${name}?`,
    consequence: 'Users can work again, and devices accept changes and commands.',
  },
  trial: {
    verb: 'Set to trial',
    title: (name) => `Set ${name} to trial?`,
    consequence: 'A trial organization works like an active one.',
  },
  suspended: {
    verb: 'Suspend organization',
    title: (name) => `Suspend ${name}?`,
    consequence:
      'Devices keep reporting and all data stays readable, but no changes or commands are possible until you activate it again. Running commands continue.',
  },
  churned: {
    verb: 'Mark as churned',
    title: (name) => `Mark ${name} as churned?`,
    consequence:
      'For customers who have left. All data stays readable, but no changes or commands are possible. You can activate it again.',
  },
}
