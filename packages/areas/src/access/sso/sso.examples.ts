import type { ExamplesOf } from '../../examples.ts'
import type { flow } from './flow.contract.ts'
import type { providers, scimTokens } from './providers.contract.ts'

const about = 'organization'
// Not an address that anything is sent to: it says no at once.
const issuer = 'https://127.0.0.1'

export const providersExamples: ExamplesOf<typeof providers> = {
  presets: { about: 'own', input: () => ({}) },
  list: { about, lists: true, input: () => ({ limit: 100 }) },
  get: { about, input: ({ ssoProvider }) => ({ id: ssoProvider }) },
  create: {
    about,
    whole: true,
    input: ({ org, fresh }) => ({ orgId: org, name: `Provider ${fresh()}`, issuer, clientId: 'muster' }),
  },
  update: { about, whole: true, input: ({ ssoProvider }) => ({ id: ssoProvider, name: 'Renamed', trustMfa: true }) },
  remove: { about, whole: true, input: ({ ssoProvider }) => ({ id: ssoProvider }) },
  status: { about, whole: true, input: ({ ssoProvider }) => ({ id: ssoProvider, status: 'testing' as const }) },
  test: { about, whole: true, input: ({ ssoProvider }) => ({ id: ssoProvider }) },
  identities: { about, input: ({ ssoProvider }) => ({ id: ssoProvider }) },
  unlink: {
    about,
    whole: true,
    input: ({ ssoProvider, ssoIdentity }) => ({ id: ssoProvider, identityId: ssoIdentity }),
  },
}

export const scimTokensExamples: ExamplesOf<typeof scimTokens> = {
  rotate: { about, whole: true, input: ({ ssoProvider }) => ({ id: ssoProvider, overlapSeconds: 60 }) },
  revoke: { about, whole: true, input: ({ ssoProvider }) => ({ id: ssoProvider }) },
}

export const flowExamples: ExamplesOf<typeof flow> = {
  login: { about: 'own', input: ({ org }) => ({ orgId: org }) },
  callback: { about: 'own', input: () => ({ state: 'nobody-began-this', code: 'x' }) },
  exchange: { about: 'own', answers: [401], input: () => ({ code: 'not-a-code' }) },
  check: { about: 'own', input: ({ org }) => ({ orgId: org }) },
}
