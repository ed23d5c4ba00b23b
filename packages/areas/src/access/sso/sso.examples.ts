import type { ExamplesOf } from '../../examples.ts'
import type { flow } from './flow.contract.ts'
import type { providers, scimTokens } from './providers/providers.contract.ts'

declare module '../../examples.ts' {
  interface Stage {
    /** Of the organization, active, at an address that cannot be reached; with one linked user. */
    readonly ssoProvider: string
    readonly ssoIdentity: string
    /** With which the provider keeps the organization's members up to date. */
    readonly scimToken: string
  }
}

const subject = 'organization'
// This address is rejected before a request is sent.
const issuer = 'https://127.0.0.1'

export const providersExamples: ExamplesOf<typeof providers> = {
  presets: { subject: 'own', input: () => ({}) },
  list: { subject, lists: true, input: () => ({ limit: 100 }) },
  get: { subject, input: ({ ssoProvider }) => ({ id: ssoProvider }) },
  create: {
    subject,
    wholePartnerOnly: true,
    input: ({ org, fresh }) => ({ orgId: org, name: `Provider ${fresh()}`, issuer, clientId: 'muster' }),
  },
  update: {
    subject,
    wholePartnerOnly: true,
    input: ({ ssoProvider }) => ({ id: ssoProvider, name: 'Renamed', trustMfa: true }),
  },
  remove: { subject, wholePartnerOnly: true, input: ({ ssoProvider }) => ({ id: ssoProvider }) },
  status: {
    subject,
    wholePartnerOnly: true,
    input: ({ ssoProvider }) => ({ id: ssoProvider, status: 'testing' as const }),
  },
  test: { subject, wholePartnerOnly: true, input: ({ ssoProvider }) => ({ id: ssoProvider }) },
  identities: { subject, input: ({ ssoProvider }) => ({ id: ssoProvider }) },
  unlink: {
    subject,
    wholePartnerOnly: true,
    input: ({ ssoProvider, ssoIdentity }) => ({ id: ssoProvider, identityId: ssoIdentity }),
  },
}

export const scimTokensExamples: ExamplesOf<typeof scimTokens> = {
  rotate: { subject, wholePartnerOnly: true, input: ({ ssoProvider }) => ({ id: ssoProvider, overlapSeconds: 60 }) },
  revoke: { subject, wholePartnerOnly: true, input: ({ ssoProvider }) => ({ id: ssoProvider }) },
}

export const flowExamples: ExamplesOf<typeof flow> = {
  login: { subject: 'own', input: ({ org }) => ({ orgId: org }) },
  callback: { subject: 'own', input: () => ({ state: 'unknown-state', code: 'x' }) },
  exchange: { subject: 'own', answers: [401], input: () => ({ code: 'not-a-code' }) },
  check: { subject: 'own', input: ({ org }) => ({ orgId: org }) },
}
