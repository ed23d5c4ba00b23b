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
  it('requires only a name and a slug, and creates an active customer of the own partner', async () => {
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

  it('accepts each field of the contract', async () => {
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

  it('writes an audit record with partnerId, status and type in its details', async () => {
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

  it('returns 403 Access denied to this partner when a partner caller names another partner', async () => {
    const response = await refusal(add({ partnerId: elsewhere.partner.id }))
    expect(response).toMatchObject({ status: 403, message: 'Access denied to this partner' })
    expect(await add({ partnerId: here.partner.id })).toMatchObject({ partnerId: here.partner.id })
  })

  it('returns 400 partnerId is required for system scope without a partnerId', async () => {
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

  it('is rejected in organization scope', async () => {
    expect(await refusal(add({}, here.orgAdmin))).toMatchObject({ status: 403 })
  })

  it('is rejected for a partner user who reaches only some organizations', async () => {
    expect(await refusal(add({}, selected))).toMatchObject({
      status: 403,
      message: 'Full partner organization access required',
    })
  })

  it('requires a slug that is unique within the partner', async () => {
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

describe('the limit of organizations', () => {
  it('holds under simultaneous additions and does not count deleted organizations', async () => {
    const there = await world()
    await call(systemAdmin, partners.update, { id: there.partner.id, maxOrganizations: 5 })
    const outcomes = await Promise.allSettled(Array.from({ length: 12 }, () => add({}, there.partnerAdmin)))
    expect(outcomes.filter(({ status }) => status === 'fulfilled')).toHaveLength(3)
    expect(await refusal(add({}, there.partnerAdmin))).toMatchObject({ status: 409 })
    expect((await call(there.partnerAdmin, organizations.all, {})).data).toHaveLength(5)
    await call(there.partnerAdmin, organizations.remove, { id: there.otherOrg.id })
    await add({}, there.partnerAdmin)
  })

  it('does not apply to the plan unlimited', async () => {
    const there = await world()
    await call(systemAdmin, partners.update, { id: there.partner.id, maxOrganizations: 1, plan: 'unlimited' })
    expect(await add({}, there.partnerAdmin)).toMatchObject({ partnerId: there.partner.id })
  })
})

describe('reach', () => {
  it('returns 404 Organization not found for an organization of another partner', async () => {
    const { id } = elsewhere.org
    const attempts: Promise<unknown>[] = [
      call(partnerAdmin, organizations.get, { id }),
      call(partnerAdmin, organizations.update, { id, name: 'Mine' }),
      call(partnerAdmin, organizations.remove, { id }),
    ]
    for (const response of await Promise.all(attempts.map(refusal))) {
      expect(response).toMatchObject({ status: 404, message: 'Organization not found' })
    }
    expect(await call(elsewhere.partnerAdmin, organizations.get, { id })).toMatchObject({ name: elsewhere.org.name })
  })

  it('org_access all reaches all organizations of the partner and none of others', async () => {
    const { data } = await call(partnerAdmin, organizations.all, {})
    expect(ids({ data })).toEqual(expect.arrayContaining([here.org.id, here.otherOrg.id]))
    expect(new Set(data.map(({ partnerId }) => partnerId))).toEqual(new Set([here.partner.id]))
  })

  it('org_access selected reaches the selection and returns 404 for others', async () => {
    expect(ids(await call(selected, organizations.all, {}))).toEqual([here.org.id])
    expect(ids(await call(selected, organizations.list, {}))).toEqual([here.org.id])
    expect(await call(selected, organizations.update, { id: here.org.id, billingContact: { x: 1 } })).toBeDefined()
    expect(await refusal(call(selected, organizations.get, { id: here.otherOrg.id }))).toMatchObject({ status: 404 })
  })

  it("org_access selected gives no access to another partner's organization", async () => {
    const wrong = [elsewhere.org.id, here.org.id]
    const sly = await person(ofPartner, { role: 'Partner Admin', orgAccess: 'selected', orgIds: wrong })
    expect(ids(await call(sly, organizations.all, {}))).toEqual([here.org.id])
  })

  it('org_access none reaches nothing', async () => {
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

  it('returns 403 to a partner caller that lists for another partner, and lists it in system scope', async () => {
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
  it('requires a field and cannot change the partner', async () => {
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

  it('merges settings and audits the changed fields without secrets', async () => {
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

  it('rejects a contract that ends before it begins, whichever date is sent', async () => {
    const { id } = await add({ contractStart: '2026-06-01' })
    const response = await refusal(call(partnerAdmin, organizations.update, { id, contractEnd: '2026-05-01' }))
    expect(response).toMatchObject({ status: 400, code: 'VALIDATION_ERROR' })
  })
})

describe('deleting an organization', () => {
  it('removes it from lists and details, returns 404 the second time, and keeps its sites', async () => {
    const { id } = await add()
    const site = await call(partnerAdmin, sites.create, { orgId: id, name: 'Kept' })
    expect(await call(partnerAdmin, organizations.remove, { id })).toEqual({ success: true })
    const attempts: Promise<unknown>[] = [
      call(partnerAdmin, organizations.get, { id }),
      call(systemAdmin, organizations.get, { id }),
      call(partnerAdmin, organizations.update, { id, name: 'Back' }),
      call(partnerAdmin, organizations.remove, { id }),
    ]
    for (const response of await Promise.all(attempts.map(refusal))) {
      expect(response).toMatchObject({ status: 404, message: 'Organization not found' })
    }
    expect(ids(await call(partnerAdmin, organizations.all, {}))).not.toContain(id)
    expect(ids(await call(partnerAdmin, organizations.list, { limit: 100 }))).not.toContain(id)
    expect(ids(await call(partnerAdmin, sites.list, { limit: 100 }))).not.toContain(site.id)
    expect(await refusal(call(partnerAdmin, sites.get, { id: site.id }))).toMatchObject({ status: 403 })
    expect(await refusal(call(systemAdmin, sites.get, { id: site.id }))).toMatchObject({ status: 404 })
    const { system } = await testServices()
    expect((await system.query('SELECT FROM sites WHERE id = $1', [site.id])).rowCount).toBe(1)
  })

  it('ends the sessions of its users at once', async () => {
    const { id } = await add()
    const member = await person({ scope: 'organization', partnerId: here.partner.id, orgId: id }, { role: 'Org Admin' })
    expect(await call(member, session.me, {})).toMatchObject({ orgId: id })
    await call(partnerAdmin, organizations.remove, { id })
    expect(await refusal(call(member, session.me, {}))).toMatchObject({ status: 401 })
  })
})

describe('the order of organizations', () => {
  it('is by name until the partner saves an order', async () => {
    const there = await world()
    for (const name of ['Zebra', 'Aardvark']) await add({ name }, there.partnerAdmin)
    const { data } = await call(there.partnerAdmin, organizations.all, {})
    expect(data.map(({ name }) => name)).toEqual(['Aardvark', there.org.name, there.otherOrg.name, 'Zebra'])
  })

  it('drops unknown, foreign, deleted and repeated IDs and appends omitted ones by time of creation', async () => {
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

  it('returns 403 to a caller who reaches only a part of the partner', async () => {
    const wish = { organizationOrder: [here.org.id] }
    expect(await refusal(call(selected, organizations.order, wish))).toMatchObject({ status: 403 })
    expect(await refusal(call(systemAdmin, organizations.order, wish))).toMatchObject({ status: 403 })
  })
})

describe('a suspended or churned organization', () => {
  it.each(['suspended', 'churned'] as const)('can be read when %s, but not changed', async (status) => {
    const { id } = await add()
    const site = await call(partnerAdmin, sites.create, { orgId: id, name: 'Before' })
    await call(partnerAdmin, organizations.update, { id, status })
    const attempts: Promise<unknown>[] = [
      call(partnerAdmin, sites.create, { orgId: id, name: 'After' }),
      call(partnerAdmin, sites.update, { id: site.id, name: 'After' }),
      call(partnerAdmin, sites.remove, { id: site.id }),
    ]
    for (const response of await Promise.all(attempts.map(refusal))) {
      expect(response).toMatchObject({ status: 403, message: `Organization is ${status}` })
    }
    expect(await call(partnerAdmin, sites.get, { id: site.id })).toMatchObject({ name: 'Before' })
    await call(partnerAdmin, organizations.update, { id, status: 'active' })
    expect(await call(partnerAdmin, sites.remove, { id: site.id })).toEqual({ success: true })
  })
})
