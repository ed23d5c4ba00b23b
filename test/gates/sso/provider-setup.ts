// Organizations with a real identity provider, and users with an account at it.
import { randomBytes } from 'node:crypto'
import { providers } from '@muster/areas/access/sso/providers/providers.contract.ts'
import { users } from '@muster/areas/access/users/users.contract.ts'
import { call } from '@muster/testkit/call.ts'
import {
  startIdentityProvider,
  type TestIdentityProvider,
  type TestSubject,
} from '@muster/testkit/identity-provider.ts'
import { testServices } from '@muster/testkit/services.ts'
import { person, type World } from '@muster/testkit/world.ts'
import { afterAll } from 'vitest'
import type { BrowserClient, SsoServer } from './sso-server.ts'

/** Two real providers for the test file. */
export async function startProviders(sso: SsoServer) {
  const redirectUris = [`${sso.url}/api/v1/sso/callback`]
  const idp = await startIdentityProvider({ redirectUris })
  const second = await startIdentityProvider({
    redirectUris,
    clientAuth: 'client_secret_post',
    claimsInIdToken: false,
  })
  afterAll(() => Promise.all([idp.stop(), second.stop()]))
  return { idp, second }
}

export const roleNamed = async (there: World, name = 'Org Viewer') =>
  (await call(there.orgAdmin, users.roles, {})).data.find((role) => role.name === name)?.id ?? ''

/** Adds the provider to the organization and activates it. */
export async function connectProvider(there: World, at: TestIdentityProvider, more: object = {}) {
  const { issuer, clientId, clientSecret } = at
  const given = { orgId: there.org.id, name: 'Company login', issuer, clientId, clientSecret, ...more }
  const made = await call(there.partnerAdmin, providers.create, given)
  const { system } = await testServices()
  // A first sign-in or a test of the provider would set this.
  await system.query('UPDATE sso_providers SET proven_at = now() WHERE id = $1', [made.id])
  return call(there.partnerAdmin, providers.status, { id: made.id, status: 'active' })
}

/** Creates an account at the provider. */
export function newSubject(at: TestIdentityProvider, more: TestSubject = {}) {
  const subject = `s-${randomBytes(6).toString('hex')}`
  const email = more.email ?? `${subject}@example.test`
  at.people.set(subject, { email, email_verified: true, name: 'Grace Hopper', ...more })
  return { subject, email }
}

/** Creates a member of the organization with an account of the same email address at the provider. */
export async function member(there: World, at: TestIdentityProvider, more: TestSubject = {}) {
  const who = await person(
    { scope: 'organization', partnerId: there.partner.id, orgId: there.org.id },
    { role: 'Org Technician', mfaEnabled: false },
  )
  return { ...newSubject(at, { email: who.email, ...more }), ...who }
}

/** Follows redirects up to the callback URL, which is not requested yet. */
export async function callbackUrl(sso: SsoServer, browser: BrowserClient, from: URL): Promise<URL> {
  let url = from
  while (!url.href.startsWith(`${sso.url}/api/v1/sso/callback`)) {
    url = new URL((await browser.get(url.href)).headers.get('location') ?? '', url)
  }
  return url
}
