import { auditOf } from '@muster/testkit/audit.ts'
import { call, refusal } from '@muster/testkit/call.ts'
import { testServices } from '@muster/testkit/services.ts'
import { person, world } from '@muster/testkit/world.ts'
import { describe, expect, it } from 'vitest'
import { sites } from '../../tenancy/tenancy/sites/sites.contract.ts'
import { permissionCatalog } from '../../vocabulary.contract.ts'
import { session } from '../auth/sign-in/session.contract.ts'
import { users } from '../users/users.contract.ts'
import { permissions } from './permissions.contract.ts'
import { roles } from './roles.contract.ts'

const here = await world()
const elsewhere = await world()
const admin = here.partnerAdmin
const partnerTenant = { scope: 'partner', partnerId: here.partner.id } as const
const orgTenant = { scope: 'organization', partnerId: here.partner.id, orgId: here.org.id } as const

let made = 0
const role = (more: object = {}, who = admin) => call(who, roles.create, { name: `Role ${++made}`, ...more })
/** Permissions as a caller writes them. Some are invalid on purpose. */
const may = (...granted: string[]) => ({
  permissions: granted.map((permission) => {
    const [resource, action] = permission.split(':')
    return { resource, action } as { resource: 'devices'; action: 'read' }
  }),
})
/** A partner member with a custom role. */
async function memberWith(given: object) {
  const { id } = await role(given)
  const member = await person(partnerTenant, { role: 'Partner Viewer' })
  await call(admin, users.role, { id: member.userId, roleId: id })
  return { ...member, roleId: id }
}
const builtIn = async (name: string, who = admin, named: object = {}) => {
  const { data } = await call(who, roles.list, named)
  const found = data.find((candidate) => candidate.name === name)
  if (found === undefined) throw new Error(`no role ${name}`)
  return found
}

describe('custom roles', () => {
  it('belong to the partner or organization of their creator', async () => {
    expect(await role()).toMatchObject({
      scope: 'partner',
      partnerId: here.partner.id,
      orgId: null,
      isSystem: false,
      forceMfa: false,
      parentRoleId: null,
      permissions: [],
      userCount: 0,
    })
    expect(await role({}, here.orgAdmin)).toMatchObject({ scope: 'organization', orgId: here.org.id })
    expect(await role({ orgId: here.otherOrg.id })).toMatchObject({ scope: 'organization', orgId: here.otherOrg.id })
  })

  it('require a name of at most 100 characters that is unique in the tenant: 409', async () => {
    const { name } = await role({ name: 'x'.repeat(100) })
    expect(await refusal(role({ name: 'x'.repeat(101) }))).toMatchObject({ status: 400, code: 'VALIDATION_ERROR' })
    expect(await refusal(role({ name: name.toUpperCase() }))).toMatchObject({ status: 409 })
    expect(await refusal(role({ name: 'Partner Admin' }))).toMatchObject({ status: 409 })
    expect(await role({ name }, elsewhere.partnerAdmin)).toMatchObject({ name })
    expect(await role({ name }, here.orgAdmin)).toMatchObject({ name })
    expect(await role({ name, orgId: here.otherOrg.id })).toMatchObject({ name })
  })

  it('show the canonical word for an action that was given by a synonym', async () => {
    const given = may('devices:view', 'devices:update', 'devices:create', 'sites:read')
    expect((await role(given)).permissions).toEqual([
      { resource: 'devices', action: 'read' },
      { resource: 'devices', action: 'write' },
      { resource: 'sites', action: 'read' },
    ])
  })

  it('reject permissions that do not exist', async () => {
    for (const wrong of ['devices:invite', 'sites:execute', 'planets:read', '*:read']) {
      expect(await refusal(role(may(wrong)))).toMatchObject({ status: 400, code: 'VALIDATION_ERROR' })
    }
  })

  it('can change name, description, permissions, parent and forced MFA, with an audit record', async () => {
    const parent = await role(may('alerts:read'))
    const { id } = await role(may('devices:read'))
    const after = await call(admin, roles.update, {
      id,
      name: `Renamed ${id}`,
      description: 'A new description',
      parentRoleId: parent.id,
      forceMfa: true,
      permissions: [{ resource: 'sites', action: 'read' }],
    })
    expect(after).toMatchObject({
      name: `Renamed ${id}`,
      description: 'A new description',
      parentRoleId: parent.id,
      forceMfa: true,
      permissions: [{ resource: 'sites', action: 'read' }],
    })
    const [, record] = await auditOf(id)
    expect(record).toMatchObject({ action: 'role.update', partner_id: here.partner.id })
    expect(record?.details.changes?.permissions).toEqual({ before: ['devices:read'], after: ['sites:read'] })
    expect(await refusal(call(admin, roles.update, { id }))).toMatchObject({ message: 'No updates provided' })
  })

  it('of another tenant return 404', async () => {
    const { id } = await role({}, elsewhere.partnerAdmin)
    const attempts: Promise<unknown>[] = [
      call(admin, roles.get, { id }),
      call(admin, roles.update, { id, name: 'Mine' }),
      call(admin, roles.remove, { id }),
      call(admin, roles.clone, { id, name: 'Mine' }),
      call(admin, users.ofRole, { id }),
      call(admin, roles.effectivePermissions, { id }),
      role({ parentRoleId: id }),
    ]
    for (const response of await Promise.all(attempts.map(refusal))) expect(response).toMatchObject({ status: 404 })
    const own = await role({}, here.orgAdmin)
    const other = await person({ ...orgTenant, orgId: here.otherOrg.id }, { role: 'Org Admin' })
    expect(await refusal(call(other, roles.get, { id: own.id }))).toMatchObject({ status: 404 })
  })
})

describe('system roles', () => {
  it('are listed with the custom roles of their scope and with user counts of the own tenant', async () => {
    const there = await world()
    const { data } = await call(there.partnerAdmin, roles.list, {})
    expect(data.map(({ name, userCount, isSystem }) => ({ name, userCount, isSystem }))).toEqual([
      { name: 'Partner Admin', userCount: 1, isSystem: true },
      { name: 'Partner Technician', userCount: 0, isSystem: true },
      { name: 'Partner Viewer', userCount: 1, isSystem: true },
    ])
    expect((await call(there.orgAdmin, roles.list, {})).data.map(({ scope }) => scope)).toEqual(
      Array.from({ length: 3 }, () => 'organization'),
    )
  })

  it('cannot be modified or deleted: 403 with the messages of the contract', async () => {
    const { id } = await builtIn('Partner Viewer')
    expect(await refusal(call(admin, roles.update, { id, name: 'Mine' }))).toMatchObject({
      status: 403,
      message: 'Cannot modify system roles',
    })
    expect(await refusal(call(admin, roles.remove, { id }))).toMatchObject({
      status: 403,
      message: 'Cannot delete system roles',
    })
    expect(await refusal(call(here.systemAdmin, roles.update, { id, name: 'Mine' }))).toMatchObject({ status: 403 })
  })

  it('can be cloned into a custom role with all permissions', async () => {
    const source = await builtIn('Partner Technician')
    const clone = await call(admin, roles.clone, { id: source.id, name: 'Night shift' })
    expect(clone).toMatchObject({ isSystem: false, partnerId: here.partner.id, name: 'Night shift' })
    const { permissions: original } = await call(admin, roles.get, { id: source.id })
    expect(clone.permissions).toEqual(original)
    expect(await auditOf(clone.id)).toMatchObject([{ action: 'role.clone', details: { clonedFrom: source.id } }])
  })

  it('force MFA when they are administrator roles', async () => {
    const { system } = await testServices()
    const { rows } = await system.query<{ name: string }>('SELECT name FROM roles WHERE is_system AND force_mfa')
    expect(rows.map(({ name }) => name).sort()).toEqual(['Org Admin', 'Partner Admin', 'System Admin'])
  })
})

describe('inheritance', () => {
  it('includes all permissions of the chain of parents, each with its source role', async () => {
    const top = await role(may('devices:read', 'sites:read'))
    const middle = await role({ ...may('alerts:read'), parentRoleId: top.id })
    const low = await role({ ...may('devices:read', 'scripts:read'), parentRoleId: middle.id })
    const { permissions: effective } = await call(admin, roles.effectivePermissions, { id: low.id })
    expect(effective.map((one) => [`${one.resource}:${one.action}`, one.sourceRoleName, one.inherited])).toEqual([
      ['devices:read', low.name, false],
      ['scripts:read', low.name, false],
      ['alerts:read', middle.name, true],
      ['devices:read', top.name, true],
      ['sites:read', top.name, true],
    ])
    const member = await memberWith({ parentRoleId: low.id })
    expect((await call(member, session.me, {})).permissions.toSorted()).toEqual([
      'alerts:read',
      'devices:read',
      'scripts:read',
      'sites:read',
    ])
  })

  it('returns 400 for a parent that would create a cycle', async () => {
    const a = await role()
    const b = await role({ parentRoleId: a.id })
    const c = await role({ parentRoleId: b.id })
    for (const parentRoleId of [a.id, b.id, c.id]) {
      expect(await refusal(call(admin, roles.update, { id: a.id, parentRoleId }))).toMatchObject({
        status: 400,
        message: 'This parent would create circular inheritance',
      })
    }
    expect(await call(admin, roles.update, { id: c.id, parentRoleId: null })).toMatchObject({ parentRoleId: null })
  })

  it('cannot become circular through two simultaneous changes', async () => {
    const [a, b] = [await role(), await role()]
    const outcomes = await Promise.allSettled([
      call(admin, roles.update, { id: a.id, parentRoleId: b.id }),
      call(admin, roles.update, { id: b.id, parentRoleId: a.id }),
    ])
    expect(outcomes.filter(({ status }) => status === 'fulfilled')).toHaveLength(1)
  })

  it('accepts a built-in parent of the same scope, and none of another scope', async () => {
    const viewer = await builtIn('Partner Viewer')
    expect(await role({ parentRoleId: viewer.id })).toMatchObject({ parentRoleId: viewer.id })
    const orgViewer = await builtIn('Org Viewer', here.orgAdmin)
    expect(await refusal(role({ parentRoleId: orgViewer.id }))).toMatchObject({ status: 404 })
  })

  it('applies a change of a parent to members with child roles at once', async () => {
    const parent = await role()
    const member = await memberWith({ parentRoleId: parent.id })
    expect(await refusal(call(member, sites.list, {}))).toMatchObject({ status: 403 })
    await call(admin, roles.update, { id: parent.id, ...may('sites:read') })
    expect((await call(member, sites.list, {})).data).toHaveLength(1)
    await call(admin, roles.update, { id: parent.id, permissions: [] })
    expect(await refusal(call(member, sites.list, {}))).toMatchObject({ status: 403 })
  })
})

describe('deleting a role', () => {
  it('returns 400 with the number of uses while users have it or roles inherit from it', async () => {
    const parent = await role()
    await role({ parentRoleId: parent.id })
    const member = await memberWith({})
    await call(admin, users.role, { id: member.userId, roleId: parent.id })
    expect(await refusal(call(admin, roles.remove, { id: parent.id }))).toMatchObject({
      status: 400,
      extra: { blockers: 2, userCount: 1, childRoleCount: 1 },
    })
    expect(await call(admin, roles.get, { id: parent.id })).toMatchObject({ userCount: 1 })
    expect(await call(admin, roles.remove, { id: member.roleId })).toEqual({ success: true })
    expect(await refusal(call(admin, roles.get, { id: member.roleId }))).toMatchObject({ status: 404 })
    expect((await auditOf(member.roleId)).map(({ action }) => action)).toEqual(['role.create', 'role.delete'])
  })
})

describe('granting permissions', () => {
  it('is rejected for permissions that the caller does not hold, also through a parent', async () => {
    const manager = await memberWith(may('users:read', 'users:write', 'sites:read'))
    expect(await role(may('sites:read'), manager)).toBeDefined()
    const response = await refusal(role(may('sites:read', 'devices:delete'), manager))
    expect(response).toMatchObject({ status: 403 })
    expect(response.message).toContain('devices:delete')
    expect(await refusal(role(may('*:*'), manager))).toMatchObject({ status: 403 })

    const strong = await role(may('devices:delete'))
    expect(await refusal(role({ parentRoleId: strong.id }, manager))).toMatchObject({ status: 403 })
    expect(await refusal(call(manager, roles.clone, { id: strong.id, name: 'Copy' }))).toMatchObject({ status: 403 })
    const own = await role({}, manager)
    const raise = { id: own.id, ...may('remote:access') }
    expect(await refusal(call(manager, roles.update, raise))).toMatchObject({ status: 403 })
    const adopt = { id: own.id, parentRoleId: strong.id }
    expect(await refusal(call(manager, roles.update, adopt))).toMatchObject({ status: 403 })
    const renamed = call(manager, roles.update, { id: strong.id, name: 'Still strong' })
    expect(await refusal(renamed)).toMatchObject({ status: 403 })
  })

  it('is rejected for a partner user who reaches only some organizations', async () => {
    const selected = await person(partnerTenant, {
      role: 'Partner Admin',
      orgAccess: 'selected',
      orgIds: [here.org.id],
    })
    const { id } = await role()
    const attempts: Promise<unknown>[] = [
      role({}, selected),
      role({ orgId: here.org.id }, selected),
      call(selected, roles.update, { id, name: 'X' }),
      call(selected, roles.remove, { id }),
      call(selected, roles.clone, { id, name: 'X' }),
    ]
    for (const response of await Promise.all(attempts.map(refusal))) {
      expect(response).toMatchObject({ status: 403, message: 'Full partner organization access required' })
    }
    expect(await call(selected, roles.get, { id })).toMatchObject({ id })
  })

  it('requires a system caller to name the tenant', async () => {
    expect(await refusal(call(here.systemAdmin, roles.list, {}))).toMatchObject({
      status: 403,
      message: 'Partner or organization context',
    })
    const { data } = await call(here.systemAdmin, roles.list, { partnerId: here.partner.id })
    expect(data.some(({ partnerId }) => partnerId === here.partner.id)).toBe(true)
  })
})

describe('the users of a role', () => {
  it('are limited to the caller’s own tenant', async () => {
    const { id } = await builtIn('Partner Admin')
    const { data } = await call(admin, users.ofRole, { id, limit: 100 })
    expect(data.map((user) => user.id)).toContain(admin.userId)
    expect(data.map((user) => user.id)).not.toContain(elsewhere.partnerAdmin.userId)
    expect(new Set(data.map((user) => user.partnerId))).toEqual(new Set([here.partner.id]))
  })
})

describe('the permission catalog', () => {
  it('lists each permission with the operations that require it and whether the caller may grant it', async () => {
    const { data } = await call(here.partnerViewer, permissions.catalog, {})
    expect(data.map(({ permission }) => permission)).toEqual(Object.keys(permissionCatalog))
    const sitesWrite = data.find(({ permission }) => permission === 'sites:write')
    expect(sitesWrite).toMatchObject({ resource: 'sites', action: 'write', assignable: false })
    expect(sitesWrite?.operations).toEqual(expect.arrayContaining(['tenancy.sites.create', 'tenancy.sites.update']))
    expect(data.find(({ permission }) => permission === 'sites:read')).toMatchObject({ assignable: true })
  })

  it('names the existing resources and actions', async () => {
    const { resources, synonyms } = await call(admin, permissions.available, {})
    expect(resources.find(({ resource }) => resource === 'users')?.actions).toEqual([
      'read',
      'write',
      'delete',
      'invite',
    ])
    expect(synonyms).toEqual({ view: 'read', create: 'write', update: 'write' })
  })
})
