import { call, refusal } from '@muster/testkit/call.ts'
import { signedInLongAgo } from '@muster/testkit/credentials.ts'
import { testServices } from '@muster/testkit/services.ts'
import { person, world } from '@muster/testkit/world.ts'
import { describe, expect, it } from 'vitest'
import { reviews } from '../access-reviews/reviews.contract.ts'
import { keys } from '../api-keys/keys.contract.ts'
import { roles } from '../roles/roles.contract.ts'
import { invitations } from './invitations/invitations.contract.ts'
import { protection } from './protection/protection.contract.ts'
import { users } from './users.contract.ts'

const here = await world()
const { system } = await testServices()
const orgTenant = { scope: 'organization', partnerId: here.partner.id, orgId: here.org.id } as const
const reading = { resource: 'users', action: 'read' } as const
const executing = { resource: 'devices', action: 'execute' } as const
const managing = [
  reading,
  ...(['write', 'delete', 'invite'] as const).map((action) => ({ resource: 'users' as const, action })),
  ...(['read', 'write'] as const).map((action) => ({ resource: 'settings' as const, action })),
]
const builtIn = async (name: string) =>
  (await call(here.orgAdmin, roles.list, {})).data.find((role) => role.name === name)?.id ?? ''

describe('an administrator with fewer permissions', async () => {
  const manager = await call(here.orgAdmin, roles.create, { name: 'Manages users', permissions: managing })
  const technician = await builtIn('Org Technician')
  const parent = await call(here.orgAdmin, roles.create, {
    name: 'Runs commands',
    permissions: [executing],
  })
  const heir = await call(here.orgAdmin, roles.create, { name: 'Inherits', parentRoleId: parent.id, forceMfa: true })
  const base = await call(here.orgAdmin, roles.create, { name: 'Base', permissions: [reading] })
  await call(here.orgAdmin, roles.create, {
    name: 'Above base',
    parentRoleId: base.id,
    permissions: [executing],
  })
  const lesser = await person(orgTenant, { role: 'Org Viewer' })
  await call(here.orgAdmin, users.role, { id: lesser.userId, roleId: manager.id })
  const greater = await person(orgTenant, { role: 'Org Admin' })
  const inheriting = await person(orgTenant, { role: 'Org Viewer' })
  await call(here.orgAdmin, users.role, { id: inheriting.userId, roleId: heir.id })
  const invited = await call(here.orgAdmin, invitations.invite, {
    email: `${greater.userId}@guest.test`,
    name: 'Guest',
    roleId: technician,
  })
  const key = await call(greater, keys.create, { name: 'Full', scopes: ['*:*'] })
  const review = await call(here.orgAdmin, reviews.create, { name: 'Quarterly' })
  const { items } = await call(here.orgAdmin, reviews.get, { id: review.id })
  const item = items.find(({ userId }) => userId === greater.userId)

  it.each([
    ['disable a person', () => call(lesser, users.update, { id: greater.userId, status: 'disabled' })],
    ['rename a person', () => call(lesser, users.update, { id: greater.userId, name: 'Another' })],
    ['remove a person', () => call(lesser, users.remove, { id: greater.userId })],
    ['demote a person', () => call(lesser, users.role, { id: greater.userId, roleId: manager.id })],
    ['end the sessions of a person', () => call(lesser, protection.endSessions, { id: greater.userId })],
    [
      'demote a person whose permission is inherited',
      () => call(lesser, users.role, { id: inheriting.userId, roleId: manager.id }),
    ],
    ['send an invitation again', () => call(lesser, invitations.resendInvite, { userId: invited.id })],
    ['strip a role', () => call(lesser, roles.update, { id: parent.id, permissions: [] })],
    ['stop a role from forcing a second factor', () => call(lesser, roles.update, { id: heir.id, forceMfa: false })],
    ['change the parent of a role', () => call(lesser, roles.update, { id: base.id, permissions: [] })],
    ['delete a role', () => call(lesser, roles.remove, { id: parent.id })],
    ['revoke an API key', () => call(lesser, keys.revoke, { id: key.id })],
    [
      'revoke a membership in an access review',
      () =>
        call(lesser, reviews.decide, { id: review.id, itemId: item?.id ?? '', decision: 'revoked', reason: 'Left' }),
    ],
  ])('cannot %s that has more permissions', async (_what, attempt) => {
    expect(await refusal(attempt())).toMatchObject({
      status: 403,
      message: expect.stringContaining('that you do not hold'),
    })
  })

  it('can manage members with the same or fewer permissions', async () => {
    const equal = await person(orgTenant, { role: 'Org Viewer' })
    await call(here.orgAdmin, users.role, { id: equal.userId, roleId: manager.id })
    await call(lesser, users.update, { id: equal.userId, name: 'Renamed' })
    await call(lesser, roles.update, { id: manager.id, description: 'Manages users' })
    await call(lesser, users.remove, { id: equal.userId })
  })

  it('cannot complete a review in which another administrator revoked a member with more permissions', async () => {
    for (const one of items)
      if (one.userId !== here.orgAdmin.userId)
        await call(here.orgAdmin, reviews.decide, {
          id: review.id,
          itemId: one.id,
          decision: one.id === item?.id ? 'revoked' : 'approved',
          reason: 'Left',
        })
      else await call(greater, reviews.decide, { id: review.id, itemId: one.id, decision: 'approved' })
    expect(await refusal(call(lesser, reviews.complete, { id: review.id }))).toMatchObject({ status: 403 })
  })
})

describe('an API key of the same person in another tenant', () => {
  it('is hidden from a session with less reach, which cannot rotate it', async () => {
    const partnerTenant = { scope: 'partner', partnerId: here.partner.id } as const
    const there = await person(partnerTenant, { role: 'Partner Admin' })
    const { id } = await call(there, keys.create, { name: 'Whole partner', scopes: ['*:*'] })
    const inOrg = await person(orgTenant, { role: 'Org Admin' })
    await system.query('UPDATE api_keys SET user_id = $2 WHERE id = $1', [id, inOrg.userId])
    expect(await refusal(call(inOrg, keys.rotate, { id }))).toMatchObject({ status: 404 })
    expect((await call(inOrg, keys.list, {})).data.map((key) => key.id)).not.toContain(id)
  })
})

describe('the last administrator of an organization', () => {
  it('cannot be removed, disabled or given a lesser role; two administrators cannot remove each other', async () => {
    const alone = await world()
    const only = alone.orgAdmin
    const tenant = { scope: 'organization', partnerId: alone.partner.id, orgId: alone.org.id } as const
    const named = { id: only.userId, orgId: alone.org.id }
    const viewer = (await call(only, roles.list, {})).data.find(({ name }) => name === 'Org Viewer')?.id ?? ''
    const tries = [
      () => call(alone.partnerAdmin, users.remove, named),
      () => call(alone.partnerAdmin, users.update, { ...named, status: 'disabled' }),
      () => call(only, users.role, { id: only.userId, roleId: viewer }),
      () => call(only, users.role, { ...named, roleId: viewer, siteIds: [alone.site.id] }),
    ]
    for (const attempt of tries)
      expect(await refusal(attempt())).toMatchObject({
        status: 409,
        message: expect.stringContaining('last administrator'),
      })
    const second = await person(tenant, { role: 'Org Admin' })
    const both = await Promise.allSettled([
      call(only, users.remove, { id: second.userId }),
      call(second, users.remove, { id: only.userId }),
    ])
    expect(both.filter(({ status }) => status === 'fulfilled')).toHaveLength(1)
  })
})

describe('an access review', () => {
  it('cannot be decided by its subject while another administrator can decide it', async () => {
    const there = await world()
    const review = await call(there.partnerAdmin, reviews.create, { name: 'Alone' })
    const { items } = await call(there.partnerAdmin, reviews.get, { id: review.id })
    const own = items.find(({ userId }) => userId === there.partnerAdmin.userId)?.id ?? ''
    const decide = (who: typeof there.partnerAdmin) =>
      call(who, reviews.decide, { id: review.id, itemId: own, decision: 'approved' })
    await decide(there.partnerAdmin)
    const second = await person({ scope: 'partner', partnerId: there.partner.id }, { role: 'Partner Admin' })
    expect(await refusal(decide(there.partnerAdmin))).toMatchObject({ status: 403 })
    expect(await decide(second)).toMatchObject({ decision: 'approved' })
  })
})

describe('a session with an old proof', async () => {
  const old = await person(orgTenant, { role: 'Org Admin' })
  await signedInLongAgo(old)
  const invite = async (role: string) =>
    refusal(
      call(old, invitations.invite, {
        email: `${role.replace(' ', '')}@new.test`,
        name: 'New',
        roleId: await builtIn(role),
      }),
    )

  it.each(['Org Admin', 'Org Technician'])('cannot give the role %s, which can change things', async (role) => {
    expect(await invite(role)).toMatchObject({ status: 403, extra: { confirm: 'currentPassword' } })
  })

  it('can give a read-only role', async () => {
    const email = `looks-${old.userId}@new.test`
    const made = await call(old, invitations.invite, { email, name: 'New', roleId: await builtIn('Org Viewer') })
    expect(made.status).toBe('invited')
  })
})
