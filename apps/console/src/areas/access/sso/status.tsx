import type { Provider } from '@muster/areas/access/sso/providers.contract.ts'
import { Badge, type Tone } from '../../../ui/display.tsx'

export type ProviderStatus = Provider['status']
const tones: Readonly<Record<ProviderStatus, Tone>> = { active: 'good', testing: 'info', inactive: 'plain' }
const words: Readonly<Record<ProviderStatus, string>> = { active: 'Active', testing: 'Testing', inactive: 'Inactive' }

export const ProviderBadge = ({ status }: { readonly status: ProviderStatus }) => (
  <Badge tone={tones[status]}>{words[status]}</Badge>
)

interface Step {
  readonly verb: string
  readonly consequence: string
}
export const providerSteps: Readonly<Record<ProviderStatus, Step>> = {
  active: { verb: 'Activate', consequence: 'People can sign in through it from now on.' },
  testing: {
    verb: 'Set to testing',
    consequence: 'Nobody can sign in through it, but the provider can already add people by SCIM.',
  },
  inactive: {
    verb: 'Deactivate',
    consequence:
      'Nobody can sign in through it, SCIM stops, and the sessions that it opened end at once. Where it was the only way in, passwords count again.',
  },
}

/** Why somebody cannot change identity providers: whoever chooses one decides who everybody is. */
export const needsEverything = 'Only somebody who may do everything can change identity providers'
