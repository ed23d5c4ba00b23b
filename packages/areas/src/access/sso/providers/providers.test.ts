import { randomBytes } from 'node:crypto'
import { auditOf } from '@muster/testkit/audit.ts'
import { call, refusal } from '@muster/testkit/call.ts'
import { testServices } from '@muster/testkit/services.ts'
import { world } from '@muster/testkit/world.ts'
import { describe, expect, it } from 'vitest'
import { organizations } from '../../../tenancy/tenancy/organizations/organizations.contract.ts'
import { roles } from '../../roles/roles.contract.ts'
import { flow } from '../flow.contract.ts'
import { providers } from './providers.contract.ts'

const here = await world()
const elsewhere = await world()
const { system } = await testServices()
const admin = here.partnerAdmin
// This address is rejected before a request is sent.
const issuer = 'https://127.0.0.1'
const given = (more: object = {}) => ({ orgId: here.org.id, name: 'Ours', issuer, clientId: 'muster', ...more })
const add = (more: object = {}) => call(admin, providers.create, given(more))
const viewer = (await call(here.orgAdmin, roles.list, {})).data.find(({ name }) => name === 'Org Viewer')?.id ?? ''

describe('a provider', () => {
  it('is created for testing with the result of discovery; its secret is stored encrypted and never shown', async () => {
    const clientSecret = randomBytes(20).toString('hex')
    const made = await add({ clientSecret })
    expect(made).toMatchObject({
      orgId: here.org.id,
      partnerId: here.partner.id,
      type: 'oidc',
      status: 'testing',
      hasClientSecret: true,
      scopes: 'openid profile email',
      autoProvision: false,
      enforceSSO: false,
      redirectUri: 'http://127.0.0.1:3000/api/v1/sso/callback',
      discovery: { found: false, message: 'The address 127.0.0.1 is not allowed' },
    })
    const { rows } = await system.query<{ client_secret: string }>(
      'SELECT client_secret FROM sso_providers WHERE id = $1',
      [made.id],
    )
    expect(rows[0]?.client_secret).not.toContain(clientSecret)
    const everything = [
      made,
      await call(admin, providers.get, { id: made.id }),
      await call(admin, providers.list, { orgId: here.org.id }),
      await auditOf(made.id),
    ]
    expect(JSON.stringify(everything)).not.toContain(clientSecret)
    expect((await auditOf(made.id)).map(({ action }) => action)).toEqual(['sso.provider.create'])
  })

  it('is changed field by field, and the audit record names the fields, including the secret', async () => {
    const { id } = await add({ clientSecret: 'first' })
    const changed = await call(admin, providers.update, {
      id,
      clientSecret: 'second',
      allowedDomains: 'B.example, A.example',
    })
    expect(changed).toMatchObject({ allowedDomains: 'b.example,a.example', name: 'Ours' })
    expect(await call(admin, providers.status, { id, status: 'active' })).toMatchObject({ status: 'active' })
    const [, update, status] = await auditOf(id)
    expect(update).toMatchObject({ action: 'sso.provider.update' })
    expect(update?.changed_fields).toEqual(expect.arrayContaining(['allowedDomains', 'clientSecret']))
    expect(JSON.stringify(update)).not.toContain('second')
    expect(status).toMatchObject({ action: 'sso.provider.update', changed_fields: ['status'] })
    expect(await refusal(call(admin, providers.update, { id }))).toMatchObject({ message: 'No updates provided' })
    await call(admin, providers.remove, { id })
    expect((await auditOf(id)).at(-1)).toMatchObject({ action: 'sso.provider.delete' })
    expect(await refusal(call(admin, providers.get, { id }))).toMatchObject({ status: 404 })
  })

  it('loses its secret when the issuer or client changes', async () => {
    const { id } = await add({ clientSecret: 'ours' })
    const moved = { id, issuer: 'https://127.0.0.2' }
    expect(await refusal(call(admin, providers.update, moved))).toMatchObject({ status: 400 })
    expect(await call(admin, providers.update, { ...moved, clientSecret: 'theirs' })).toMatchObject({
      discovery: { found: false },
    })
  })

  it.each([
    [{ issuer: 'http://id.example.test' }],
    [{ issuer: 'ftp://id.example.test' }],
    [{ issuer: 'https://user:secret@id.example.test' }],
    [{ issuer: 'https://id.example.test/?a=b' }],
    [{ issuer: 'https://id.example.test/#a' }],
    [{ issuer: 'https://login.microsoftonline.com/common/v2.0' }],
    [{ issuer: 'id.example.test' }],
    [{ autoProvision: true }],
    [{ autoProvision: true, defaultRoleId: viewer, issuer: 'https://accounts.google.com' }],
    [{ allowedDomains: 'not a domain' }],
    [{ allowedDomains: 'example.com,127.0.0.1' }],
    [{ scopes: 'profile' }],
    [{ type: 'saml' }],
    [{ name: '' }],
  ])('is rejected with %j', async (wrong) => {
    expect(await refusal(add(wrong))).toMatchObject({ status: 400 })
  })

  it('accepts a default role of its organization or a built-in one, and no other', async () => {
    const own = await call(here.orgAdmin, roles.create, { name: `Own ${randomBytes(4).toString('hex')}` })
    const ofPartner = await call(admin, roles.create, { name: `Partner ${randomBytes(4).toString('hex')}` })
    const foreign = await call(elsewhere.orgAdmin, roles.create, { name: 'Foreign' })
    for (const defaultRoleId of [own.id, viewer]) {
      expect(await add({ autoProvision: true, defaultRoleId })).toMatchObject({ defaultRoleId })
    }
    for (const defaultRoleId of [ofPartner.id, foreign.id]) {
      expect(await refusal(add({ autoProvision: true, defaultRoleId }))).toMatchObject({ status: 404 })
    }
  })

  it('requires all permissions in the organization', async () => {
    expect(await call(here.orgAdmin, providers.create, { name: 'Mine', issuer, clientId: 'x' })).toMatchObject({
      orgId: here.org.id,
    })
    expect(await refusal(call(here.partnerViewer, providers.create, given()))).toMatchObject({ status: 403 })
    expect(await refusal(call(elsewhere.partnerAdmin, providers.create, given()))).toMatchObject({ status: 404 })
    expect(await refusal(call(elsewhere.orgAdmin, providers.list, { orgId: here.org.id }))).toMatchObject({
      status: 403,
    })
    const { id } = await add()
    const stranger = elsewhere.partnerAdmin
    expect(await refusal(call(stranger, providers.get, { id }))).toMatchObject({ status: 404 })
    expect(await refusal(call(stranger, providers.remove, { id }))).toMatchObject({ status: 404 })
    expect(await refusal(call(stranger, providers.identities, { id }))).toMatchObject({ status: 404 })
  })

  it('cannot be added to a suspended organization', async () => {
    const there = await world()
    await call(there.partnerAdmin, organizations.update, { id: there.org.id, status: 'suspended' })
    const late = call(there.partnerAdmin, providers.create, given({ orgId: there.org.id }))
    expect(await refusal(late)).toMatchObject({ status: 403 })
  })
})

describe('the public check for single sign-on', () => {
  it('returns name, type and enforcement of active providers', async () => {
    const there = await world()
    const orgId = there.org.id
    const none = { ssoEnabled: false, enforceSSO: false, provider: null, providers: [], loginUrl: null }
    expect(await call(null, flow.check, { orgId })).toEqual(none)
    expect(await call(null, flow.check, { orgId: here.partner.id })).toEqual(none)
    const make = (name: string, enforceSSO: boolean) =>
      call(there.partnerAdmin, providers.create, given({ orgId, name, enforceSSO }))
    const [first, enforced] = [await make('First', false), await make('Enforced', true)]
    expect(await call(null, flow.check, { orgId })).toEqual(none)
    await call(there.partnerAdmin, providers.status, { id: first.id, status: 'active' })
    expect(await call(null, flow.check, { orgId })).toMatchObject({ enforceSSO: false, provider: { name: 'First' } })
    const activate = () => call(there.partnerAdmin, providers.status, { id: enforced.id, status: 'active' })
    expect(await refusal(activate())).toMatchObject({ status: 409, message: expect.stringContaining('enforceSSO') })
    const enforce = () => call(there.partnerAdmin, providers.update, { id: first.id, enforceSSO: true })
    expect(await refusal(enforce())).toMatchObject({ status: 409 })
    // As a test of the provider, or a sign-in through it, does.
    await system.query('UPDATE sso_providers SET proven_at = now() WHERE id = $1', [enforced.id])
    await activate()
    const moved = { id: enforced.id, issuer: 'https://127.0.0.2', clientSecret: 'another' }
    expect(await refusal(call(there.partnerAdmin, providers.update, moved))).toMatchObject({ status: 409 })
    expect(await call(null, flow.check, { orgId })).toMatchObject({
      ssoEnabled: true,
      enforceSSO: true,
      provider: { id: enforced.id, name: 'Enforced', type: 'oidc' },
      providers: [{ id: enforced.id }, { id: first.id }],
      loginUrl: `/api/v1/sso/login/${orgId}`,
    })
  })
})

it('presets name the common providers, each with a pattern of its issuers', async () => {
  const { data } = await call(here.partnerViewer, providers.presets, {})
  expect(data.map(({ id }) => id)).toEqual([
    'entra-id',
    'google',
    'okta',
    'auth0',
    'keycloak',
    'onelogin',
    'jumpcloud',
    'generic',
  ])
  const issuers: Record<string, string> = {
    'entra-id': 'https://login.microsoftonline.com/8f3c1d2e-0000-4000-8000-000000000000/v2.0',
    google: 'https://accounts.google.com',
    okta: 'https://acme.okta.com/oauth2/default',
    auth0: 'https://acme.eu.auth0.com/',
    keycloak: 'https://id.acme.example/realms/staff',
    onelogin: 'https://acme.onelogin.com/oidc/2',
    jumpcloud: 'https://oauth.id.jumpcloud.com/',
  }
  for (const { id, issuerPattern } of data) {
    if (issuerPattern !== null) expect(issuers[id], id).toMatch(new RegExp(issuerPattern))
  }
})
