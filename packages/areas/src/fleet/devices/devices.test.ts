import { randomUUID } from 'node:crypto'
import { call, refusal } from '@muster/testkit/call.ts'
import { enrolled, setState } from '@muster/testkit/machines.ts'
import { testServices } from '@muster/testkit/services.ts'
import { type Person, person, world } from '@muster/testkit/world.ts'
import { describe, expect, it } from 'vitest'
import type { z } from 'zod'
import { lifecycle } from '../../control/lifecycle/lifecycle.contract.ts'
import { customFields } from '../custom-fields/custom-fields.contract.ts'
import { groups } from '../groups/groups.contract.ts'
import { DeviceStatus, devices } from './devices.contract.ts'
import { deviceStatus, updateTimeoutMs } from './devices.rules.ts'

const { system } = await testServices()
type Query = z.input<typeof devices.list.input>

/** The list in cursor mode. */
async function list(who: Pick<Person, 'token'>, query: Query = {}) {
  const answer = await call(who, devices.list, query)
  if (!('devices' in answer)) throw new Error('expected the cursor mode')
  return answer
}
const names = async (who: Pick<Person, 'token'>, query: Query = {}) =>
  (await list(who, query)).devices.map((device) => device.hostname)

/** All pages of a list in order. */
async function walk(who: Pick<Person, 'token'>, query: Query) {
  const ids: string[] = []
  let cursor: string | null = null
  do {
    const page: Awaited<ReturnType<typeof list>> = await list(who, { ...query, ...(cursor === null ? {} : { cursor }) })
    ids.push(...page.devices.map((device) => device.id))
    cursor = page.nextCursor
  } while (cursor !== null)
  return ids
}

describe('the list of devices', async () => {
  const here = await world()
  const elsewhere = await world()
  const [alpha = '', beta = '', twin = '', otherTwin = ''] = await enrolled(
    here.partnerAdmin,
    { orgId: here.org.id, siteId: here.site.id },
    'alpha',
    'beta',
    'twin',
    'twin',
  )
  const [gamma = '', delta = ''] = await enrolled(here.partnerAdmin, { orgId: here.otherOrg.id }, 'gamma', 'delta')
  await enrolled(elsewhere.partnerAdmin, { orgId: elsewhere.org.id }, 'foreign')
  await setState(alpha, { status: 'online', lastSeenAt: '2026-01-02T00:00:00.123456Z', memoryUsed: 1, memoryTotal: 3 })
  await setState(beta, { status: 'online', lastSeenAt: '2026-01-01T00:00:00Z' })

  it('can start at an offset, also relative to a cursor', async () => {
    expect(await names(here.partnerAdmin, { offset: 2, limit: 2 })).toEqual(['delta', 'gamma'])
    expect(await names(here.partnerAdmin, { offset: 2, limit: 2, sortDir: 'desc' })).toEqual(['gamma', 'delta'])
    expect(await names(here.partnerAdmin, { offset: 6, limit: 2 })).toEqual([])
    const { nextCursor } = await list(here.partnerAdmin, { limit: 1 })
    expect(await names(here.partnerAdmin, { cursor: nextCursor ?? '', offset: 1, limit: 1 })).toEqual(['delta'])
    await expect(call(here.partnerAdmin, devices.list, { offset: -1 })).rejects.toThrow()
  })

  it('contains values of custom fields, as the device itself does', async () => {
    const key = 'room'
    await call(here.orgAdmin, customFields.create, { orgId: here.org.id, key, label: 'Room', type: 'text' })
    await call(here.orgAdmin, customFields.setValues, { id: beta, values: { room: 'B 12' } })
    const { devices: listed } = await list(here.partnerAdmin, { search: 'beta' })
    expect(listed.map((device) => device.customFields)).toEqual([{ room: 'B 12' }])
    expect((await call(here.orgAdmin, devices.get, { id: beta })).customFields).toEqual({ room: 'B 12' })
    expect((await call(here.orgAdmin, devices.get, { id: alpha })).customFields).toEqual({})
  })

  it('contains the devices within reach by host name, and none of other tenants', async () => {
    expect(await names(here.partnerAdmin)).toEqual(['alpha', 'beta', 'delta', 'gamma', 'twin', 'twin'])
    expect(await names(here.orgAdmin)).toEqual(['alpha', 'beta', 'twin', 'twin'])
    expect(await names(elsewhere.partnerAdmin)).toEqual(['foreign'])
    const all = await names(here.systemAdmin, { orgIds: [here.otherOrg.id, elsewhere.org.id] })
    expect(all).toEqual(['delta', 'foreign', 'gamma'])
    const foreign = names(here.partnerAdmin, { orgIds: [here.org.id, elsewhere.org.id] })
    expect(await refusal(foreign)).toMatchObject({ status: 403, message: 'Access to this organization denied' })
  })

  it('is limited to organizations, sites or groups for members with such limits', async () => {
    const ofPartner = { scope: 'partner', partnerId: here.partner.id } as const
    const ofOrg = { scope: 'organization', partnerId: here.partner.id, orgId: here.org.id } as const
    const selected = await person(ofPartner, {
      role: 'Partner Viewer',
      orgAccess: 'selected',
      orgIds: [here.otherOrg.id],
    })
    expect(await names(selected)).toEqual(['delta', 'gamma'])
    const none = await person(ofPartner, { role: 'Partner Viewer', orgAccess: 'none' })
    expect(await list(none, { includeTotal: true })).toEqual({ devices: [], nextCursor: null, limit: 50, total: 0 })
    const nowhere = await person(ofOrg, { role: 'Org Viewer', siteIds: [randomUUID()] })
    expect(await names(nowhere)).toEqual([])
    const atSite = await person(ofOrg, { role: 'Org Viewer', siteIds: [here.site.id] })
    expect(await names(atSite)).toEqual(['alpha', 'beta', 'twin', 'twin'])
    const group = await call(here.orgAdmin, groups.create, { orgId: here.org.id, name: 'One', deviceIds: [beta] })
    const grouped = await person(ofOrg, { role: 'Org Viewer', deviceGroupIds: [group.id] })
    expect(await names(grouped)).toEqual(['beta'])
    expect(await names(here.orgAdmin, { groupIds: [group.id] })).toEqual(['beta'])
    expect(await refusal(call(grouped, devices.get, { id: alpha }))).toMatchObject({ status: 404 })
  })

  it('has numbered pages with a total when page is given', async () => {
    const second = await call(here.partnerAdmin, devices.list, { page: '2', limit: '4' })
    if (!('data' in second)) throw new Error('expected the page mode')
    expect(second.data.map((device) => device.hostname)).toEqual(['twin', 'twin'])
    expect(second.pagination).toEqual({ page: 2, limit: 4, total: 6 })
    const clamped = await call(here.partnerAdmin, devices.list, { page: -3, limit: 100_000 })
    expect(clamped).toMatchObject({ pagination: { page: 1, limit: 1_000 } })
  })

  it('uses the cursor mode when any of its parameters is given', async () => {
    const modes: Query[] = [
      { sort: 'hostname' },
      { sortDir: 'asc' },
      { includeTotal: 'false' },
      { orgIds: here.org.id },
    ]
    for (const query of modes)
      expect(await call(here.partnerAdmin, devices.list, { ...query, page: 1 })).toHaveProperty('nextCursor')
    expect(await call(here.partnerAdmin, devices.list, {})).toHaveProperty('nextCursor')
    const numbered = await call(here.partnerAdmin, devices.list, { page: 1, status: 'online', search: 'a' })
    expect(numbered).toMatchObject({ pagination: { total: 2 } })
  })

  it.each(['hostname', 'lastSeen', 'enrolled'] as const)(
    'has pages by %s that join without gap or repetition, in both directions',
    async (sort) => {
      const whole = await walk(here.partnerAdmin, { sort, limit: 1_000 })
      expect(whole).toHaveLength(6)
      for (const limit of [1, 2, 5]) expect(await walk(here.partnerAdmin, { sort, limit })).toEqual(whole)
      const back = await walk(here.partnerAdmin, { sort, sortDir: 'desc', limit: 2 })
      expect(back).toEqual(whole.toReversed())
    },
  )

  it('can be ordered by last contact and by enrollment', async () => {
    const seen = await walk(here.partnerAdmin, { sort: 'lastSeen', sortDir: 'desc' })
    expect(seen.slice(0, 2)).toEqual([alpha, beta])
    expect(await walk(here.partnerAdmin, { sort: 'enrolled' })).toEqual([alpha, beta, twin, otherTwin, gamma, delta])
  })

  it('counts the filtered devices, and only on request', async () => {
    expect(await list(here.partnerAdmin, { limit: 1, includeTotal: 'true', orgIds: `${here.org.id}` })).toMatchObject({
      limit: 1,
      total: 4,
    })
    expect(await list(here.partnerAdmin)).not.toHaveProperty('total')
  })

  it('accepts a cursor only with the same order, filters and tenant', async () => {
    const query: Query = { limit: 1, sort: 'hostname', siteIds: [here.site.id] }
    const { nextCursor } = await list(here.partnerAdmin, query)
    const cursor = nextCursor ?? ''
    expect(await names(here.partnerAdmin, { ...query, limit: 2, cursor })).toEqual(['beta', 'twin'])
    const misused: [Pick<Person, 'token'>, Query][] = [
      [here.partnerAdmin, { ...query, sort: 'enrolled', cursor }],
      [here.partnerAdmin, { ...query, sortDir: 'desc', cursor }],
      [here.partnerAdmin, { limit: 1, sort: 'hostname', cursor }],
      [here.orgAdmin, { ...query, cursor }],
      [elsewhere.partnerAdmin, { ...query, cursor }],
      [here.partnerAdmin, { ...query, cursor: `${cursor}x` }],
      [here.partnerAdmin, { ...query, cursor: 'e30.AAAAAAAAAAAAAAAAAAAAAA' }],
    ]
    for (const [who, wrong] of misused) {
      const told = await refusal(call(who, devices.list, wrong))
      expect([told.status, told.code]).toEqual([400, 'VALIDATION_ERROR'])
    }
  })

  it('searches host names and display names, and treats wildcards as text', async () => {
    await system.query(`UPDATE devices SET display_name = 'Front_desk 100%' WHERE id = $1`, [gamma])
    expect(await names(here.partnerAdmin, { search: 'WIN' })).toEqual(['twin', 'twin'])
    expect(await names(here.partnerAdmin, { search: 'front_DESK' })).toEqual(['gamma'])
    expect(await names(here.partnerAdmin, { search: '100%' })).toEqual(['gamma'])
    expect(await names(here.partnerAdmin, { search: '_' })).toEqual(['gamma'])
    expect(await names(here.partnerAdmin, { search: '%' })).toEqual(['gamma'])
  })

  it('finds the same devices for rare and frequent names, and none out of reach', async () => {
    const [near, far] = [await world(), await world()]
    const count = 1_100
    for (const { org, partner } of [near, far])
      await system.query(
        `INSERT INTO devices (org_id, partner_id, hostname) SELECT $1, $2, 'crowd-' || n FROM generate_series(1, $3::int) n`,
        [org.id, partner.id, count],
      )
    const found = (search: string) => list(near.partnerAdmin, { search, limit: 2, includeTotal: true })
    expect(await found('CROWD')).toMatchObject({
      total: count,
      devices: [{ hostname: 'crowd-1' }, { hostname: 'crowd-10' }],
    })
    expect(await found('wd-110')).toMatchObject({
      total: 2,
      devices: [{ hostname: 'crowd-110' }, { hostname: 'crowd-1100' }],
    })
    expect(await walk(near.orgAdmin, { search: 'd-110', limit: 1 })).toHaveLength(2)
    const numbered = await call(near.partnerAdmin, devices.list, { page: 2, limit: 1, search: 'wd-110' })
    expect(numbered).toMatchObject({ data: [{ hostname: 'crowd-1100' }], pagination: { total: 2 } })
    expect(await names(near.partnerAdmin, { search: 'crowd-7', orgIds: [near.otherOrg.id] })).toEqual([])
  })

  it('contains decommissioned devices only on request', async () => {
    const [gone = ''] = await enrolled(here.partnerAdmin, { orgId: here.org.id }, 'gone')
    await call(here.partnerAdmin, lifecycle.remove, { id: gone })
    expect(await names(here.orgAdmin, { search: 'gone' })).toEqual([])
    expect(await names(here.orgAdmin, { search: 'gone', includeDecommissioned: 'true' })).toEqual(['gone'])
    expect(await names(here.orgAdmin, { status: 'decommissioned' })).toEqual(['gone'])
  })

  it('hides devices of a deleted organization', async () => {
    const own = await world()
    const [id = ''] = await enrolled(own.partnerAdmin, { orgId: own.otherOrg.id }, 'left')
    await system.query('UPDATE organizations SET deleted_at = now() WHERE id = $1', [own.otherOrg.id])
    expect(await names(own.partnerAdmin)).toEqual([])
    const gone = names(own.systemAdmin, { orgIds: [own.otherOrg.id] })
    expect(await refusal(gone)).toMatchObject({ status: 404, message: 'Organization not found' })
    expect(await refusal(call(own.partnerAdmin, devices.get, { id }))).toMatchObject({ status: 404 })
  })
})

describe('a device', async () => {
  const here = await world()
  const elsewhere = await world()
  const [id = ''] = await enrolled(here.orgAdmin, { orgId: here.org.id }, 'single')

  it('has its metrics, also in percent', async () => {
    const figures = { memoryUsed: 1, memoryTotal: 3, diskUsed: 0, diskTotal: 0, cpuPercent: 12.5, load_1m: 0.5 }
    await setState(id, { status: 'online', ...figures })
    expect(await call(here.orgAdmin, devices.get, { id })).toMatchObject({
      status: 'online',
      cpuPercent: 12.5,
      memoryPercent: 33.3,
      diskPercent: null,
      load1m: 0.5,
      inventory: null,
      mainAgentSilentSince: null,
      watchdogStatus: null,
    })
  })

  it('returns 404 to other tenants, as do its metrics', async () => {
    for (const who of [elsewhere.orgAdmin, elsewhere.partnerAdmin]) {
      for (const told of [refusal(call(who, devices.get, { id })), refusal(call(who, devices.metrics, { id }))])
        expect(await told).toMatchObject({ status: 404, message: 'Device not found' })
    }
    expect(await refusal(call(here.orgAdmin, devices.get, { id: randomUUID() }))).toMatchObject({ status: 404 })
  })

  it('returns its inventory as collected', async () => {
    await system.query(
      `INSERT INTO device_inventory (device_id, org_id, partner_id, hash, collected_at, hardware, disks, system)
       VALUES ($1, $2, $3, 'abc', '2026-01-01T00:00:00Z', '{"cpu_model": "X"}', '[{"name": "sda"}]', '{"timeZone": "UTC"}')`,
      [id, here.org.id, here.partner.id],
    )
    const { inventory } = await call(here.orgAdmin, devices.get, { id })
    expect(inventory).toMatchObject({
      hash: 'abc',
      hardware: { cpu_model: 'X' },
      disks: [{ name: 'sda' }],
      software: [],
      system: { timeZone: 'UTC' },
    })
  })

  it('returns the heartbeats of a range, oldest first, and says when there were more', async () => {
    const at = (minute: number) => new Date(Date.UTC(2026, 10, 21, 12, minute)).toISOString()
    for (let minute = 0; minute < 5; minute++) {
      await system.query(
        `INSERT INTO device_metrics (at, device_id, org_id, partner_id, boot_id, sequence, cpu_percent) VALUES ($1, $2, $3, $4, 1, $5::int, $5::int)`,
        [at(minute), id, here.org.id, here.partner.id, minute],
      )
    }
    const range = { id, from: at(1), to: at(4) }
    const all = await call(here.orgAdmin, devices.metrics, range)
    expect(all).toMatchObject({ deviceId: id, from: at(1), to: at(4), truncated: false })
    expect(all.points.map((point) => point.cpuPercent)).toEqual([1, 2, 3, 4])
    const newest = await call(here.orgAdmin, devices.metrics, { ...range, limit: 2 })
    expect(newest.points.map((point) => [point.at, point.cpuPercent])).toEqual([
      [at(3), 3],
      [at(4), 4],
    ])
    expect(newest.truncated).toBe(true)
    const last = await call(here.orgAdmin, devices.metrics, { id, to: at(4), minutes: 1 })
    expect(last.points.map((point) => point.cpuPercent)).toEqual([3, 4])
    expect(await refusal(call(here.orgAdmin, devices.metrics, { id, from: at(4), to: at(1) }))).toMatchObject({
      status: 400,
      message: 'from: must not be after to',
    })
  })
})

describe('the status of a device', async () => {
  const here = await world()
  const lifecycles = ['provisioned', 'active', 'quarantined', 'decommissioned'] as const
  const connections = ['online', 'offline', 'updating', null] as const
  const now = Date.now()
  const since = [null, new Date(now - 1_000).toISOString(), new Date(now - updateTimeoutMs - 60_000).toISOString()]

  it('is the same in the device and in filters, for each combination of its inputs', async () => {
    const expected = new Map<string, DeviceStatus>()
    const { org, partner } = here
    for (const lifecycle of lifecycles) {
      for (const connection of connections) {
        for (const updatingSince of connection === 'updating' ? since : [null]) {
          const { rows } = await system.query<{ id: string }>(
            `INSERT INTO devices (org_id, partner_id, hostname, lifecycle) VALUES ($1, $2, 'x', $3) RETURNING id`,
            [org.id, partner.id, lifecycle],
          )
          const id = rows[0]?.id ?? ''
          if (connection !== null) {
            await system.query(
              'INSERT INTO device_state (device_id, org_id, partner_id, status, updating_since) VALUES ($1, $2, $3, $4, $5)',
              [id, org.id, partner.id, connection, updatingSince],
            )
          }
          expected.set(id, deviceStatus({ lifecycle, connection, updatingSince }, now))
        }
      }
    }
    for (const status of DeviceStatus.options) {
      const { devices: found } = await list(here.orgAdmin, { status: [status], limit: 1_000 })
      const wanted = [...expected].filter(([, each]) => each === status).map(([id]) => id)
      expect(found.map((device) => device.id).sort()).toEqual(wanted.sort())
      expect(new Set(found.map((device) => device.status))).toEqual(new Set(wanted.length > 0 ? [status] : []))
    }
    const both = await list(here.orgAdmin, { status: 'online,updating', limit: 1_000 })
    expect(new Set(both.devices.map((device) => device.status))).toEqual(new Set(['online', 'updating']))
  })
})
