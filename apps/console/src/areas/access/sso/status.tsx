import type { Provider } from '@muster/areas/access/sso/providers/providers.contract.ts'
import { Badge, type Tone } from '../../../ui/page/display.tsx'

export type ProviderStatus = Provider['status']
const tones: Readonly<Record<ProviderStatus, Tone>> = { active: 'good', testing: 'info', inactive: 'plain' }
const words: Readonly<Record<ProviderStatus, string>> = { active: 'Active', testing: 'Testing', inactive: 'Inactive' }

export const ProviderBadge = ({ status }: { readonly status: ProviderStatus }) => (
  <Badge tone={tones[status]}>{words[status]}</Badge>
)

interface Step {
  readonly verb: string
  readonly title: (name: string) => string
  readonly consequence: string
}
export const providerSteps: Readonly<Record<ProviderStatus, Step>> = {
  active: {
    verb: 'Activate provider',
    title: (name) => `Activate ${name}?`,
    consequence: 'Users can sign in through this provider.',
  },
  testing: {
    verb: 'Set to testing',
    title: (name) => `Set ${name} to testing?`,
    consequence: 'Users cannot sign in through this provider yet, but it can already add users by SCIM.',
  },
  inactive: {
    verb: 'Deactivate provider',
    title: (name) => `Deactivate ${name}?`,
    consequence:
      'Users can no longer sign in through this provider, SCIM stops, and sessions through it end immediately. If SSO was required, passwords work again.',
  },
}

/** An identity provider decides who its users are, so only full administrators edit one. */
export const fullAccessRequired = 'Only users with full access can edit identity providers'
