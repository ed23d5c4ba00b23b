import { asSystem } from '@muster/db/database.ts'
import { auditOf } from '@muster/testkit/audit.ts'
import { call, refusal } from '@muster/testkit/call.ts'
import { testServices } from '@muster/testkit/services.ts'
import { testWorkerParts } from '@muster/testkit/worker-parts.ts'
import { person, world } from '@muster/testkit/world.ts'
import { describe, expect, it } from 'vitest'
import { customFields } from '../custom-fields/custom-fields.contract.ts'
import { ChangeFeed } from '../devices/changes/change-feed.jobs.ts'
import { tags } from '../devices/tags.contract.ts'
import { filters } from '../filters/filters.contract.ts'
import { sweepFilters } from '../targets/followed-filters.jobs.ts'
import { groups } from './groups.contract.ts'
import { members } from './members.contract.ts'
import { leaveGroups } from './membership.ts'

describe('groups', async () => {
  const { system } = await testServices()
  const here = await world()
  const elsewhere = await world()

  async function device(hostname: string, more: { siteId?: string; orgId?: string; tags?: string[] } = {}) {
    const tenant = { orgId: more.orgId ?? here.org.id, partnerId: here.partner.id }
    return asSystem(system, async (db) => {
      const { id } = await db
        .insertInto('devices')
        .values({ hostname, ...tenant, ...more })
        .returning('id')
        .executeTakeFirstOrThrow()
      await db
        .insertInto('deviceState')
        .values({ ...tenant, deviceId: id, status: 'offline' })
        .execute()
      return id
    })
  }
  const feed = new ChangeFeed(await testWorkerParts())
  const memberIds = async (id: string) =>
    (await call(here.orgAdmin, members.list, { id })).data.map((member) => member.hostname)
  const web = await device('web-1')
  const db1 = await device('db-1', { tags: ['database'] })
  const other = await device('other-1', { orgId: here.otherOrg.id })

  it('cannot be created with devices that it may not contain, and the error names them', async () => {
    const unknown = '00000000-0000-4000-8000-00000000dead'
    const given = { orgId: here.org.id, name: 'With a stranger', deviceIds: [unknown] }
    expect(await refusal(call(here.orgAdmin, groups.create, given))).toMatchObject({
      status: 400,
      message: `deviceIds: ${unknown} (not found)`,
    })
  })

  it('of the static kind accepts devices of its organization and says why it skipped others', async () => {
    const group = await call(here.orgAdmin, groups.create, { orgId: here.org.id, name: 'By hand', deviceIds: [web] })
    expect(group).toMatchObject({ type: 'static', filter: null, deviceCount: 1 })
    const outcome = await call(here.partnerAdmin, members.add, { id: group.id, deviceIds: [web, db1, other] })
    expect(outcome.added).toEqual([db1])
    expect(outcome.skipped).toEqual(
      expect.arrayContaining([
        { deviceId: web, reason: 'already a member' },
        { deviceId: other, reason: 'belongs to another organization' },
      ]),
    )
    await call(here.orgAdmin, members.remove, { id: group.id, deviceId: web })
    expect(await memberIds(group.id)).toEqual(['db-1'])
    expect((await auditOf(group.id)).map((record) => record.action)).toEqual([
      'group.create',
      'group.members.add',
      'group.members.remove',
    ])
    const log = (await call(here.orgAdmin, members.log, { id: group.id })).data
    expect(log.map((entry) => [entry.hostname, entry.action, entry.reason])).toEqual(
      expect.arrayContaining([
        ['web-1', 'removed', 'manual'],
        ['db-1', 'added', 'manual'],
      ]),
    )
  })

  it('of the dynamic kind has its members at once and follows device changes', async () => {
    const filter = { field: 'tags', op: 'hasAny', value: ['database'] }
    const group = await call(here.orgAdmin, groups.create, { orgId: here.org.id, name: 'Databases', filter })
    expect(group).toMatchObject({ type: 'dynamic', deviceCount: 1 })
    await call(here.orgAdmin, tags.assign, { deviceIds: [web, db1], add: ['database'], remove: [] })
    await call(here.orgAdmin, tags.assign, { deviceIds: [db1], remove: ['database'] })
    await feed.turn(0)
    expect(await memberIds(group.id)).toEqual(['web-1'])
    const status = await call(here.orgAdmin, groups.create, {
      orgId: here.org.id,
      name: 'Online',
      filter: { field: 'status', op: 'is', value: 'online' },
    })
    await system.query(`UPDATE device_state SET status = 'online', status_at = now() WHERE device_id = $1`, [db1])
    await feed.turn(10_000)
    expect(await memberIds(status.id)).toEqual(['db-1'])
  })

  it('keeps a pinned device regardless of the filter, until it is unpinned', async () => {
    const group = await call(here.orgAdmin, groups.create, {
      orgId: here.org.id,
      name: 'Empty',
      filter: { field: 'hostname', op: 'is', value: 'no-such-host' },
    })
    await call(here.orgAdmin, members.pin, { id: group.id, deviceId: web })
    await sweepFilters(system)
    expect(await memberIds(group.id)).toEqual(['web-1'])
    await call(here.orgAdmin, members.unpin, { id: group.id, deviceId: web })
    expect(await memberIds(group.id)).toEqual([])
    expect(await refusal(call(here.orgAdmin, members.unpin, { id: group.id, deviceId: web }))).toMatchObject({
      status: 404,
    })
  })

  it('can preview a filter without changes', async () => {
    const group = await call(here.orgAdmin, groups.create, {
      orgId: here.org.id,
      name: 'Preview',
      filter: { field: 'hostname', op: 'is', value: 'no-such-host' },
    })
    const preview = await call(here.orgAdmin, groups.preview, {
      id: group.id,
      filter: { field: 'hostname', op: 'startsWith', value: 'WEB' },
    })
    expect(preview).toMatchObject({ total: 1, devices: [{ hostname: 'web-1' }] })
    expect(await memberIds(group.id)).toEqual([])
  })

  it('of a site contains only devices of that site', async () => {
    const inside = await device('inside', { siteId: here.site.id })
    const group = await call(here.orgAdmin, groups.create, {
      orgId: here.org.id,
      siteId: here.site.id,
      name: 'On site',
      filter: { field: 'hostname', op: 'isSet' },
    })
    expect(await memberIds(group.id)).toEqual(['inside'])
    await asSystem(system, (db) => leaveGroups(db, inside, 'moved'))
    expect(await memberIds(group.id)).toEqual([])
  })

  it('requires a filter when dynamic, and has none when static', async () => {
    const group = await call(here.orgAdmin, groups.create, {
      orgId: here.org.id,
      name: 'Chosen',
      filter: { field: 'hostname', op: 'isSet' },
    })
    expect(await refusal(call(here.orgAdmin, members.add, { id: group.id, deviceIds: [web] }))).toMatchObject({
      status: 400,
    })
    expect(await refusal(call(here.orgAdmin, members.remove, { id: group.id, deviceId: web }))).toMatchObject({
      status: 403,
    })
    expect(await refusal(call(here.orgAdmin, groups.create, { orgId: here.org.id, name: 'chosen' }))).toMatchObject({
      status: 409,
    })
    expect(
      await refusal(
        call(here.orgAdmin, groups.create, {
          orgId: here.org.id,
          name: 'x',
          filter: { field: 'color', op: 'is', value: 'x' },
        }),
      ),
    ).toMatchObject({
      status: 400,
      message: expect.stringContaining('there is no field color'),
    })
  })

  it("is hidden from other tenants, and cannot contain another tenant's devices", async () => {
    const group = await call(here.orgAdmin, groups.create, { orgId: here.org.id, name: 'Hidden' })
    for (const who of [elsewhere.partnerAdmin, elsewhere.orgAdmin]) {
      expect(await refusal(call(who, groups.get, { id: group.id }))).toMatchObject({
        status: 404,
        message: 'Group not found',
      })
      expect(await refusal(call(who, groups.remove, { id: group.id }))).toMatchObject({ status: 404 })
      expect((await call(who, groups.list, {})).data).toEqual([])
      expect(await refusal(call(who, groups.create, { orgId: here.org.id, name: 'Spy' }))).toMatchObject({
        status: 404,
      })
    }
    expect(await refusal(call(here.partnerViewer, groups.remove, { id: group.id }))).toMatchObject({ status: 403 })
  })

  it('limits the view of a member who is limited to it', async () => {
    const group = await call(here.orgAdmin, groups.create, { orgId: here.org.id, name: 'Limited', deviceIds: [web] })
    const tenant = { scope: 'organization', partnerId: here.partner.id, orgId: here.org.id } as const
    const limited = await person(tenant, { role: 'Org Viewer', deviceGroupIds: [group.id] })
    expect(
      (await call(limited, filters.preview, { filter: { field: 'hostname', op: 'isSet' } })).devices.map(
        (found) => found.id,
      ),
    ).toEqual([web])
    expect((await call(limited, groups.list, {})).data.map((found) => found.id)).toEqual([group.id])
  })

  it('custom fields are typed, can be filtered by, and are removed with their definition', async () => {
    const field = await call(here.partnerAdmin, customFields.create, { key: 'rack', label: 'Rack', type: 'number' })
    expect(
      await refusal(call(here.partnerAdmin, customFields.create, { key: 'rack', label: 'Again', type: 'text' })),
    ).toMatchObject({ status: 409 })
    const wrong = await refusal(call(here.orgAdmin, customFields.setValues, { id: web, values: { rack: 'seven' } }))
    expect(wrong).toMatchObject({ status: 400, message: 'values.rack: rack must be a number' })
    expect(await call(here.orgAdmin, customFields.setValues, { id: web, values: { rack: 7 } })).toEqual({
      deviceId: web,
      values: { rack: 7 },
    })
    const found = await call(here.orgAdmin, filters.preview, {
      filter: { field: 'custom.rack', op: 'atLeast', value: 7 },
    })
    expect(found.devices.map((one) => one.id)).toEqual([web])
    expect(
      await refusal(
        call(elsewhere.orgAdmin, filters.preview, { filter: { field: 'custom.rack', op: 'atLeast', value: 7 } }),
      ),
    ).toMatchObject({ status: 400 })
    expect(await refusal(call(here.orgAdmin, customFields.remove, { id: field.id }))).toMatchObject({ status: 403 })
    const fixed = { id: field.id, label: 'Rack number', key: 'other', type: 'text' }
    expect(await refusal(call(here.partnerAdmin, customFields.update, fixed))).toMatchObject({
      status: 400,
      message: expect.stringMatching(/^Unknown fields: key, type/),
    })
    const changed = { id: field.id, label: 'Rack number' }
    expect(await call(here.partnerAdmin, customFields.update, changed)).toMatchObject({
      label: 'Rack number',
      key: 'rack',
      type: 'number',
    })
    await call(here.partnerAdmin, customFields.remove, { id: field.id })
    expect((await system.query('SELECT custom_fields FROM devices WHERE id = $1', [web])).rows).toEqual([
      { custom_fields: {} },
    ])
  })
})
