import { auditOf } from '@muster/testkit/audit.ts'
import { call, refusal } from '@muster/testkit/call.ts'
import { machine } from '@muster/testkit/machines.ts'
import { testServices } from '@muster/testkit/services.ts'
import { person, world } from '@muster/testkit/world.ts'
import { describe, expect, it } from 'vitest'
import { keys as apiKeys } from '../../../access/api-keys/keys.contract.ts'
import { sites } from '../../../tenancy/tenancy/sites/sites.contract.ts'
import { agents } from '../agents.contract.ts'
import { keys } from './keys.contract.ts'

describe('enrollment keys', async () => {
  const { system } = await testServices()
  const here = await world()
  const elsewhere = await world()
  const make = (
    name: string,
    more: { siteId?: string | null; maxUsage?: number | null; expiresAt?: string | null } = {},
  ) => call(here.orgAdmin, keys.create, { orgId: here.org.id, name, ...more })

  it('are shown once, when they are created, and stored as hashes', async () => {
    const made = await make('Office', { siteId: here.site.id, maxUsage: 3, expiresAt: null })
    expect(made).toMatchObject({
      orgId: here.org.id,
      siteId: here.site.id,
      usageCount: 0,
      maxUsage: 3,
      expiresAt: null,
    })
    expect(made.key).toMatch(/^mek_[\w-]{43}$/)
    expect(made.key.startsWith(made.keyPrefix)).toBe(true)
    const { key, installCommand, installCommands, ...shown } = made
    expect(await call(here.orgAdmin, keys.get, { id: made.id })).toEqual(shown)
    const { data, pagination } = await call(here.partnerAdmin, keys.list, { orgId: here.org.id })
    expect(pagination).toMatchObject({ page: 1, limit: 100 })
    expect(data.find((one) => one.id === made.id)).toEqual(shown)
    const { rows } = await system.query('SELECT * FROM enrollment_keys WHERE id = $1', [made.id])
    expect(JSON.stringify(rows)).not.toContain(key)
    const records = await auditOf(made.id)
    expect(records).toMatchObject([
      { action: 'enrollment_key.create', org_id: here.org.id, actor_id: here.orgAdmin.userId },
    ])
    expect(JSON.stringify(records)).not.toContain(key)
  })

  it('allow one machine within seven days by default', async () => {
    const made = await make('Usual')
    expect(made.maxUsage).toBe(1)
    expect((Date.parse(made.expiresAt ?? '') - Date.now()) / 86_400_000).toBeCloseTo(7, 1)
  })

  it('without an expiration or a limit of uses require a user, not an API key', async () => {
    const { key } = await call(here.partnerAdmin, apiKeys.create, { name: 'Script', scopes: ['devices:write'] })
    const byKey = (more: object) => {
      const wanted = { orgId: here.org.id, name: 'Key', ...more }
      return call(null, keys.create, wanted, { headers: { 'x-api-key': key } })
    }
    const inAYear = new Date(Date.now() + 365 * 86_400_000).toISOString()
    for (const open of [{ maxUsage: null }, { expiresAt: null }, { maxUsage: 1_001 }, { expiresAt: inAYear }]) {
      expect(await refusal(byKey(open))).toMatchObject({ status: 403 })
      expect(await make('Open', open)).toMatchObject(open)
    }
    expect(await byKey({ maxUsage: 500 })).toMatchObject({ maxUsage: 500 })
    const { id } = await make('Open', { maxUsage: null })
    const rotating = call(null, keys.rotate, { id }, { headers: { 'x-api-key': key } })
    expect(await refusal(rotating)).toMatchObject({ status: 403 })
  })

  it('are replaced at once by a rotation and keep their uses', async () => {
    const made = await make('Rotating', { maxUsage: 2 })
    await call(null, agents.enroll, { enrollmentKey: made.key, ...machine() })
    const rotated = await call(here.orgAdmin, keys.rotate, { id: made.id })
    expect(rotated).toMatchObject({ id: made.id, usageCount: 1, maxUsage: 2 })
    expect(rotated.key).not.toBe(made.key)
    const told = await refusal(call(null, agents.enroll, { enrollmentKey: made.key, ...machine() }))
    expect(told).toMatchObject({ status: 401, message: 'Invalid enrollment key' })
    await call(null, agents.enroll, { enrollmentKey: rotated.key, ...machine() })
    expect((await auditOf(made.id)).map((record) => record.action)).toEqual([
      'enrollment_key.create',
      'enrollment_key.rotate',
    ])
  })

  it('enroll no machine after their deletion; enrolled devices stay', async () => {
    const made = await make('Short-lived')
    const { deviceId } = await call(null, agents.enroll, { enrollmentKey: made.key, ...machine() })
    expect(await call(here.orgAdmin, keys.remove, { id: made.id })).toEqual({ success: true })
    expect(await refusal(call(null, agents.enroll, { enrollmentKey: made.key, ...machine() }))).toMatchObject({
      status: 401,
    })
    expect(await refusal(call(here.orgAdmin, keys.get, { id: made.id }))).toMatchObject({ status: 404 })
    expect((await system.query('SELECT FROM devices WHERE id = $1', [deviceId])).rowCount).toBe(1)
  })

  it('of another tenant return 404 for reading, rotating and deleting, and are in no list', async () => {
    const made = await make('Ours')
    for (const who of [elsewhere.partnerAdmin, elsewhere.orgAdmin]) {
      const { id } = made
      const attempts = [call(who, keys.get, { id }), call(who, keys.rotate, { id }), call(who, keys.remove, { id })]
      for (const told of await Promise.all(attempts.map(refusal))) expect(told).toMatchObject({ status: 404 })
      expect(await refusal(call(who, keys.list, { orgId: here.org.id }))).toMatchObject({ status: 403 })
      expect((await call(who, keys.list, {})).data.map((key) => key.id)).not.toContain(id)
    }
    expect(await refusal(call(elsewhere.orgAdmin, keys.create, { orgId: here.org.id, name: 'Spy' }))).toMatchObject({
      status: 404,
      message: 'Organization not found',
    })
    expect(await call(here.orgAdmin, keys.get, { id: made.id })).toMatchObject({ usageCount: 0 })
  })

  it('require a site of their organization', async () => {
    const foreign = elsewhere.site.id
    expect(await refusal(make('Wrong', { siteId: foreign }))).toMatchObject({ status: 404, message: 'Site not found' })
    const other = await call(here.partnerAdmin, sites.create, { orgId: here.otherOrg.id, name: 'Other' })
    expect(await refusal(make('Wrong', { siteId: other.id }))).toMatchObject({ status: 404 })
  })

  it('reject an expiration in the past and a limit below one with the name of the field', async () => {
    const past = await refusal(make('Late', { expiresAt: '2020-01-01T00:00:00Z' }))
    expect(past).toMatchObject({ status: 400, code: 'VALIDATION_ERROR', message: 'expiresAt: must be in the future' })
    expect((await refusal(make('None', { maxUsage: 0 }))).message).toMatch(/^maxUsage: /)
  })

  it('are limited to the sites of a member limited to sites', async () => {
    const tenant = { scope: 'organization', partnerId: here.partner.id, orgId: here.org.id } as const
    const limited = await person(tenant, { role: 'Org Technician', siteIds: [here.site.id] })
    const own = await call(limited, keys.create, { orgId: here.org.id, siteId: here.site.id, name: 'Mine' })
    const wide = await make('Whole organization')
    expect((await call(limited, keys.list, {})).data.map((key) => key.siteId)).not.toContain(null)
    expect(await call(limited, keys.get, { id: own.id })).toMatchObject({ id: own.id })
    expect(await refusal(call(limited, keys.get, { id: wide.id }))).toMatchObject({ status: 404 })
    const told = await refusal(call(limited, keys.create, { orgId: here.org.id, name: 'Anywhere' }))
    expect(told).toMatchObject({ status: 403 })
  })

  it('can be seen but not created by a viewer', async () => {
    expect((await call(here.partnerViewer, keys.list, {})).data.length).toBeGreaterThan(0)
    const told = await refusal(call(here.partnerViewer, keys.create, { orgId: here.org.id, name: 'No' }))
    expect(told).toMatchObject({ status: 403 })
  })

  it('cannot be created in a suspended organization', async () => {
    const sleeping = await world()
    await system.query(`UPDATE organizations SET status = 'suspended' WHERE id = $1`, [sleeping.org.id])
    const told = await refusal(call(sleeping.partnerAdmin, keys.create, { orgId: sleeping.org.id, name: 'No' }))
    expect(told).toMatchObject({ status: 403, message: 'Organization is suspended' })
  })
})
