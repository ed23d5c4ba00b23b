import { auditOf } from '@muster/testkit/audit.ts'
import { call, refusal } from '@muster/testkit/call.ts'
import { testServices } from '@muster/testkit/services.ts'
import { type Person, person, world } from '@muster/testkit/world.ts'
import { describe, expect, it } from 'vitest'
import { sites } from '../../tenancy/tenancy/sites/sites.contract.ts'
import { session } from '../auth/sign-in/session.contract.ts'
import { roles } from '../roles/roles.contract.ts'
import { invitations } from './invitations/invitations.contract.ts'
import { profile } from './profile.contract.ts'
import { users } from './users.contract.ts'

const here = await world()
const elsewhere = await world()
const admin = here.partnerAdmin
const { system } = await testServices()
const partnerTenant = { scope: 'partner', partnerId: here.partner.id } as const
const orgTenant = { scope: 'organization', partnerId: here.partner.id, orgId: here.org.id } as const
const member = (role = 'Partner Viewer') => person(partnerTenant, { role })
const orgMember = (role = 'Org Viewer') => person(orgTenant, { role })
const ids = (list: { data: readonly { id: string }[] }) => list.data.map(({ id }) => id)
const roleId = async (name: string, who = admin) => {
  const found = (await call(who, users.roles, {})).data.find((role) => role.name === name)
  if (found === undefined) throw new Error(`no role ${name}`)
  return found.id
}
/** Makes the person a member of a second partner. */
async function alsoElsewhere({ userId }: Person) {
  await system.query(
    `INSERT INTO partner_users (partner_id, user_id, role_id, org_access)
     SELECT $1, $2, id, 'all' FROM roles WHERE is_system AND name = 'Partner Viewer'`,
    [elsewhere.partner.id, userId],
  )
}

it('cannot activate an invited user, and the error names the operation to use', async () => {
  const guest = { email: `guest-${here.org.id}@example.test`, name: 'Guest', roleId: await roleId('Partner Viewer') }
  const { id } = await call(admin, invitations.invite, guest)
  expect(await refusal(call(admin, users.update, { id, status: 'active' }))).toMatchObject({
    status: 409,
    message: 'The user has not accepted the invitation yet. Send it again with POST /users/resend-invite',
  })
})

describe('the list of users', () => {
  it('contains only the members of the caller’s partner or organization', async () => {
    const there = await world()
    const viewer = await person({ scope: 'partner', partnerId: there.partner.id }, { role: 'Partner Viewer' })
    expect(ids(await call(there.partnerAdmin, users.list, {})).sort()).toEqual(
      [there.partnerAdmin.userId, there.partnerViewer.userId, viewer.userId].sort(),
    )
    expect(ids(await call(there.orgAdmin, users.list, {}))).toEqual([there.orgAdmin.userId])
  })

  it('shows members of an organization to its partner when the organization is named', async () => {
    const { data } = await call(admin, users.list, { orgId: here.org.id })
    expect(data.find(({ id }) => id === here.orgAdmin.userId)).toMatchObject({
      scope: 'organization',
      orgId: here.org.id,
      roleName: 'Org Admin',
      siteIds: null,
    })
    expect(await refusal(call(admin, users.list, { orgId: elsewhere.org.id }))).toMatchObject({ status: 403 })
    expect(await refusal(call(here.orgAdmin, users.list, { orgId: here.otherOrg.id }))).toMatchObject({
      status: 403,
      message: 'Access to this organization denied',
    })
    expect(await refusal(call(admin, users.list, { partnerId: elsewhere.partner.id }))).toMatchObject({
      status: 403,
      message: 'Access denied to this partner',
    })
  })

  it('can be searched by name and email, filtered by status and role, and is ordered by name', async () => {
    const there = await world()
    const who = there.partnerAdmin
    const tenant = { scope: 'partner', partnerId: there.partner.id } as const
    const people = [await person(tenant, { role: 'Partner Viewer' }), await person(tenant, { role: 'Partner Viewer' })]
    const [first] = people
    expect(ids(await call(who, users.list, { search: first?.email.slice(0, 10) }))).toEqual([first?.userId])
    expect((await call(who, users.list, { search: '%' })).data).toEqual([])
    await call(who, users.update, { id: first?.userId ?? '', status: 'disabled' })
    expect(ids(await call(who, users.list, { status: 'disabled' }))).toEqual([first?.userId])
    const viewers = await call(who, users.list, {
      roleId: (await call(who, users.get, { id: first?.userId ?? '' })).roleId,
    })
    expect(viewers.pagination.total).toBe(3)
    const names = (await call(who, users.list, {})).data.map(({ name }) => name)
    const paged = [1, 2, 3, 4].map((page) => call(who, users.list, { page, limit: 1 }))
    expect((await Promise.all(paged)).flatMap(({ data }) => data.map(({ name }) => name))).toEqual(names)
  })

  it('returns 403 Partner or organization context to a system caller that names no tenant, with the fields to send', async () => {
    expect(await refusal(call(here.systemAdmin, users.list, {}))).toMatchObject({
      status: 403,
      message: 'Partner or organization context',
      extra: { issues: [{ path: 'orgId', message: 'orgId or partnerId is required in system scope' }] },
    })
    expect(ids(await call(here.systemAdmin, users.list, { partnerId: here.partner.id }))).toContain(admin.userId)
  })

  it('requires users:read', async () => {
    const { id } = await call(admin, roles.create, { name: 'Nothing' })
    const outsider = await member()
    await call(admin, users.role, { id: outsider.userId, roleId: id })
    expect(await refusal(call(outsider, users.list, {}))).toMatchObject({ status: 403 })
  })
})

describe('a user', () => {
  it('of another tenant returns 404 User not found and stays unchanged', async () => {
    const id = elsewhere.partnerViewer.userId
    const viewer = await roleId('Partner Viewer')
    const attempts: Promise<unknown>[] = [
      call(admin, users.get, { id }),
      call(admin, users.update, { id, status: 'disabled' }),
      call(admin, users.remove, { id }),
      call(admin, users.role, { id, roleId: viewer }),
    ]
    for (const response of await Promise.all(attempts.map(refusal))) {
      expect(response).toMatchObject({ status: 404, message: 'User not found' })
    }
    expect(await call(elsewhere.partnerAdmin, users.get, { id })).toMatchObject({ status: 'active' })
  })

  it('of an organization is found by its partner without naming the organization', async () => {
    const { userId } = await orgMember()
    expect(await call(admin, users.get, { id: userId })).toMatchObject({ orgId: here.org.id })
  })

  it('contains no secrets', async () => {
    const shown = await call(admin, users.get, { id: admin.userId })
    expect(JSON.stringify(shown)).not.toMatch(/hash|secret|recovery/i)
  })
})

describe('changing a user', () => {
  it('changes the name and writes an audit record', async () => {
    const { userId: id } = await member()
    expect(await call(admin, users.update, { id, name: 'New Name' })).toMatchObject({ name: 'New Name' })
    expect(await auditOf(id)).toMatchObject([{ action: 'user.update', changed_fields: ['name'] }])
    expect(await refusal(call(admin, users.update, { id }))).toMatchObject({ message: 'No updates provided' })
    const wrong = { id, status: 'invited' } as never
    expect(await refusal(call(admin, users.update, wrong))).toMatchObject({ status: 400 })
  })

  it('disabling ends all sessions at once; after enabling, the user has to sign in again', async () => {
    const someone = await member()
    expect(await call(someone, session.me, {})).toMatchObject({ id: someone.userId })
    expect(await call(admin, users.update, { id: someone.userId, status: 'disabled' })).toMatchObject({
      status: 'disabled',
    })
    expect(await refusal(call(someone, session.me, {}))).toMatchObject({ status: 401 })
    expect(await call(admin, users.update, { id: someone.userId, status: 'active' })).toMatchObject({
      status: 'active',
    })
    expect(await refusal(call(someone, session.me, {}))).toMatchObject({ status: 401 })
  })

  it('disabling, renaming or removing a shared member in one tenant leaves the other tenant unchanged', async () => {
    const someone = await member()
    await alsoElsewhere(someone)
    const id = someone.userId
    const before = await call(elsewhere.partnerAdmin, users.get, { id })
    await call(elsewhere.partnerAdmin, users.update, { id, name: 'Name in one tenant', status: 'disabled' })
    expect(await call(elsewhere.partnerAdmin, users.get, { id })).toMatchObject({
      name: 'Name in one tenant',
      status: 'disabled',
    })
    expect(await call(someone, session.me, {})).toMatchObject({ id, name: before.name })
    expect(await call(admin, users.get, { id })).toMatchObject({ status: 'active', name: before.name })
    await call(elsewhere.partnerAdmin, users.remove, { id })
    expect(await call(admin, users.get, { id })).toMatchObject({ status: 'active' })
    expect(await call(someone, session.me, {})).toMatchObject({ id })
  })
})

describe('removing a user', () => {
  it('removes only the membership: the account stays, and its sessions end', async () => {
    const someone = await member()
    expect(await call(admin, users.remove, { id: someone.userId })).toEqual({ success: true })
    expect(await refusal(call(admin, users.get, { id: someone.userId }))).toMatchObject({ status: 404 })
    expect(await refusal(call(someone, session.me, {}))).toMatchObject({ status: 401 })
    const { rows } = await system.query('SELECT email FROM users WHERE id = $1', [someone.userId])
    expect(rows).toHaveLength(1)
    expect(await auditOf(someone.userId)).toMatchObject([{ action: 'user.remove', partner_id: here.partner.id }])
  })

  it('requires users:delete', async () => {
    const someone = await member()
    const technician = await member('Partner Technician')
    expect(await refusal(call(technician, users.remove, { id: someone.userId }))).toMatchObject({ status: 403 })
  })
})

describe('giving a role', () => {
  it('takes effect at once and writes an audit record', async () => {
    const someone = await member()
    const create = () => call(someone, sites.create, { orgId: here.org.id, name: 'Mine' })
    expect(await refusal(create())).toMatchObject({ status: 403 })
    const id = someone.userId
    const given = await call(admin, users.role, { id, roleId: await roleId('Partner Admin') })
    expect(given).toMatchObject({ roleName: 'Partner Admin', orgAccess: 'all' })
    expect(await create()).toMatchObject({ name: 'Mine' })
    const [record] = await auditOf(id)
    expect(record).toMatchObject({ action: 'user.role.assign' })
    expect(record?.changed_fields).toContain('roleId')
  })

  it('can change the reach of a partner member, only to live organizations of the partner', async () => {
    const someone = await member()
    const given = { id: someone.userId, roleId: await roleId('Partner Viewer') }
    expect(await call(admin, users.role, { ...given, orgAccess: 'selected', orgIds: [here.org.id] })).toMatchObject({
      orgAccess: 'selected',
      orgIds: [here.org.id],
    })
    expect((await call(someone, session.me, {})).accessibleOrgIds).toEqual([here.org.id])
    const foreign = { ...given, orgIds: [here.org.id, elsewhere.org.id] }
    expect(await refusal(call(admin, users.role, foreign))).toMatchObject({ status: 404 })
    expect(await call(admin, users.role, given)).toMatchObject({ orgAccess: 'selected' })
    expect(await call(admin, users.role, { ...given, orgAccess: 'all' })).toMatchObject({
      orgAccess: 'all',
      orgIds: null,
    })
  })

  it('can limit an organization member to sites of its organization', async () => {
    const someone = await orgMember()
    const viewer = (await call(admin, users.list, { orgId: here.org.id })).data.find(({ id }) => id === someone.userId)
    const given = { id: someone.userId, roleId: viewer?.roleId ?? '' }
    await call(here.orgAdmin, users.role, { ...given, siteIds: [here.site.id] })
    expect(await call(here.orgAdmin, users.get, { id: someone.userId })).toMatchObject({ siteIds: [here.site.id] })
    const foreign = { ...given, siteIds: [elsewhere.site.id] }
    expect(await refusal(call(here.orgAdmin, users.role, foreign))).toMatchObject({ status: 404 })
    const wrongKind = { ...given, orgAccess: 'all' } as const
    expect(await refusal(call(here.orgAdmin, users.role, wrongKind))).toMatchObject({ status: 400 })
  })

  it('returns 404 for a role of another scope or tenant', async () => {
    const someone = await member()
    const foreign = await call(elsewhere.partnerAdmin, roles.create, { name: 'Theirs' })
    const orgRole = await roleId('Org Viewer', here.orgAdmin)
    for (const wrong of [foreign.id, orgRole]) {
      expect(await refusal(call(admin, users.role, { id: someone.userId, roleId: wrong }))).toMatchObject({
        status: 404,
        message: 'Role not found',
      })
    }
  })

  it('is rejected for a role that allows more than the caller may do', async () => {
    const { id: managing } = await call(admin, roles.create, {
      name: 'Manages people',
      permissions: [
        { resource: 'users', action: 'read' },
        { resource: 'users', action: 'write' },
      ],
    })
    const manager = await member()
    await call(admin, users.role, { id: manager.userId, roleId: managing })
    const strongest = await roleId('Partner Admin')
    expect(await refusal(call(manager, users.role, { id: manager.userId, roleId: strongest }))).toMatchObject({
      status: 403,
    })
    const { data } = await call(manager, users.roles, {})
    expect(data.find(({ id }) => id === strongest)).toMatchObject({ assignable: false })
    expect(data.find(({ id }) => id === managing)).toMatchObject({ assignable: true })
  })

  it('is rejected for a caller who is limited to sites', async () => {
    const second = await call(here.orgAdmin, sites.create, { orgId: here.org.id, name: 'Second' })
    const limited = await person(orgTenant, { role: 'Org Admin', siteIds: [here.site.id] })
    const someone = await orgMember()
    const given = { id: someone.userId, roleId: await roleId('Org Viewer', here.orgAdmin) }
    for (const siteIds of [null, [second.id], [here.site.id]]) {
      expect(await refusal(call(limited, users.role, { ...given, siteIds }))).toMatchObject({ status: 403 })
    }
  })
})

describe('managing users', () => {
  it('returns 403 Full partner organization access required without access to all organizations', async () => {
    const selected = await person(partnerTenant, {
      role: 'Partner Admin',
      orgAccess: 'selected',
      orgIds: [here.org.id],
    })
    const id = here.orgAdmin.userId
    const attempts: Promise<unknown>[] = [
      call(selected, users.update, { id, name: 'X' }),
      call(selected, users.remove, { id }),
      call(selected, users.role, { id, roleId: id }),
    ]
    for (const response of await Promise.all(attempts.map(refusal))) {
      expect(response).toMatchObject({ status: 403, message: 'Full partner organization access required' })
    }
    expect((await call(selected, users.list, {})).pagination.total).toBeGreaterThan(1)
    expect(ids(await call(selected, users.list, { orgId: here.org.id }))).toContain(id)
    expect(await refusal(call(selected, users.list, { orgId: here.otherOrg.id }))).toMatchObject({ status: 403 })
  })
})

describe('the last administrator of a partner', () => {
  const message =
    'The last administrator of a partner cannot be removed, disabled or given a lesser role. Make another user administrator first'

  it('cannot be removed, disabled, given a lesser role or a narrower reach', async () => {
    const there = await world()
    const id = there.partnerAdmin.userId
    const viewer = await roleId('Partner Viewer')
    const strongest = await roleId('Partner Admin')
    const named = { partnerId: there.partner.id }
    const attempts: Promise<unknown>[] = [
      call(there.partnerAdmin, users.remove, { id }),
      call(there.systemAdmin, users.remove, { id, ...named }),
      call(there.partnerAdmin, users.update, { id, status: 'disabled' }),
      call(there.partnerAdmin, users.role, { id, roleId: viewer }),
      call(there.partnerAdmin, users.role, { id, roleId: strongest, orgAccess: 'none' }),
    ]
    for (const response of await Promise.all(attempts.map(refusal)))
      expect(response).toMatchObject({ status: 409, message })
    expect(await call(there.partnerAdmin, users.get, { id })).toMatchObject({ status: 'active', orgAccess: 'all' })
  })

  it('stays when two administrators remove each other at the same time', async () => {
    const there = await world()
    const second = await person({ scope: 'partner', partnerId: there.partner.id }, { role: 'Partner Admin' })
    const outcomes = await Promise.allSettled([
      call(there.partnerAdmin, users.remove, { id: second.userId }),
      call(second, users.remove, { id: there.partnerAdmin.userId }),
    ])
    expect(outcomes.filter(({ status }) => status === 'fulfilled')).toHaveLength(1)
  })

  it('cannot lose the permissions of the custom role that makes them administrator', async () => {
    const there = await world()
    const who = there.partnerAdmin
    const { id: owner } = await call(who, roles.create, {
      name: 'Owner',
      permissions: [{ resource: '*', action: '*' }],
    })
    await call(who, users.role, { id: who.userId, roleId: owner })
    const weaker = { id: owner, permissions: [{ resource: 'users', action: 'read' }] } as never
    expect(await refusal(call(who, roles.update, weaker))).toMatchObject({ status: 409, message })
  })
})

describe('the profile', () => {
  it('is read and changed by its owner: name and avatarUrl', async () => {
    const someone = await orgMember()
    expect(await call(someone, profile.get, {})).toMatchObject({ id: someone.userId, orgId: here.org.id })
    const sent = { name: 'Me', avatarUrl: 'https://example.test/me.png' }
    const more = await refusal(call(someone, profile.update, { ...sent, email: 'other@example.test' } as never))
    expect(more.message).toBe('Unknown field: email. Known fields: name, avatarUrl')
    const after = await call(someone, profile.update, sent)
    expect(after).toMatchObject({ name: 'Me', avatarUrl: 'https://example.test/me.png', email: someone.email })
    expect(await auditOf(someone.userId)).toMatchObject([
      { action: 'user.profile.update', changed_fields: ['name', 'avatarUrl'] },
    ])
    expect(await refusal(call(someone, profile.update, {}))).toMatchObject({ message: 'No updates provided' })
    const script = { avatarUrl: 'javascript:alert(1)' }
    expect(await refusal(call(someone, profile.update, script))).toMatchObject({ status: 400 })
    expect(await call(someone, profile.update, { avatarUrl: null })).toMatchObject({ avatarUrl: null })
  })

  it('is available in system scope', async () => {
    expect(await call(here.systemAdmin, profile.get, {})).toMatchObject({ scope: 'system', partnerId: null })
  })
})
