import { call, refusal } from '@muster/testkit/call.ts'
import { person, world } from '@muster/testkit/world.ts'
import { describe, expect, it } from 'vitest'
import { reviews } from '../../../access/access-reviews/reviews.contract.ts'
import { keys } from '../../../access/api-keys/keys.contract.ts'
import { roles } from '../../../access/roles/roles.contract.ts'
import { providers, scimTokens } from '../../../access/sso/providers/providers.contract.ts'
import { invitations } from '../../../access/users/invitations/invitations.contract.ts'
import { protection } from '../../../access/users/protection/protection.contract.ts'
import { users } from '../../../access/users/users.contract.ts'
import { sites } from '../sites/sites.contract.ts'

describe('an administrator limited to a site', async () => {
  const here = await world()
  const orgId = here.org.id
  const tenant = { scope: 'organization', partnerId: here.partner.id, orgId } as const
  const limited = await person(tenant, { role: 'Org Admin', siteIds: [here.site.id] })
  const colleague = await person(tenant, { role: 'Org Viewer' })
  const issuer = 'https://127.0.0.1'
  const provider = await call(here.orgAdmin, providers.create, { name: 'Sign in', issuer, clientId: 'muster' })
  const { data: allRoles } = await call(here.orgAdmin, roles.list, {})
  const roleId = allRoles.find(({ name }) => name === 'Org Viewer')?.id ?? ''
  const custom = await call(here.orgAdmin, roles.create, { name: 'Custom' })
  const review = await call(here.orgAdmin, reviews.create, { name: 'Quarterly' })
  const id = colleague.userId

  it.each([
    ['identity providers', () => call(limited, providers.create, { name: 'Mine', issuer, clientId: 'x' })],
    ['a setting of an identity provider', () => call(limited, providers.update, { id: provider.id, trustMfa: true })],
    ['the state of an identity provider', () => call(limited, providers.status, { id: provider.id, status: 'active' })],
    ['SCIM tokens', () => call(limited, scimTokens.rotate, { id: provider.id })],
    ['roles', () => call(limited, roles.create, { name: 'Mine' })],
    ['the permissions of a role', () => call(limited, roles.update, { id: custom.id, permissions: [] })],
    [
      'invitations',
      () => call(limited, invitations.invite, { email: 'a@example.test', name: 'A', roleId, siteIds: [here.site.id] }),
    ],
    ['members', () => call(limited, users.update, { id, status: 'disabled' })],
    ['roles of members', () => call(limited, users.role, { id, roleId, siteIds: [here.site.id] })],
    ['its own limits', () => call(limited, users.role, { id: limited.userId, roleId, siteIds: null })],
    ['the sessions of members', () => call(limited, protection.endSessions, { id })],
    ['access reviews', () => call(limited, reviews.get, { id: review.id })],
    ['sites', () => call(limited, sites.create, { orgId, name: 'Mine' })],
  ])('cannot change %s', async (_what, attempt) => {
    expect(await refusal(attempt())).toMatchObject({
      status: 403,
      message: expect.stringContaining('Full organization access'),
    })
  })

  it('sees and revokes only their own API keys', async () => {
    const { id: other } = await call(here.orgAdmin, keys.create, { name: 'Whole', scopes: ['devices:read'] })
    const own = await call(limited, keys.create, { name: 'Own', scopes: ['devices:read'] })
    expect((await call(limited, keys.list, {})).data.map((key) => key.id)).toEqual([own.id])
    expect(await refusal(call(limited, keys.revoke, { id: other }))).toMatchObject({ status: 404 })
    await call(limited, keys.revoke, { id: own.id })
  })
})
