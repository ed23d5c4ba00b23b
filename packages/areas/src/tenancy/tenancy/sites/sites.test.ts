import { auditOf } from '@muster/testkit/audit.ts'
import { call, refusal } from '@muster/testkit/call.ts'
import { person, world } from '@muster/testkit/world.ts'
import { describe, expect, it } from 'vitest'
import { users } from '../../../access/users/users.contract.ts'
import { keys } from '../../../fleet/enrollment/keys/keys.contract.ts'
import { provision } from '../../../fleet/enrollment/provision.contract.ts'
import { sites } from './sites.contract.ts'

describe('sites', async () => {
  const here = await world()
  const elsewhere = await world()
  const nowhere = '00000000-0000-4000-8000-000000000000'

  it('a partner caller creates a site in its organization, with the timezone UTC unless given', async () => {
    const site = await call(here.partnerAdmin, sites.create, { orgId: here.org.id, name: 'Head office' })
    expect(site).toMatchObject({ orgId: here.org.id, name: 'Head office', timezone: 'UTC', settings: {} })
    expect(await call(here.orgAdmin, sites.get, { id: site.id })).toEqual(site)
    expect(await auditOf(site.id)).toMatchObject([
      { action: 'site.create', org_id: here.org.id, partner_id: here.partner.id },
    ])
  })

  it("another partner's site answers 403 Access to this site denied, and is not changed", async () => {
    const attempts: Promise<unknown>[] = [
      call(elsewhere.partnerAdmin, sites.get, { id: here.site.id }),
      call(elsewhere.partnerAdmin, sites.remove, { id: here.site.id }),
    ]
    for (const told of await Promise.all(attempts.map(refusal))) {
      expect(told).toMatchObject({ status: 403, message: 'Access to this site denied' })
    }
    const told = await refusal(call(elsewhere.orgAdmin, sites.update, { id: here.site.id, name: 'Mine now' }))
    expect(told).toMatchObject({ status: 403, message: 'Access to this site denied' })
    expect(await call(here.orgAdmin, sites.get, { id: here.site.id })).toMatchObject({ name: here.site.name })
  })

  it("another partner's organization answers 403 Access to this organization denied", async () => {
    const told = await refusal(call(elsewhere.partnerAdmin, sites.create, { orgId: here.org.id, name: 'Spy' }))
    expect(told).toMatchObject({ status: 403, message: 'Access to this organization denied' })
    expect(await refusal(call(here.orgAdmin, sites.list, { orgId: here.otherOrg.id }))).toMatchObject({ status: 403 })
  })

  it('an unknown site is 404', async () => {
    expect(await refusal(call(here.partnerAdmin, sites.get, { id: nowhere }))).toMatchObject({
      status: 404,
      message: 'Site not found',
    })
  })

  it('a partner user without organizations gets an empty list at once', async () => {
    const idle = await person(
      { scope: 'partner', partnerId: here.partner.id },
      { role: 'Partner Viewer', orgAccess: 'none' },
    )
    expect(await call(idle, sites.list, {})).toEqual({ data: [], pagination: { page: 1, limit: 50, total: 0 } })
  })

  it('a member limited to sites sees those only', async () => {
    const tenant = { scope: 'organization', partnerId: here.partner.id, orgId: here.org.id } as const
    const second = await call(here.orgAdmin, sites.create, { orgId: here.org.id, name: 'Second' })
    const limited = await person(tenant, { role: 'Org Viewer', siteIds: [second.id] })
    expect((await call(limited, sites.list, {})).data.map((site) => site.id)).toEqual([second.id])
    expect(await refusal(call(limited, sites.get, { id: here.site.id }))).toMatchObject({ status: 403 })
  })

  it('a member limited to no site at all sees none', async () => {
    const tenant = { scope: 'organization', partnerId: here.partner.id, orgId: here.org.id } as const
    const limited = await person(tenant, { role: 'Org Viewer', siteIds: [] })
    expect((await call(limited, sites.list, {})).data).toEqual([])
    expect(await refusal(call(limited, sites.get, { id: here.site.id }))).toMatchObject({ status: 403 })
  })

  it('an update needs a field and keeps the organization', async () => {
    expect(await refusal(call(here.orgAdmin, sites.update, { id: here.site.id }))).toMatchObject({
      status: 400,
      code: 'VALIDATION_ERROR',
      message: 'No updates provided',
    })
    const moved = { id: here.site.id, name: 'Moved', orgId: here.otherOrg.id }
    expect(await refusal(call(here.orgAdmin, sites.update, moved))).toMatchObject({
      status: 400,
      message: expect.stringMatching(/^Unknown field: orgId\b/),
    })
    const renamed = { id: here.site.id, name: 'Renamed' }
    expect(await call(here.orgAdmin, sites.update, renamed)).toMatchObject({ name: 'Renamed', orgId: here.org.id })
    const [record] = await auditOf(here.site.id)
    expect(record).toMatchObject({ action: 'site.update', changed_fields: ['name'] })
    expect(record?.details.changes?.name).toEqual({ before: here.site.name, after: 'Renamed' })
  })

  it('deletion is permanent', async () => {
    const site = await call(here.orgAdmin, sites.create, { orgId: here.org.id, name: 'Short-lived' })
    expect(await call(here.orgAdmin, sites.remove, { id: site.id })).toEqual({ success: true })
    expect(await refusal(call(here.orgAdmin, sites.remove, { id: site.id }))).toMatchObject({ status: 404 })
  })

  it('changed and deleted at the same time, the change comes first or finds nothing', async () => {
    for (let round = 0; round < 10; round++) {
      const { id } = await call(here.partnerAdmin, sites.create, { orgId: here.org.id, name: 'Short-lived' })
      const answers = await Promise.allSettled([
        call(here.partnerAdmin, sites.remove, { id }),
        call(here.partnerAdmin, sites.update, { id, name: 'Too late' }),
        call(here.partnerAdmin, sites.remove, { id }),
      ])
      for (const answer of answers) {
        if (answer.status === 'rejected') expect(answer.reason).toMatchObject({ status: 404 })
      }
    }
  })

  it('ends its enrollment keys when it is deleted, and takes it out of the limits of members', async () => {
    const orgId = here.org.id
    const { id } = await call(here.partnerAdmin, sites.create, { orgId, name: 'Closing' })
    const { id: other } = await call(here.partnerAdmin, sites.create, { orgId, name: 'Staying' })
    const key = await call(here.partnerAdmin, keys.create, { orgId, siteId: id, name: 'Of the site' })
    const prepared = await call(here.partnerAdmin, provision.create, { orgId, siteId: id, hostname: 'prepared' })
    const tenant = { scope: 'organization', partnerId: here.partner.id, orgId } as const
    const limited = await person(tenant, { role: 'Org Viewer', siteIds: [id, other] })
    await call(here.partnerAdmin, sites.remove, { id })
    expect(await refusal(call(here.partnerAdmin, keys.get, { id: key.id }))).toMatchObject({ status: 404 })
    const { keyId } = prepared.enrollment
    expect(await call(here.partnerAdmin, keys.get, { id: keyId })).toMatchObject({ siteId: null, maxUsage: 1 })
    expect(await call(here.partnerAdmin, users.get, { id: limited.userId, orgId })).toMatchObject({ siteIds: [other] })
    expect((await auditOf(id)).at(-1)).toMatchObject({
      action: 'site.delete',
      details: { enrollmentKeysEnded: ['Of the site'] },
    })
  })

  it('a viewer cannot write', async () => {
    const told = await refusal(call(here.partnerViewer, sites.create, { orgId: here.org.id, name: 'No' }))
    expect(told).toMatchObject({ status: 403, code: 'FORBIDDEN' })
  })

  it('page and limit outside their bounds are clamped', async () => {
    const { pagination } = await call(here.partnerAdmin, sites.list, { page: '-4', limit: '5000' })
    expect(pagination).toMatchObject({ page: 1, limit: 100 })
  })
})
