import { randomBytes } from 'node:crypto'
import { auditOf } from '@muster/testkit/audit.ts'
import { call, refusal } from '@muster/testkit/call.ts'
import { person, world } from '@muster/testkit/world.ts'
import { describe, expect, it } from 'vitest'
import { session } from '../../../access/auth/sign-in/session.contract.ts'
import { organizations } from '../organizations/organizations.contract.ts'
import { sites } from '../sites/sites.contract.ts'
import { partners } from './partners.contract.ts'

const unknownId = '00000000-0000-4000-8000-000000000000'
const fresh = () => randomBytes(6).toString('hex')

const here = await world()
const own = await world()

describe('partners', () => {
  const admin = here.systemAdmin
  const made = (more: object = {}) => {
    const slug = fresh()
    return call(admin, partners.create, { name: `Partner ${slug}`, slug, ...more })
  }

  it('require only a name and a slug, and are then an active msp on the free plan', async () => {
    const partner = await made()
    expect(partner).toMatchObject({
      type: 'msp',
      plan: 'free',
      status: 'active',
      maxOrganizations: null,
      maxDevices: null,
      settings: {},
      ssoConfig: {},
      billingEmail: null,
      deletedAt: null,
    })
    expect(await call(admin, partners.get, { id: partner.id })).toEqual(partner)
    expect(await auditOf(partner.id)).toMatchObject([{ action: 'partner.create', partner_id: partner.id }])
  })

  it('accept each field of the contract', async () => {
    const given = {
      type: 'enterprise',
      plan: 'unlimited',
      status: 'pending',
      maxOrganizations: 3,
      maxDevices: 10,
      billingEmail: 'billing@example.test',
      settings: { timezone: 'Europe/Berlin', timeFormat: '24h' },
      ssoConfig: { issuer: 'https://id.example.test' },
    } as const
    expect(await made(given)).toMatchObject(given)
  })

  it('require a URL-safe slug that is unique among live partners: 409', async () => {
    const { slug, id } = await made()
    expect(await refusal(made({ slug }))).toMatchObject({ status: 409, code: 'CONFLICT' })
    expect(await refusal(made({ slug: 'not url safe' }))).toMatchObject({ status: 400, code: 'VALIDATION_ERROR' })
    expect(await refusal(made({ slug: 'x'.repeat(101) }))).toMatchObject({ status: 400 })
    await call(admin, partners.remove, { id })
    expect(await made({ slug })).toMatchObject({ slug })
  })

  it('accept names of up to 255 characters', async () => {
    expect(await made({ name: 'x'.repeat(255) })).toMatchObject({ name: 'x'.repeat(255) })
    expect(await refusal(made({ name: 'x'.repeat(256) }))).toMatchObject({ status: 400, code: 'VALIDATION_ERROR' })
    expect(await refusal(made({ name: ' ' }))).toMatchObject({ status: 400 })
  })

  it('return 400 No updates provided for an update without fields', async () => {
    const error = await refusal(call(admin, partners.update, { id: here.partner.id }))
    expect(error).toMatchObject({ status: 400, code: 'VALIDATION_ERROR', message: 'No updates provided' })
  })

  it('keep the fields that an update does not name, and audit the changed ones', async () => {
    const partner = await made({ billingEmail: 'old@example.test' })
    const after = await call(admin, partners.update, { id: partner.id, billingEmail: 'new@example.test' })
    expect(after).toEqual({ ...partner, billingEmail: 'new@example.test', updatedAt: after.updatedAt })
    const [, record] = await auditOf(partner.id)
    expect(record).toMatchObject({ action: 'partner.update', changed_fields: ['billingEmail'] })
    expect(record?.details.changes?.billingEmail).toEqual({ before: 'old@example.test', after: 'new@example.test' })
  })

  it('merge settings key by key at each depth; null removes a key', async () => {
    const { id } = await made({ settings: { timezone: 'UTC', contact: { name: 'Ann', phone: '1' } } })
    const after = await call(admin, partners.update, {
      id,
      settings: { dateFormat: 'YYYY-MM-DD', contact: { phone: '2', email: 'ann@example.test' } },
    })
    expect(after.settings).toEqual({
      timezone: 'UTC',
      dateFormat: 'YYYY-MM-DD',
      contact: { name: 'Ann', phone: '2', email: 'ann@example.test' },
    })
    const cleared = await call(admin, partners.update, { id, settings: { timezone: null } })
    expect(cleared.settings).not.toHaveProperty('timezone')
  })

  it.each([
    { timezone: 'Mars/Olympus' },
    { dateFormat: 'DD.MM.YYYY' },
    { timeFormat: '36h' },
    { language: 'tlh' },
    { businessHours: { preset: 'always' } },
    { businessHours: { custom: { someday: { start: '08:00', end: '17:00' } } } },
    { businessHours: { custom: { monday: { start: '8', end: '17:00' } } } },
    { businessHours: { custom: { monday: { start: '17:00', end: '17:00' } } } },
    { contact: { email: 'not an address' } },
  ])('reject settings outside of the contract: %j', async (settings) => {
    const error = await refusal(call(admin, partners.update, { id: here.partner.id, settings } as never))
    expect(error).toMatchObject({ status: 400, code: 'VALIDATION_ERROR' })
  })

  it('require days for the business hours preset custom, sent now or earlier', async () => {
    const { id } = await made()
    const custom = { businessHours: { preset: 'custom' } } as const
    expect(await refusal(call(admin, partners.update, { id, settings: custom }))).toMatchObject({ status: 400 })
    const days = {
      monday: { start: '08:00', end: '17:00' },
      friday: { start: '22:00', end: '06:00' },
      sunday: { start: '00:00', end: '00:00', closed: true },
    }
    await call(admin, partners.update, { id, settings: { businessHours: { custom: days } } })
    const { settings } = await call(admin, partners.update, { id, settings: custom })
    expect(settings.businessHours).toEqual({ preset: 'custom', custom: days })
  })

  it('are hidden after deletion, and deleting or changing them again returns 404 Partner not found', async () => {
    const { id } = await made()
    expect(await call(admin, partners.remove, { id })).toEqual({ success: true })
    for (const error of await Promise.all(
      [
        call(admin, partners.get, { id }),
        call(admin, partners.update, { id, name: 'Back' }),
        call(admin, partners.remove, { id }),
      ].map(refusal),
    )) {
      expect(error).toMatchObject({ status: 404, message: 'Partner not found' })
    }
    const { pagination } = await call(admin, partners.list, {})
    const pages = Math.ceil(pagination.total / 100)
    for (let page = 1; page <= pages; page++) {
      const { data } = await call(admin, partners.list, { page, limit: 100 })
      expect(data.map((partner) => partner.id)).not.toContain(id)
    }
  })

  it('take their users and organizations with them when they are deleted, in system scope too', async () => {
    const there = await world()
    await call(admin, partners.remove, { id: there.partner.id })
    for (const who of [there.partnerAdmin, there.orgAdmin]) {
      expect(await refusal(call(who, session.me, {}))).toMatchObject({ status: 401 })
    }
    const { data } = await call(admin, organizations.list, { partnerId: there.partner.id })
    expect(data).toEqual([])
  })

  it.each(['pending', 'suspended', 'churned'] as const)(
    'reject callers of a partner with the status %s',
    async (status) => {
      const there = await world()
      await call(admin, partners.update, { id: there.partner.id, status })
      for (const who of [there.partnerAdmin, there.orgAdmin]) {
        expect(await refusal(call(who, sites.list, {}))).toMatchObject({ status: 403, code: 'FORBIDDEN' })
      }
      await call(admin, partners.update, { id: there.partner.id, status: 'active' })
      expect((await call(there.partnerAdmin, sites.list, {})).data).toHaveLength(1)
    },
  )

  it('can be listed, read, created, changed and deleted only in system scope', async () => {
    const { id } = here.partner
    for (const who of [here.partnerAdmin, here.orgAdmin]) {
      for (const error of await Promise.all(
        [
          call(who, partners.list, {}),
          call(who, partners.get, { id }),
          call(who, partners.create, { name: 'X', slug: fresh() }),
          call(who, partners.update, { id, name: 'X' }),
          call(who, partners.remove, { id }),
        ].map(refusal),
      )) {
        expect(error).toMatchObject({ status: 403 })
      }
    }
  })

  it('return 404 for an unknown ID', async () => {
    expect(await refusal(call(admin, partners.get, { id: unknownId }))).toMatchObject({
      status: 404,
      message: 'Partner not found',
    })
  })
})

describe('the caller’s own partner', () => {
  it('can be read by each partner user and in no other scope', async () => {
    expect(await call(own.partnerViewer, partners.me, {})).toMatchObject({ id: own.partner.id })
    expect(await refusal(call(own.orgAdmin, partners.me, {}))).toMatchObject({ status: 403 })
    expect(await refusal(call(own.systemAdmin, partners.me, {}))).toMatchObject({ status: 403 })
  })

  it('accepts only name, billingEmail and settings', async () => {
    const sent = {
      name: 'New name',
      billingEmail: 'b@example.test',
      settings: { timeFormat: '12h' as const },
    }
    const more = await refusal(call(own.partnerAdmin, partners.updateMe, { ...sent, plan: 'unlimited' } as never))
    expect(more.message).toBe('Unknown field: plan. Known fields: name, billingEmail, settings')
    const after = await call(own.partnerAdmin, partners.updateMe, sent)
    expect(after).toMatchObject({ name: 'New name', billingEmail: 'b@example.test', plan: 'free' })
    expect(after.settings).toMatchObject({ timeFormat: '12h' })
    const only = await refusal(call(own.partnerAdmin, partners.updateMe, { status: 'churned' } as never))
    expect(only).toMatchObject({ status: 400, message: expect.stringMatching(/^Unknown field: status\b/) })
    const [record] = await auditOf(own.partner.id)
    expect(record).toMatchObject({ action: 'partner.settings.update' })
    expect(record?.changed_fields?.sort()).toEqual(['billingEmail', 'name', 'settings'])
  })

  it('does not accept the order of organizations among the settings', async () => {
    const sent = { settings: { organizationOrder: [unknownId], language: 'en' as const } }
    const { settings } = await call(own.partnerAdmin, partners.updateMe, sent)
    expect(settings).not.toHaveProperty('organizationOrder')
  })

  it('requires settings:write and access to all organizations for changes', async () => {
    expect(await refusal(call(own.partnerViewer, partners.updateMe, { name: 'X' }))).toMatchObject({ status: 403 })
    const selected = await person(
      { scope: 'partner', partnerId: own.partner.id },
      { role: 'Partner Admin', orgAccess: 'selected', orgIds: [own.org.id] },
    )
    expect(await refusal(call(selected, partners.updateMe, { name: 'X' }))).toMatchObject({
      status: 403,
      message: 'Full partner organization access required',
    })
    expect(await call(selected, partners.me, {})).toMatchObject({ id: own.partner.id })
  })

  it('keeps both of two simultaneous changes of different settings', async () => {
    await Promise.all([
      call(own.partnerAdmin, partners.updateMe, { settings: { contact: { name: 'Ann' } } }),
      call(own.partnerAdmin, partners.updateMe, { settings: { contact: { phone: '5' } } }),
      call(own.systemAdmin, partners.update, { id: own.partner.id, settings: { timezone: 'UTC' } }),
    ])
    const { settings } = await call(own.partnerAdmin, partners.me, {})
    expect(settings).toMatchObject({ timezone: 'UTC', contact: { name: 'Ann', phone: '5' } })
  })
})
