// SCIM users over HTTP, as identity providers use them. Users are members of an organization.
import { randomBytes } from 'node:crypto'
import { session } from '@muster/areas/access/auth/sign-in/session.contract.ts'
import { providers, scimTokens } from '@muster/areas/access/sso/providers/providers.contract.ts'
import { users } from '@muster/areas/access/users/users.contract.ts'
import { operations } from '@muster/areas/registry.ts'
import { organizations } from '@muster/areas/tenancy/tenancy/organizations/organizations.contract.ts'
import { auditOf } from '@muster/testkit/audit.ts'
import { call } from '@muster/testkit/call.ts'
import { mailsTo } from '@muster/testkit/mail.ts'
import { testServices } from '@muster/testkit/services.ts'
import { person, world } from '@muster/testkit/world.ts'
import { describe, expect, it } from 'vitest'
import { provisioning, ScimClient } from './scim-client.ts'
import { startSsoServer } from './sso-server.ts'

const sso = await startSsoServer()
const address = () => `${randomBytes(6).toString('hex')}@example.test`
const newUser = (userName = address(), more: object = {}) => ({
  schemas: ['urn:ietf:params:scim:schemas:core:2.0:User'],
  userName,
  name: { givenName: 'Ada', familyName: 'King' },
  emails: [{ value: userName, type: 'work', primary: true }],
  active: true,
  ...more,
})

describe('the SCIM endpoint', () => {
  it('describes its features without a token, under both paths', async () => {
    for (const base of [`${sso.url}/scim/v2`, `${sso.url}/api/v1/scim/v2`]) {
      const anonymous = new ScimClient(base, 'none')
      const { status, headers, body } = await anonymous.ask('GET', '/ServiceProviderConfig')
      expect(status).toBe(200)
      expect(headers.get('content-type')).toMatch(/^application\/scim\+json/)
      expect(body).toMatchObject({
        patch: { supported: true },
        filter: { supported: true },
        bulk: { supported: false },
      })
      expect((await anonymous.ask('GET', '/ResourceTypes')).body.Resources.map(({ id }: { id: string }) => id)).toEqual(
        ['User', 'Group'],
      )
      const id = 'urn:ietf:params:scim:schemas:core:2.0:User'
      expect((await anonymous.ask('GET', `/Schemas/${id}`)).body).toMatchObject({ id, name: 'User' })
      expect((await anonymous.ask('GET', '/Schemas/x')).status).toBe(404)
    }
  })

  it('accepts only the token of the provider, and rejects others with an error in SCIM format', async () => {
    const there = await world()
    const { id, scim } = await provisioning(sso, there)
    expect((await scim.ask('GET', '/Users')).status).toBe(200)
    const first = scim.token
    for (const wrong of ['', 'nonsense', there.orgAdmin.token, there.systemAdmin.token, `${first.slice(0, -2)}AA`]) {
      scim.token = wrong
      const { status, headers, body } = await scim.ask('GET', '/Users')
      expect([status, headers.get('www-authenticate')]).toEqual([401, 'Bearer'])
      expect(headers.get('content-type')).toMatch(/^application\/scim\+json/)
      expect(body).toEqual({
        schemas: ['urn:ietf:params:scim:api:messages:2.0:Error'],
        status: '401',
        detail: expect.stringMatching(/./),
      })
    }
    const { token } = await call(there.partnerAdmin, scimTokens.rotate, { id, overlapSeconds: 60 })
    for (const good of [token, first]) {
      scim.token = good
      expect((await scim.ask('GET', '/Users')).status).toBe(200)
    }
    await call(there.partnerAdmin, scimTokens.rotate, { id })
    expect((await scim.ask('GET', '/Users')).status).toBe(401)
    const last = await call(there.partnerAdmin, scimTokens.rotate, { id })
    scim.token = last.token
    await call(there.partnerAdmin, providers.status, { id, status: 'inactive' })
    expect((await scim.ask('GET', '/Users')).status).toBe(401)
    await call(there.partnerAdmin, providers.status, { id, status: 'active' })
    expect((await scim.ask('GET', '/Users')).status).toBe(200)
    await call(there.partnerAdmin, scimTokens.revoke, { id })
    expect((await scim.ask('GET', '/Users')).status).toBe(401)
    const actions = (await auditOf(id)).map(({ action }) => action).filter((action) => action.startsWith('scim.'))
    expect(actions).toEqual([...Array.from({ length: 4 }, () => 'scim.token.rotate'), 'scim.token.revoke'])
  })

  it('requires a token for each operation on users and groups', async () => {
    const anonymous = new ScimClient(`${sso.url}/scim/v2`, 'none')
    const closed = operations.filter(({ id }) => /^scim\.(users|groups)\./.test(id))
    expect(closed).toHaveLength(12)
    for (const { endpoint } of closed) {
      const path = endpoint.path.replace('/scim/v2', '').replace(':id', '00000000-0000-4000-8000-000000000000')
      const body = { userName: 'x', displayName: 'x', Operations: [{ op: 'add', path: 'x' }] }
      const given = endpoint.method === 'GET' || endpoint.method === 'DELETE' ? undefined : body
      expect((await anonymous.ask(endpoint.method, path, given)).status, endpoint.path).toBe(401)
    }
  })

  it('rejects invalid JSON, patches and filters with an error in SCIM format', async () => {
    const { scim } = await provisioning(sso, await world())
    const answer = await fetch(`${scim.base}/Users`, {
      method: 'POST',
      headers: { authorization: `Bearer ${scim.token}`, 'content-type': 'application/scim+json' },
      body: '{"userName":',
    })
    expect(answer.status).toBe(400)
    expect(answer.headers.get('content-type')).toMatch(/^application\/scim\+json/)
    expect(await answer.json()).toMatchObject({ status: '400', detail: expect.any(String) })
    const id = '00000000-0000-4000-8000-000000000000'
    expect((await scim.ask('PATCH', `/Users/${id}`, {})).body).toMatchObject({ status: '400' })
    expect((await scim.find('Users', 'userName is "x"')).body).toMatchObject({
      status: '400',
      scimType: 'invalidFilter',
    })
    expect((await scim.find('Users', 'password eq "x"')).body).toMatchObject({ scimType: 'invalidFilter' })
  })
})

describe('a user', () => {
  it('is added as a member with the default role, shown, found and audited', async () => {
    const there = await world()
    const { scim, id: provider } = await provisioning(sso, there)
    const given = newUser(address(), { externalId: 'ext-1' })
    const made = await scim.ask('POST', '/Users', given)
    expect(made.status).toBe(201)
    expect(made.headers.get('location')).toBe(made.body.meta.location)
    expect(made.body).toMatchObject({
      userName: given.userName,
      externalId: 'ext-1',
      displayName: 'Ada King',
      name: { givenName: 'Ada', familyName: 'King' },
      emails: [{ value: given.userName, primary: true }],
      active: true,
      meta: { resourceType: 'User' },
    })
    expect((await scim.ask('GET', `/Users/${made.body.id}`)).body).toEqual(made.body)
    const member = await call(there.orgAdmin, users.get, { id: made.body.id })
    expect(member).toMatchObject({ email: given.userName, name: 'Ada King', status: 'active', roleName: 'Org Viewer' })
    expect(await auditOf(made.body.id)).toMatchObject([{ action: 'scim.user.create', actor_id: provider }])
    expect((await scim.ask('POST', '/Users', given)).body).toMatchObject({ status: '409', scimType: 'uniqueness' })
  })

  it('is found by filters, in pages, with the requested attributes', async () => {
    const there = await world()
    const { scim } = await provisioning(sso, there)
    const mark = randomBytes(4).toString('hex')
    for (const n of [1, 2, 3]) {
      const more = { externalId: `${mark}-${n}`, active: n !== 3, displayName: `Person ${n} 100%_\\` }
      await scim.ask('POST', '/Users', newUser(`${mark}.${n}@example.test`, more))
    }
    const found = async (filter: string) =>
      (await scim.find('Users', filter)).body.Resources.map(({ externalId }: { externalId: string }) => externalId)
    expect(await found(`userName eq "${mark.toUpperCase()}.1@EXAMPLE.test"`)).toEqual([`${mark}-1`])
    expect(await found(`externalId eq "${mark}-2"`)).toEqual([`${mark}-2`])
    expect(await found(`externalId eq "${mark.toUpperCase()}-2x"`)).toEqual([])
    expect(await found(`userName sw "${mark}" and active eq true`)).toHaveLength(2)
    expect(await found(`userName sw "${mark}" and active eq "False"`)).toEqual([`${mark}-3`])
    expect(await found(`emails[type eq "work" and value co "${mark}.2"]`)).toEqual([`${mark}-2`])
    expect(await found(`emails.value eq "${mark}.2@example.test" or externalId eq "${mark}-1"`)).toHaveLength(2)
    expect(await found(`displayName co "1 100%_\\\\" and userName sw "${mark}"`)).toEqual([`${mark}-1`])
    expect(await found(`externalId pr and not (externalId sw "${mark}")`)).toEqual([])
    expect(await found(`meta.lastModified gt "2020-01-01T00:00:00Z" and userName sw "${mark}"`)).toHaveLength(3)
    expect(await found(`userName co "' OR 1=1 --"`)).toEqual([])
    const page = await scim.ask('GET', `/Users?filter=externalId%20pr&startIndex=2&count=1&attributes=userName`)
    expect(page.body).toMatchObject({ totalResults: 3, startIndex: 2, itemsPerPage: 1 })
    expect(Object.keys(page.body.Resources[0]).sort()).toEqual(['id', 'meta', 'schemas', 'userName'])
    expect((await scim.ask('GET', '/Users?count=0')).body).toMatchObject({ totalResults: 4, Resources: [] })
    // The organization's administrator existed before the provider.
    const own = await scim.find('Users', `userName eq "${there.orgAdmin.email}"`)
    expect(own.body.Resources).toMatchObject([{ id: there.orgAdmin.userId }])
  })

  it('is changed by the requests of Entra ID and Okta', async () => {
    const there = await world()
    const { scim } = await provisioning(sso, there)
    const { body } = await scim.ask('POST', '/Users', newUser())
    const path = `/Users/${body.id}`
    const member = () => call(there.orgAdmin, users.get, { id: body.id })
    const [entra, okta] = [address(), address()]
    const changed = await scim.patch(
      path,
      { op: 'Replace', path: 'displayName', value: 'Augusta King' },
      { op: 'Replace', path: 'emails[type eq "work"].value', value: entra.toUpperCase() },
      { op: 'Add', path: 'externalId', value: 'entra' },
    )
    expect(changed.body).toMatchObject({ displayName: 'Augusta King', externalId: 'entra' })
    expect(await member()).toMatchObject({ name: 'Augusta King', email: entra })
    await scim.patch(path, { op: 'Replace', path: 'name.familyName', value: 'Lovelace' })
    expect(await member()).toMatchObject({ name: 'Ada Lovelace' })
    await scim.patch(path, { op: 'replace', value: { active: false } })
    expect(await member()).toMatchObject({ status: 'disabled' })
    await scim.patch(path, { op: 'Replace', path: 'active', value: 'True' })
    expect(await member()).toMatchObject({ status: 'active' })
    const put = await scim.ask('PUT', path, newUser(okta, { displayName: 'Countess', active: true }))
    expect(put.body).toMatchObject({ userName: okta, displayName: 'Countess' })
    expect(put.body.externalId).toBeUndefined()
    expect(await member()).toMatchObject({ name: 'Countess', email: okta })
    const other = await scim.ask('POST', '/Users', newUser())
    expect((await scim.patch(path, { op: 'replace', path: 'userName', value: other.body.userName })).status).toBe(409)
    const nothing = await scim.patch(path, { op: 'replace', path: 'active', value: true })
    expect(nothing.status).toBe(200)
    const actions = (await auditOf(body.id)).map(({ action }) => action)
    expect(actions).toEqual(['scim.user.create', ...Array.from({ length: 5 }, () => 'scim.user.update')])
    expect((await scim.patch(path, { op: 'replace', path: 'active', value: 'perhaps' })).body).toMatchObject({
      scimType: 'invalidValue',
    })
    expect((await scim.patch(path, { op: 'replace', path: 'emails[', value: 'x' })).body).toMatchObject({
      scimType: 'invalidPath',
    })
  })

  it('gets a new address with a new userName if the userName is the address', async () => {
    const there = await world()
    const { scim } = await provisioning(sso, there)
    const { body } = await scim.ask('POST', '/Users', { userName: address() })
    const moved = address()
    await scim.patch(`/Users/${body.id}`, { op: 'replace', path: 'userName', value: moved })
    expect(await call(there.orgAdmin, users.get, { id: body.id })).toMatchObject({ email: moved })
    expect((await scim.ask('POST', '/Users', { userName: 'no-address' })).body).toMatchObject({
      scimType: 'invalidValue',
    })
    const named = await scim.ask('POST', '/Users', {
      userName: `n-${moved.slice(0, 8)}`,
      emails: [{ value: address() }],
    })
    expect(named.status).toBe(201)
  })

  it('loses access within a second when deactivated, and keeps its history when deleted', async () => {
    const there = await world()
    const { scim } = await provisioning(sso, there)
    const member = await person(
      { scope: 'organization', partnerId: there.partner.id, orgId: there.org.id },
      { role: 'Org Viewer' },
    )
    const me = async () =>
      (await fetch(`${sso.url}/api/v1/auth/me`, { headers: { authorization: `Bearer ${member.token}` } })).status
    expect(await me()).toBe(200)
    await scim.patch(`/Users/${member.userId}`, { op: 'replace', value: { active: false } })
    const began = performance.now()
    while ((await me()) === 200) expect(performance.now() - began).toBeLessThan(1_000)
    expect(await me()).toBe(401)
    expect((await scim.ask('DELETE', `/Users/${member.userId}`)).status).toBe(204)
    expect((await scim.ask('GET', `/Users/${member.userId}`)).status).toBe(404)
    expect((await scim.ask('DELETE', `/Users/${member.userId}`)).status).toBe(404)
    await expect(call(there.orgAdmin, users.get, { id: member.userId })).rejects.toMatchObject({ status: 404 })
    const actions = (await auditOf(member.userId)).map(({ action }) => action)
    expect(actions).toEqual(['scim.user.update', 'scim.user.delete'])
    const again = await scim.ask('POST', '/Users', newUser(member.email))
    expect(again.body).toMatchObject({ id: member.userId, active: true })
    await expect(call(member, session.me, {})).rejects.toMatchObject({ status: 401 })
  })

  it('keeps its address if it verified the mailbox or can change more than a viewer, so a token cannot take over an administrator', async () => {
    const there = await world()
    const { scim } = await provisioning(sso, there)
    const { system } = await testServices()
    const { userId, email } = there.orgAdmin
    const moved = () => scim.patch(`/Users/${userId}`, { op: 'replace', path: 'userName', value: address() })
    expect((await moved()).body).toMatchObject({ status: '400', scimType: 'mutability' })
    await system.query('UPDATE users SET email_verified_at = NULL WHERE id = $1', [userId])
    expect((await moved()).body).toMatchObject({ status: '400', scimType: 'mutability' })
    const { rows } = await system.query('SELECT email FROM users WHERE id = $1', [userId])
    expect(rows).toEqual([{ email }])
  })

  it('with an account in another organization is invited, and its name and address do not change', async () => {
    const [there, elsewhere] = [await world(), await world()]
    const { scim } = await provisioning(sso, there)
    const { email, userId } = elsewhere.orgAdmin
    const before = await call(elsewhere.orgAdmin, users.get, { id: userId })
    const made = await scim.ask('POST', '/Users', newUser(email))
    expect(made.body).toMatchObject({ id: userId, displayName: 'Ada King' })
    expect(await call(there.orgAdmin, users.get, { id: userId })).toMatchObject({ status: 'invited', name: 'Ada King' })
    expect(await mailsTo(email)).toMatchObject([{ template: 'invitation', data: { invitedBy: 'Directory' } }])
    const renamed = await scim.patch(`/Users/${userId}`, {
      op: 'replace',
      path: 'emails[type eq "work"].value',
      value: address(),
    })
    expect(renamed.body).toMatchObject({ status: '400', scimType: 'mutability' })
    await scim.patch(`/Users/${userId}`, { op: 'replace', value: { active: false, displayName: 'Mallory' } })
    expect(await call(elsewhere.orgAdmin, users.get, { id: userId })).toEqual(before)
    await scim.ask('DELETE', `/Users/${userId}`)
    expect(await call(elsewhere.orgAdmin, session.me, {})).toMatchObject({ id: userId, name: before.name })
  })

  it('of another organization is not found by any request', async () => {
    const [there, elsewhere] = [await world(), await world()]
    const { scim } = await provisioning(sso, there)
    const other = (await provisioning(sso, elsewhere)).scim
    const { body } = await other.ask('POST', '/Users', newUser(address(), { externalId: 'theirs' }))
    for (const id of [body.id, elsewhere.partnerAdmin.userId, there.partnerAdmin.userId, 'x']) {
      const path = `/Users/${id}`
      expect((await scim.ask('GET', path)).status).toBe(404)
      expect((await scim.patch(path, { op: 'replace', value: { active: false } })).status).toBe(404)
      expect((await scim.ask('PUT', path, newUser())).status).toBe(404)
      expect((await scim.ask('DELETE', path)).status).toBe(404)
    }
    expect((await scim.find('Users', `externalId eq "theirs" or id eq "${body.id}"`)).body.totalResults).toBe(0)
    const text = JSON.stringify((await scim.ask('GET', '/Users?count=200')).body)
    expect(text).not.toContain(body.id)
    expect(await call(elsewhere.orgAdmin, users.get, { id: body.id })).toMatchObject({ status: 'active' })
  })

  it('can be deactivated in a suspended organization but not added to it', async () => {
    const there = await world()
    const { scim } = await provisioning(sso, there)
    const { body } = await scim.ask('POST', '/Users', newUser())
    await call(there.partnerAdmin, organizations.update, { id: there.org.id, status: 'suspended' })
    expect((await scim.ask('POST', '/Users', newUser())).status).toBe(403)
    expect((await scim.patch(`/Users/${body.id}`, { op: 'replace', value: { active: false } })).body.active).toBe(false)
  })
})
