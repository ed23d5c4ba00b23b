import { randomBytes } from 'node:crypto'
import { auditOf } from '@muster/testkit/audit.ts'
import { call, refusal } from '@muster/testkit/call.ts'
import { testServices } from '@muster/testkit/services.ts'
import { person, world } from '@muster/testkit/world.ts'
import { describe, expect, it } from 'vitest'
import { session } from '../../../access/auth/sign-in/session.contract.ts'
import { partners } from '../partners/partners.contract.ts'
import { sites } from '../sites/sites.contract.ts'
import { organizations } from './organizations.contract.ts'

const here = await world()
const elsewhere = await world()
const { partnerAdmin, systemAdmin } = here
const ofPartner = { scope: 'partner', partnerId: here.partner.id } as const
const selected = await person(ofPartner, { role: 'Partner Admin', orgAccess: 'selected', orgIds: [here.org.id] })
const idle = await person(ofPartner, { role: 'Partner Admin', orgAccess: 'none' })

const slug = () => randomBytes(6).toString('hex')
const add = (more: object = {}, who = partnerAdmin) =>
  call(who, organizations.create, { name: 'Customer', slug: slug(), ...more })
const ids = (list: { data: readonly { id: string }[] }) => list.data.map(({ id }) => id)

describe('creating an organization', () => {
  it('needs only a name and a slug: the own partner, an active customer', async () => {
    const organization = await add()
    expect(organization).toMatchObject({
      partnerId: here.partner.id,
      type: 'customer',
      status: 'active',
      maxDevices: null,
      settings: {},
      ssoConfig: {},
      billingContact: {},
      contractStart: null,
      contractEnd: null,
      deletedAt: null,
    })
    expect(await call(partnerAdmin, organizations.get, { id: organization.id })).toEqual(organization)
  })

  it('takes every field of the contract', async () => {
    const given = {
      type: 'internal',
      status: 'trial',
      maxDevices: 5,
      contractStart: '2026-01-01T00:00:00.000Z',
      contractEnd: '2027-01-01T00:00:00.000Z',
      settings: { security: { requireMfa: true, allowedMfaMethods: { sms: false } } },
      ssoConfig: { a: 1 },
      billingContact: { name: 'Ann' },
    } as const
    expect(await add(given)).toMatchObject(given)
  })

  it('is audited with partnerId, status and type in its details', async () => {
    const { id } = await add({ status: 'trial' })
    expect(await auditOf(id)).toMatchObject([
      {
        action: 'organization.create',
        partner_id: here.partner.id,
        org_id: id,
        details: { partnerId: here.partner.id, status: 'trial', type: 'customer' },
      },
    ])
  })

  it('a partner caller that names another partner gets 403 Access denied to this partner', async () => {
    const told = await refusal(add({ partnerId: elsewhere.partner.id }))
    expect(told).toMatchObject({ status: 403, message: 'Access denied to this partner' })
    expect(await add({ partnerId: here.partner.id })).toMatchObject({ partnerId: here.partner.id })
  })

  it('system scope needs a partnerId: 400 partnerId is required for system scope', async () => {
    expect(await refusal(add({}, systemAdmin))).toMatchObject({
      status: 400,
      message: 'partnerId is required for system scope',
    })
    expect(await add({ partnerId: here.partner.id }, systemAdmin)).toMatchObject({ partnerId: here.partner.id })
    const unknown = '00000000-0000-4000-8000-000000000000'
    expect(await refusal(add({ partnerId: unknown }, systemAdmin))).toMatchObject({
      status: 404,
      message: 'Partner not found',
    })
  })

  it('organization scope cannot use it at all', async () => {
    expect(await refusal(add({}, here.orgAdmin))).toMatchObject({ status: 403 })
  })

  it('a partner user who reaches only some organizations cannot add one', async () => {
    expect(await refusal(add({}, selected))).toMatchObject({
      status: 403,
      message: 'Full partner organization access required',
    })
  })

  it('a slug is taken within its partner only', async () => {
    const { slug: taken } = await add()
    expect(await refusal(add({ slug: taken }))).toMatchObject({ status: 409 })
    expect(await add({ slug: taken }, elsewhere.partnerAdmin)).toMatchObject({ slug: taken })
  })

  it.each([
    { name: 'x'.repeat(256) },
    { slug: 'a/b' },
    { slug: 'x'.repeat(101) },
    { type: 'vendor' },
    { status: 'asleep' },
    { maxDevices: -1 },
    { settings: { security: { requireMfa: 'yes' } } },
    { settings: { security: { allowedMfaMethods: { sms: 1 } } } },
    { contractStart: 'soon' },
    { contractStart: '2027-01-01', contractEnd: '2026-01-01' },
  ])('refuses %j', async (wrong) => {
    expect(await refusal(add(wrong))).toMatchObject({ status: 400, code: 'VALIDATION_ERROR' })
  })
})

describe('the cap on organizations', () => {
  it('holds when many are added at once, and counts deleted ones no more', async () => {
    const there = await world()
    await call(systemAdmin, partners.update, { id: there.partner.id, maxOrganizations: 5 })
    const outcomes = await Promise.allSettled(Array.from({ length: 12 }, () => add({}, there.partnerAdmin)))
    expect(outcomes.filter(({ status }) => status === 'fulfilled')).toHaveLength(3)
    expect(await refusal(add({}, there.partnerAdmin))).toMatchObject({ status: 409 })
    expect((await call(there.partnerAdmin, organizations.all, {})).data).toHaveLength(5)
    await call(there.partnerAdmin, organizations.remove, { id: there.otherOrg.id })
    await add({}, there.partnerAdmin)
  })

  it('is no cap on the plan unlimited', async () => {
    const there = await world()
    await call(systemAdmin, partners.update, { id: there.partner.id, maxOrganizations: 1, plan: 'unlimited' })
    expect(await add({}, there.partnerAdmin)).toMatchObject({ partnerId: there.partner.id })
  })
})

describe('reach', () => {
  it('an organization of another partner is 404 Organization not found', async () => {
    const { id } = elsewhere.org
    const attempts: Promise<unknown>[] = [
      call(partnerAdmin, organizations.get, { id }),
      call(partnerAdmin, organizations.update, { id, name: 'Mine' }),
      call(partnerAdmin, organizations.remove, { id }),
    ]
    for (const told of await Promise.all(attempts.map(refusal))) {
      expect(told).toMatchObject({ status: 404, message: 'Organization not found' })
    }
    expect(await call(elsewhere.partnerAdmin, organizations.get, { id })).toMatchObject({ name: elsewhere.org.name })
  })

  it('org_access all reaches every organization of the partner and none of others', async () => {
    const { data } = await call(partnerAdmin, organizations.all, {})
    expect(ids({ data })).toEqual(expect.arrayContaining([here.org.id, here.otherOrg.id]))
    expect(new Set(data.map(({ partnerId }) => partnerId))).toEqual(new Set([here.partner.id]))
  })

  it('org_access selected reaches the selection: others are 404', async () => {
    expect(ids(await call(selected, organizations.all, {}))).toEqual([here.org.id])
    expect(ids(await call(selected, organizations.list, {}))).toEqual([here.org.id])
    expect(await call(selected, organizations.update, { id: here.org.id, billingContact: { x: 1 } })).toBeDefined()
    expect(await refusal(call(selected, organizations.get, { id: here.otherOrg.id }))).toMatchObject({ status: 404 })
  })

  it("another partner's organization in a selection opens nothing", async () => {
    const wrong = [elsewhere.org.id, here.org.id]
    const sly = await person(ofPartner, { role: 'Partner Admin', orgAccess: 'selected', orgIds: wrong })
    expect(ids(await call(sly, organizations.all, {}))).toEqual([here.org.id])
  })

  it('org_access none reaches nothing and is answered at once', async () => {
    expect(await call(idle, organizations.all, {})).toEqual({ data: [] })
    const { data, pagination } = await call(idle, organizations.list, { page: 3, limit: 10 })
    expect({ data, pagination }).toEqual({ data: [], pagination: { page: 3, limit: 10, total: 0 } })
    expect(await refusal(call(idle, organizations.get, { id: here.org.id }))).toMatchObject({ status: 404 })
  })

  it('organization scope sees its own organization in /orgs/ and cannot use the other paths', async () => {
    expect(ids(await call(here.orgAdmin, organizations.all, {}))).toEqual([here.org.id])
    expect(await refusal(call(here.orgAdmin, organizations.list, {}))).toMatchObject({ status: 403 })
    expect(await refusal(call(here.orgAdmin, organizations.get, { id: here.org.id }))).toMatchObject({ status: 403 })
  })

  it('a partner caller that lists for another partner gets 403, system scope may', async () => {
    const partnerId = elsewhere.partner.id
    expect(await refusal(call(partnerAdmin, organizations.list, { partnerId }))).toMatchObject({
      status: 403,
      message: 'Access denied to this partner',
    })
    const { data } = await call(systemAdmin, organizations.list, { partnerId })
    expect(data.map((organization) => organization.partnerId)).toEqual(data.map(() => partnerId))
  })
})

describe('changing an organization', () => {
  it('needs a field, and the partner cannot change', async () => {
    const { id } = await add()
    const empty = await refusal(call(partnerAdmin, organizations.update, { id }))
    expect(empty).toMatchObject({ status: 400, message: 'No updates provided' })
    const moved = { id, partnerId: elsewhere.partner.id }
    expect(await refusal(call(partnerAdmin, organizations.update, moved))).toMatchObject({
      status: 400,
      message: expect.stringMatching(/^Unknown field: partnerId\b/),
    })
    expect(await call(partnerAdmin, organizations.update, { id, name: 'Renamed' })).toMatchObject({
      name: 'Renamed',
      partnerId: here.partner.id,
    })
  })

  it('merges settings and audits the changed fields with secrets left out', async () => {
    const { id } = await add({ settings: { security: { requireMfa: true }, theme: 'dark' } })
    const settings = { security: { allowedMfaMethods: { sms: false } } }
    const after = await call(partnerAdmin, organizations.update, { id, settings, ssoConfig: { clientSecret: 'hush' } })
    expect(after.settings).toEqual({
      security: { requireMfa: true, allowedMfaMethods: { sms: false } },
      theme: 'dark',
    })
    const [, record] = await auditOf(id)
    expect(record?.changed_fields).toEqual(['settings', 'ssoConfig'])
    expect(JSON.stringify(record?.details)).not.toContain('hush')
  })

  it('a contract cannot end before it begins, whichever date is sent', async () => {
    const { id } = await add({ contractStart: '2026-06-01' })
    const told = await refusal(call(partnerAdmin, organizations.update, { id, contractEnd: '2026-05-01' }))
    expect(told).toMatchObject({ status: 400, code: 'VALIDATION_ERROR' })
  })
})

describe('deleting an organization', () => {
  it('takes it out of every list and detail; again is 404; its sites are kept', async () => {
    const { id } = await add()
    const site = await call(partnerAdmin, sites.create, { orgId: id, name: 'Kept' })
    expect(await call(partnerAdmin, organizations.remove, { id })).toEqual({ success: true })
    const attempts: Promise<unknown>[] = [
      call(partnerAdmin, organizations.get, { id }),
      call(systemAdmin, organizations.get, { id }),
      call(partnerAdmin, organizations.update, { id, name: 'Back' }),
      call(partnerAdmin, organizations.remove, { id }),
    ]
    for (const told of await Promise.all(attempts.map(refusal))) {
      expect(told).toMatchObject({ status: 404, message: 'Organization not found' })
    }
    expect(ids(await call(partnerAdmin, organizations.all, {}))).not.toContain(id)
    expect(ids(await call(partnerAdmin, organizations.list, { limit: 100 }))).not.toContain(id)
    expect(ids(await call(partnerAdmin, sites.list, { limit: 100 }))).not.toContain(site.id)
    expect(await refusal(call(partnerAdmin, sites.get, { id: site.id }))).toMatchObject({ status: 403 })
    expect(await refusal(call(systemAdmin, sites.get, { id: site.id }))).toMatchObject({ status: 404 })
    const { system } = await testServices()
    expect((await system.query('SELECT FROM sites WHERE id = $1', [site.id])).rowCount).toBe(1)
  })

  it('its people are signed out at once', async () => {
    const { id } = await add()
    const member = await person({ scope: 'organization', partnerId: here.partner.id, orgId: id }, { role: 'Org Admin' })
    expect(await call(member, session.me, {})).toMatchObject({ orgId: id })
    await call(partnerAdmin, organizations.remove, { id })
    expect(await refusal(call(member, session.me, {}))).toMatchObject({ status: 401 })
  })
})

describe('the order of organizations', () => {
  it('is by name until the partner saves one', async () => {
    const there = await world()
    for (const name of ['Zebra', 'Aardvark']) await add({ name }, there.partnerAdmin)
    const { data } = await call(there.partnerAdmin, organizations.all, {})
    expect(data.map(({ name }) => name)).toEqual(['Aardvark', there.org.name, there.otherOrg.name, 'Zebra'])
  })

  it('drops unknown, foreign and deleted ids and repetitions, and appends the omitted as they were registered', async () => {
    const there = await world()
    const who = there.partnerAdmin
    const third = await add({ name: 'Third' }, who)
    const fourth = await add({ name: 'Fourth' }, who)
    const gone = await add({ name: 'Gone' }, who)
    await call(who, organizations.remove, { id: gone.id })
    const wanted = [fourth.id, 'nonsense', here.org.id, gone.id, there.otherOrg.id, fourth.id]
    const saved = await call(who, organizations.order, { organizationOrder: wanted })
    const expected = [fourth.id, there.otherOrg.id, there.org.id, third.id]
    expect(saved).toEqual({ organizationOrder: expected })

    expect((await call(who, partners.me, {})).settings.organizationOrder).toEqual(expected)
    expect(ids(await call(who, organizations.all, {}))).toEqual(expected)
    expect(ids(await call(who, organizations.list, { limit: 2, page: 2 }))).toEqual(expected.slice(2))
    expect(ids(await call(systemAdmin, organizations.list, { partnerId: there.partner.id }))).toEqual(expected)
    const fifth = await add({ name: 'Aaa' }, who)
    expect(ids(await call(who, organizations.all, {}))).toEqual([...expected, fifth.id])
    expect(await auditOf(there.partner.id)).toMatchObject([
      { action: 'organization.order.update', changed_fields: ['organizationOrder'] },
    ])
  })

  it('concerns the whole partner: 403 for who reaches a part of it', async () => {
    const wish = { organizationOrder: [here.org.id] }
    expect(await refusal(call(selected, organizations.order, wish))).toMatchObject({ status: 403 })
    expect(await refusal(call(systemAdmin, organizations.order, wish))).toMatchObject({ status: 403 })
  })
})

describe('a suspended or churned organization', () => {
  it.each(['suspended', 'churned'] as const)('can be read when %s, but nothing in it changes', async (status) => {
    const { id } = await add()
    const site = await call(partnerAdmin, sites.create, { orgId: id, name: 'Before' })
    await call(partnerAdmin, organizations.update, { id, status })
    const attempts: Promise<unknown>[] = [
      call(partnerAdmin, sites.create, { orgId: id, name: 'After' }),
      call(partnerAdmin, sites.update, { id: site.id, name: 'After' }),
      call(partnerAdmin, sites.remove, { id: site.id }),
    ]
    for (const told of await Promise.all(attempts.map(refusal))) {
      expect(told).toMatchObject({ status: 403, message: `Organization is ${status}` })
    }
    expect(await call(partnerAdmin, sites.get, { id: site.id })).toMatchObject({ name: 'Before' })
    await call(partnerAdmin, organizations.update, { id, status: 'active' })
    expect(await call(partnerAdmin, sites.remove, { id: site.id })).toEqual({ success: true })
  })
})
