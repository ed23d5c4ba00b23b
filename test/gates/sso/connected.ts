// An organisation connected to a real identity provider, and people there.
import { randomBytes } from 'node:crypto'
import { providers } from '@muster/areas/access/sso/providers.contract.ts'
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
import type { Site, Visitor } from './site.ts'

/** Two real providers for the test file. */
export async function startProviders(site: Site) {
  const redirectUris = [`${site.url}/api/v1/sso/callback`]
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

/** A provider of the organisation, active. */
export async function connected(there: World, at: TestIdentityProvider, more: object = {}) {
  const { issuer, clientId, clientSecret } = at
  const given = { orgId: there.org.id, name: 'Ours', issuer, clientId, clientSecret, ...more }
  const made = await call(there.partnerAdmin, providers.create, given)
  const { system } = await testServices()
  // As a first sign-in, or a test of the provider, would note it.
  await system.query('UPDATE sso_providers SET proven_at = now() WHERE id = $1', [made.id])
  return call(there.partnerAdmin, providers.status, { id: made.id, status: 'active' })
}

/** Somebody whom the provider knows. */
export function someone(at: TestIdentityProvider, more: TestSubject = {}) {
  const subject = `s-${randomBytes(6).toString('hex')}`
  const email = more.email ?? `${subject}@example.test`
  at.people.set(subject, { email, email_verified: true, name: 'Grace Hopper', ...more })
  return { subject, email }
}

/** A member of the organisation, with its address at the provider. */
export async function member(there: World, at: TestIdentityProvider, more: TestSubject = {}) {
  const who = await person(
    { scope: 'organization', partnerId: there.partner.id, orgId: there.org.id },
    { role: 'Org Technician', mfaEnabled: false },
  )
  return { ...someone(at, { email: who.email, ...more }), ...who }
}

/** The way back from the provider, not taken yet. */
export async function wayBack(site: Site, browser: Visitor, from: URL): Promise<URL> {
  let url = from
  while (!url.href.startsWith(`${site.url}/api/v1/sso/callback`)) {
    url = new URL((await browser.get(url.href)).headers.get('location') ?? '', url)
  }
  return url
}
