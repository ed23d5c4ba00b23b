// SCIM groups over HTTP, as identity providers use them. Groups are roles.
import { randomBytes } from 'node:crypto'
import { roles } from '@muster/areas/access/roles/roles.contract.ts'
import { users } from '@muster/areas/access/users/users.contract.ts'
import { auditOf } from '@muster/testkit/audit.ts'
import { call } from '@muster/testkit/call.ts'
import { type World, world } from '@muster/testkit/world.ts'
import { describe, expect, it } from 'vitest'
import { provisioning, type ScimClient } from './scim-client.ts'
import { startSsoServer } from './sso-server.ts'

const sso = await startSsoServer()
const unique = () => randomBytes(6).toString('hex')
const addUser = async (scim: ScimClient): Promise<string> =>
  (await scim.ask('POST', '/Users', { userName: `${unique()}@example.test` })).body.id
const roleOf = async (there: World, id: string) => (await call(there.orgAdmin, users.get, { id })).roleName
const groupNamed = async (scim: ScimClient, name: string) =>
  (await scim.find('Groups', `displayName eq "${name}"`)).body.Resources[0]

describe('groups', () => {
  it('are the roles of the organization with their members', async () => {
    const there = await world()
    const { scim } = await provisioning(sso, there)
    const own = await call(there.orgAdmin, roles.create, { name: `Own ${unique()}` })
    await call(there.partnerAdmin, roles.create, { name: `Partner ${unique()}` })
    const { body } = await scim.ask('GET', '/Groups')
    const names = body.Resources.map(({ displayName }: { displayName: string }) => displayName)
    expect(names.sort()).toEqual(['Org Admin', 'Org Technician', 'Org Viewer', own.name])
    const admins = await groupNamed(scim, 'org admin')
    expect(admins.members).toMatchObject([{ value: there.orgAdmin.userId }])
    const bare = await scim.find('Groups', 'displayName eq "Org Admin"', { excludedAttributes: 'members' })
    expect(bare.body.Resources[0]).not.toHaveProperty('members')
    const of = await scim.find('Groups', `members.value eq "${there.orgAdmin.userId}"`)
    expect(of.body.Resources).toMatchObject([{ id: admins.id }])
    expect((await scim.ask('GET', `/Groups/${own.id}`)).body).toMatchObject({ displayName: own.name, members: [] })
  })

  it('assign and remove roles; of several roles the one with the most permissions applies', async () => {
    const there = await world()
    const { scim } = await provisioning(sso, there)
    const user = await addUser(scim)
    const [technicians, admins] = [await groupNamed(scim, 'Org Technician'), await groupNamed(scim, 'Org Admin')]
    const member = [{ value: user }]
    await scim.patch(`/Groups/${technicians.id}`, { op: 'Add', path: 'members', value: member })
    expect(await roleOf(there, user)).toBe('Org Technician')
    await scim.patch(`/Groups/${admins.id}`, { op: 'add', path: 'members', value: member })
    expect(await roleOf(there, user)).toBe('Org Admin')
    const both = (await scim.ask('GET', `/Groups/${technicians.id}`)).body
    expect(both.members).toMatchObject(member)
    await scim.patch(`/Groups/${admins.id}`, { op: 'remove', path: `members[value eq "${user}"]` })
    expect(await roleOf(there, user)).toBe('Org Technician')
    await scim.patch(`/Groups/${technicians.id}`, { op: 'Remove', path: 'members', value: member })
    expect(await roleOf(there, user)).toBe('Org Viewer')
    const records = (await auditOf(technicians.id)).map(({ action, details }) => [
      action,
      details.added,
      details.removed,
    ])
    expect(records).toEqual([
      ['scim.group.update', [user], []],
      ['scim.group.update', [], [user]],
    ])
  })

  it('replace roles that were assigned by hand, and fall back to the default role of the provider', async () => {
    const there = await world()
    const technician = (await call(there.orgAdmin, roles.list, {})).data.find(({ name }) => name === 'Org Technician')
    const { scim } = await provisioning(sso, there, { defaultRoleId: technician?.id ?? '' })
    const user = await addUser(scim)
    expect(await roleOf(there, user)).toBe('Org Technician')
    const admins = await groupNamed(scim, 'Org Admin')
    const members = [...admins.members, { value: user }]
    await scim.ask('PUT', `/Groups/${admins.id}`, { displayName: 'Org Admin', members })
    expect(await roleOf(there, user)).toBe('Org Admin')
    await scim.ask('PUT', `/Groups/${admins.id}`, { displayName: 'Org Admin', members: [{ value: user }] })
    expect(await roleOf(there, there.orgAdmin.userId)).toBe('Org Technician')
  })

  it('that are new become roles without permissions, which can be deleted', async () => {
    const there = await world()
    const { scim } = await provisioning(sso, there)
    const user = await addUser(scim)
    const displayName = `Helpdesk ${unique()}`
    const made = await scim.ask('POST', '/Groups', { displayName, externalId: 'g-1', members: [{ value: user }] })
    expect(made.status).toBe(201)
    expect(made.headers.get('location')).toBe(made.body.meta.location)
    expect(await call(there.orgAdmin, roles.get, { id: made.body.id })).toMatchObject({
      name: displayName,
      permissions: [],
      orgId: there.org.id,
    })
    expect(await roleOf(there, user)).toBe(displayName)
    expect((await scim.ask('POST', '/Groups', { displayName: displayName.toUpperCase() })).body).toMatchObject({
      status: '409',
      scimType: 'uniqueness',
    })
    const renamed = `Desk ${unique()}`
    await scim.patch(`/Groups/${made.body.id}`, { op: 'replace', value: { displayName: renamed } })
    expect(await roleOf(there, user)).toBe(renamed)
    expect((await scim.ask('DELETE', `/Groups/${made.body.id}`)).status).toBe(204)
    expect((await scim.ask('GET', `/Groups/${made.body.id}`)).status).toBe(404)
    expect(await roleOf(there, user)).toBe('Org Viewer')
    const actions = (await auditOf(made.body.id)).map(({ action }) => action)
    expect(actions).toEqual(['scim.group.create', 'scim.group.update', 'scim.group.delete'])
  })

  it('that the provider did not create cannot be renamed or deleted', async () => {
    const there = await world()
    const { scim } = await provisioning(sso, there)
    const viewers = await groupNamed(scim, 'Org Viewer')
    const path = `/Groups/${viewers.id}`
    expect((await scim.patch(path, { op: 'replace', path: 'displayName', value: 'Mine' })).body).toMatchObject({
      scimType: 'mutability',
    })
    expect((await scim.ask('DELETE', path)).status).toBe(403)
    expect((await scim.ask('POST', '/Groups', { displayName: 'org admin' })).status).toBe(409)
    expect((await scim.patch(path, { op: 'add', path: 'members', value: [{ value: 'unknown' }] })).body).toMatchObject({
      scimType: 'invalidValue',
    })
  })

  it('of another organization are not found, and its users cannot be members', async () => {
    const [there, elsewhere] = [await world(), await world()]
    const { scim } = await provisioning(sso, there)
    const theirs = await call(elsewhere.orgAdmin, roles.create, { name: `Theirs ${unique()}` })
    const ofPartner = await call(there.partnerAdmin, roles.create, { name: `Partner's ${unique()}` })
    for (const { id } of [theirs, ofPartner]) {
      const path = `/Groups/${id}`
      expect((await scim.ask('GET', path)).status).toBe(404)
      expect((await scim.patch(path, { op: 'add', path: 'members', value: [] })).status).toBe(404)
      expect((await scim.ask('PUT', path, { displayName: 'x' })).status).toBe(404)
      expect((await scim.ask('DELETE', path)).status).toBe(404)
    }
    const viewers = await groupNamed(scim, 'Org Viewer')
    const stranger = [{ value: elsewhere.orgAdmin.userId }]
    expect((await scim.patch(`/Groups/${viewers.id}`, { op: 'add', path: 'members', value: stranger })).status).toBe(
      400,
    )
    expect(await roleOf(elsewhere, elsewhere.orgAdmin.userId)).toBe('Org Admin')
  })
})
