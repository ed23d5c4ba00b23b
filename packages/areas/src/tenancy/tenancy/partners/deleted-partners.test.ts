import { call, refusal } from '@muster/testkit/call.ts'
import { person, world } from '@muster/testkit/world.ts'
import { describe, expect, it } from 'vitest'
import { keys as apiKeys } from '../../../access/api-keys/keys.contract.ts'
import { roles } from '../../../access/roles/roles.contract.ts'
import { providers } from '../../../access/sso/providers/providers.contract.ts'
import { keys } from '../../../fleet/enrollment/keys/keys.contract.ts'
import { organizations } from '../organizations/organizations.contract.ts'
import { sites } from '../sites/sites.contract.ts'
import { partners } from './partners.contract.ts'

describe('data of a deleted partner', () => {
  it('is hidden in system scope too', async () => {
    const gone = await world()
    const system = gone.systemAdmin
    const key = await call(gone.partnerAdmin, keys.create, { orgId: gone.org.id, name: 'Key' })
    await call(system, partners.remove, { id: gone.partner.id })
    const tries = [
      () => call(system, organizations.get, { id: gone.org.id }),
      () => call(system, organizations.update, { id: gone.org.id, name: 'Back' }),
      () => call(system, sites.get, { id: gone.site.id }),
      () => call(system, sites.update, { id: gone.site.id, name: 'Back' }),
      () => call(system, sites.create, { orgId: gone.org.id, name: 'New' }),
      () => call(system, keys.get, { id: key.id }),
    ]
    const refused = await Promise.all(tries.map((attempt) => refusal(attempt())))
    expect(refused.map(({ status }) => status)).toEqual([404, 404, 404, 404, expect.any(Number), 404])
    expect(refused[4]?.status).toBeGreaterThanOrEqual(403)
  })

  it('does not include readable sites of a deleted organization', async () => {
    const here = await world()
    await call(here.partnerAdmin, organizations.remove, { id: here.org.id })
    const { id } = here.site
    expect(await refusal(call(here.systemAdmin, sites.get, { id }))).toMatchObject({ status: 404 })
    expect(await refusal(call(here.partnerAdmin, sites.get, { id }))).toMatchObject({ status: 403 })
  })
})

describe('a role that an identity provider gives to new members', () => {
  it('cannot be deleted, and the error names the provider', async () => {
    const here = await world()
    const { id } = await call(here.orgAdmin, roles.create, { name: 'Starter' })
    const provider = { name: 'Entra', issuer: 'https://127.0.0.1', clientId: 'muster', allowedDomains: 'example.test' }
    await call(here.orgAdmin, providers.create, { ...provider, autoProvision: true, defaultRoleId: id })
    expect(await refusal(call(here.orgAdmin, roles.remove, { id }))).toMatchObject({
      status: 400,
      message: expect.stringContaining('Entra'),
      extra: { blockers: 1, providerCount: 1 },
    })
  })
})

describe('an API key', () => {
  it('cannot change how users sign in, regardless of its permissions', async () => {
    const here = await world()
    const { key } = await call(here.partnerAdmin, apiKeys.create, {
      name: 'Provisioning',
      scopes: ['organizations:read', 'organizations:write'],
    })
    const { id } = here.org
    await call(here.partnerAdmin, organizations.update, { id, settings: { security: { requireMfa: true } } })
    const withKey = (input: object) =>
      call(null, organizations.update, { id, ...input }, { headers: { 'x-api-key': key } })
    for (const input of [{ settings: { security: { requireMfa: false } } }, { ssoConfig: { enforced: false } }])
      expect(await refusal(withKey(input))).toMatchObject({ status: 403 })
    expect(await withKey({ name: 'Renamed', settings: { security: { requireMfa: true } } })).toMatchObject({
      name: 'Renamed',
      settings: { security: { requireMfa: true } },
    })
    const another = await person({ scope: 'partner', partnerId: here.partner.id }, { role: 'Partner Admin' })
    await call(another, organizations.update, { id, settings: { security: { requireMfa: false } } })
  })
})
