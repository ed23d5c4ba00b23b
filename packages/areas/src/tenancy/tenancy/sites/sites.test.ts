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
  const unknownId = '00000000-0000-4000-8000-000000000000'

  it('can be created by a partner caller, with the timezone UTC by default', async () => {
    const site = await call(here.partnerAdmin, sites.create, { orgId: here.org.id, name: 'Head office' })
    expect(site).toMatchObject({ orgId: here.org.id, name: 'Head office', timezone: 'UTC', settings: {} })
    expect(await call(here.orgAdmin, sites.get, { id: site.id })).toEqual(site)
    expect(await auditOf(site.id)).toMatchObject([
      { action: 'site.create', org_id: here.org.id, partner_id: here.partner.id },
    ])
  })

  it("return 403 Access to this site denied for another partner's site, which stays unchanged", async () => {
    const attempts: Promise<unknown>[] = [
      call(elsewhere.partnerAdmin, sites.get, { id: here.site.id }),
      call(elsewhere.partnerAdmin, sites.remove, { id: here.site.id }),
    ]
    for (const response of await Promise.all(attempts.map(refusal))) {
      expect(response).toMatchObject({ status: 403, message: 'Access to this site denied' })
    }
    const response = await refusal(call(elsewhere.orgAdmin, sites.update, { id: here.site.id, name: 'Mine now' }))
    expect(response).toMatchObject({ status: 403, message: 'Access to this site denied' })
    expect(await call(here.orgAdmin, sites.get, { id: here.site.id })).toMatchObject({ name: here.site.name })
  })

  it("return 403 Access to this organization denied for another partner's organization", async () => {
    const response = await refusal(call(elsewhere.partnerAdmin, sites.create, { orgId: here.org.id, name: 'Spy' }))
    expect(response).toMatchObject({ status: 403, message: 'Access to this organization denied' })
    expect(await refusal(call(here.orgAdmin, sites.list, { orgId: here.otherOrg.id }))).toMatchObject({ status: 403 })
  })

  it('return 404 for an unknown site', async () => {
    expect(await refusal(call(here.partnerAdmin, sites.get, { id: unknownId }))).toMatchObject({
      status: 404,
      message: 'Site not found',
    })
  })

  it('are an empty list for a partner user without organizations', async () => {
    const idle = await person(
      { scope: 'partner', partnerId: here.partner.id },
      { role: 'Partner Viewer', orgAccess: 'none' },
    )
    expect(await call(idle, sites.list, {})).toEqual({ data: [], pagination: { page: 1, limit: 50, total: 0 } })
  })

  it('are limited to those of a member limited to sites', async () => {
    const tenant = { scope: 'organization', partnerId: here.partner.id, orgId: here.org.id } as const
    const second = await call(here.orgAdmin, sites.create, { orgId: here.org.id, name: 'Second' })
    const limited = await person(tenant, { role: 'Org Viewer', siteIds: [second.id] })
    expect((await call(limited, sites.list, {})).data.map((site) => site.id)).toEqual([second.id])
    expect(await refusal(call(limited, sites.get, { id: here.site.id }))).toMatchObject({ status: 403 })
  })

  it('are hidden from a member limited to no site', async () => {
    const tenant = { scope: 'organization', partnerId: here.partner.id, orgId: here.org.id } as const
    const limited = await person(tenant, { role: 'Org Viewer', siteIds: [] })
    expect((await call(limited, sites.list, {})).data).toEqual([])
    expect(await refusal(call(limited, sites.get, { id: here.site.id }))).toMatchObject({ status: 403 })
  })

  it('require a field for an update and keep their organization', async () => {
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

  it('are deleted permanently', async () => {
    const site = await call(here.orgAdmin, sites.create, { orgId: here.org.id, name: 'Short-lived' })
    expect(await call(here.orgAdmin, sites.remove, { id: site.id })).toEqual({ success: true })
    expect(await refusal(call(here.orgAdmin, sites.remove, { id: site.id }))).toMatchObject({ status: 404 })
  })

  it('are changed before a simultaneous deletion, or the change returns 404', async () => {
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

  it('lose their enrollment keys and leave the limits of members when they are deleted', async () => {
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

  it('cannot be changed by a viewer', async () => {
    const response = await refusal(call(here.partnerViewer, sites.create, { orgId: here.org.id, name: 'No' }))
    expect(response).toMatchObject({ status: 403, code: 'FORBIDDEN' })
  })

  it('clamp page and limit to their bounds', async () => {
    const { pagination } = await call(here.partnerAdmin, sites.list, { page: '-4', limit: '5000' })
    expect(pagination).toMatchObject({ page: 1, limit: 100 })
  })
})
