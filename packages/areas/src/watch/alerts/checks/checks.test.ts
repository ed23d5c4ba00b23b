import { nodeLease, nodesKey } from '@muster/backplane/keys.ts'
import { inTransaction } from '@muster/db/transaction.ts'
import { call } from '@muster/testkit/call.ts'
import { enrolled, setState } from '@muster/testkit/machines.ts'
import { operatorRedis, testServices } from '@muster/testkit/services.ts'
import { world } from '@muster/testkit/world.ts'
import { describe, expect, it } from 'vitest'
import { alerts } from '../alerts.contract.ts'
import type { Conditions } from '../rules/conditions.contract.ts'
import { rules } from '../rules/rules.contract.ts'
import { raiseForEvents } from './events.followers.ts'
import { endLeft, lookForMatches } from './filter.jobs.ts'
import { lookAhead } from './forecast.jobs.ts'
import { cutoffOf } from './listening.ts'
import { OfflineWatch } from './offline.jobs.ts'

const { system } = await testServices()
const redis = await operatorRedis()
const here = await world()
const orgId = here.org.id
const siteId = here.site.id
const ids = await enrolled(here.partnerAdmin, { orgId, siteId }, 'check-1', 'check-2', 'check-3', 'check-4')
const parts = { pool: system, redis, publish: async () => undefined }
await redis.zadd(nodesKey, Date.now(), 'check-node')
const listen = () => redis.set(nodeLease('check-node'), '{}', 'PX', 60_000)
const look = async () => {
  await listen()
  await new OfflineWatch(parts).look(Date.now())
}

const create = (conditions: Conditions, more: object = {}) =>
  call(here.orgAdmin, rules.create, { orgId, name: 'Check', severity: 'high', conditions, ...more })
const statusesOf = async (ruleId: string) =>
  (
    await system.query<{ status: string }>('SELECT status FROM alerts WHERE rule_id = $1 ORDER BY opened_at, id', [
      ruleId,
    ])
  ).rows.map(({ status }) => status)
const isOffline = (deviceId: string, minutes: number) =>
  setState(deviceId, {
    status: 'offline',
    statusAt: new Date(Date.now() - minutes * 60_000).toISOString(),
    lastSeenAt: new Date(Date.now() - minutes * 60_000).toISOString(),
  })
const isOnline = (deviceId: string) =>
  setState(deviceId, { status: 'online', statusAt: new Date().toISOString(), lastSeenAt: new Date().toISOString() })
for (const id of ids) await isOnline(id)
const [first = '', second = '', third = ''] = ids

describe('a rule on devices that are offline', () => {
  it('opens alerts after its time, and resolves them when the devices are back', async () => {
    const { id } = await create({ kind: 'offline', seconds: 300 }, { targets: { deviceIds: [first, second] } })
    await isOffline(first, 6)
    await isOffline(second, 4)
    await isOffline(third, 6)
    await look()
    expect(await statusesOf(id)).toEqual(['active'])
    await look()
    expect(await statusesOf(id)).toEqual(['active'])
    for (const each of ids) await isOnline(each)
    await look()
    expect(await statusesOf(id)).toEqual(['resolved'])
  })

  it('opens the alerts of each rule after its own time, in one look after the other', async () => {
    const watch = new OfflineWatch(parts)
    const targets = { deviceIds: [first, second] }
    const short = await create({ kind: 'offline', seconds: 60 }, { targets })
    const long = await create({ kind: 'offline', seconds: 300 }, { targets })
    await listen()
    const now = Date.now()
    await isOffline(first, 2)
    await isOffline(second, 0.5)
    await watch.look(now)
    expect([await statusesOf(short.id), await statusesOf(long.id)]).toEqual([['active'], []])
    await watch.look(now + 25_000)
    expect(await statusesOf(short.id)).toEqual(['active'])
    await watch.look(now + 31_000)
    expect([await statusesOf(short.id), await statusesOf(long.id)]).toEqual([['active', 'active'], []])
    await watch.look(now + 200_000)
    expect([await statusesOf(short.id), await statusesOf(long.id)]).toEqual([['active', 'active'], ['active']])
    for (const each of [first, second]) await isOnline(each)
    await watch.look(now + 201_000)
    expect(await statusesOf(long.id)).toEqual(['resolved'])
  })

  it('gives a restart that Muster ordered fifteen minutes', async () => {
    const { id } = await create({ kind: 'offline', seconds: 60 }, { targets: { deviceIds: [first] } })
    await system.query(
      `INSERT INTO device_commands (device_id, org_id, partner_id, type, status, timeout_ms, expires_at, finished_at)
       VALUES ($1, $2, $3, 'reboot', 'completed', 60000, now() + interval '1 hour', now() - interval '5 minutes')`,
      [first, orgId, here.partner.id],
    )
    await isOffline(first, 4)
    await look()
    expect(await statusesOf(id)).toEqual([])
    await system.query(`UPDATE device_commands SET finished_at = now() - interval '16 minutes' WHERE device_id = $1`, [
      first,
    ])
    await look()
    expect(await statusesOf(id)).toEqual(['active'])
    await isOnline(first)
  })

  it('says nothing while no gateway listens, and counts only the time in which one did', () => {
    const now = 10_000_000
    expect(cutoffOf(300, [], now)).toBe(now - 300_000)
    const outage = { beganMs: now - 400_000, endedMs: now - 100_000 }
    // 100 s since the outage, 90 s of grace, and the rest before it.
    expect(cutoffOf(300, [outage], now)).toBe(outage.beganMs - 290_000)
    expect(cutoffOf(60, [outage], now)).toBe(outage.beganMs - 50_000)
    // Those that left during the outage had their grace.
    const graceEnds = outage.endedMs + 150_000
    expect(cutoffOf(60, [outage], graceEnds - 1)).toBe(outage.beganMs - 1)
    expect(cutoffOf(60, [outage], graceEnds)).toBe(graceEnds - 60_000)
  })
})

describe('a rule on sites that are offline', () => {
  it('opens one alert for the site, which suppresses those of its devices', async () => {
    const site = await create(
      { kind: 'siteOffline', percent: 75, minDevices: 3, seconds: 120 },
      { targets: { siteIds: [siteId] } },
    )
    const device = await create({ kind: 'offline', seconds: 180 }, { targets: { deviceIds: ids } })
    for (const each of ids.slice(0, 3)) await isOffline(each, 5)
    await look()
    expect(await statusesOf(site.id)).toEqual(['active'])
    expect(await statusesOf(device.id)).toEqual(['suppressed', 'suppressed', 'suppressed'])
    for (const each of ids) await isOnline(each)
    await look()
    expect(await statusesOf(site.id)).toEqual(['resolved'])
    expect(await statusesOf(device.id)).toEqual(['resolved', 'resolved', 'resolved'])
  })

  it('acts within seconds when devices join or leave its targets', async () => {
    const [, , , fourth = ''] = ids
    const { id } = await create(
      { kind: 'siteOffline', percent: 75, minDevices: 3, seconds: 60 },
      { targets: { tags: ['cashier'] } },
    )
    const tag = (deviceId: string, tags: string[]) =>
      system.query('UPDATE devices SET tags = $2 WHERE id = $1', [deviceId, tags])
    for (const each of ids.slice(0, 3)) await tag(each, ['cashier'])
    for (const each of [first, second, fourth]) await isOffline(each, 5)
    await listen()
    const watch = new OfflineWatch(parts)
    const now = Date.now()
    await watch.look(now)
    expect(await statusesOf(id)).toEqual([])
    await tag(fourth, ['cashier'])
    await watch.look(now + 4_000)
    expect(await statusesOf(id)).toEqual(['active'])
    await tag(fourth, [])
    await watch.look(now + 8_000)
    expect(await statusesOf(id)).toEqual(['resolved'])
    for (const each of ids) await isOnline(each)
  })
})

describe('a rule on a filter', () => {
  it('opens alerts for the devices that match, and resolves those that match no longer', async () => {
    await system.query(`UPDATE devices SET tags = '{broken}' WHERE id = $1`, [first])
    await setState(first, { cpuPercent: 97 })
    const any = [
      { field: 'tags', op: 'hasAny', value: ['broken'] },
      { field: 'status', op: 'is', value: 'offline' },
      { field: 'cpuPercent', op: 'moreThan', value: 99 },
      { field: 'virtual', op: 'is', value: true },
      { field: 'software.name', op: 'has', value: 'nothing like it' },
      { field: 'siteId', op: 'is', value: '00000000-0000-4000-8000-000000000009' },
    ]
    const { id } = await create({ kind: 'filter', filter: { any } })
    await lookForMatches(parts)
    expect(await statusesOf(id)).toEqual(['active'])
    const { rows } = await system.query('SELECT message FROM alerts WHERE rule_id = $1', [id])
    expect(rows).toEqual([{ message: 'Tags: broken. Status: online. CPU use: 97 %. Virtual machine: none' }])
    const { data } = await call(here.orgAdmin, alerts.list, { ruleId: id })
    const { explanation } = await call(here.orgAdmin, alerts.get, { id: data[0]?.id ?? '' })
    expect(explanation.samples).toEqual(
      [
        ['tags', 'broken'],
        ['status', 'online'],
        ['virtual', null],
        ['cpuPercent', 97],
      ].map(([metric, value]) => ({ at: expect.any(String), metric, value })),
    )
    await system.query(`DELETE FROM target_filter_members WHERE device_id = $1`, [first])
    await lookForMatches(parts)
    expect(await statusesOf(id)).toEqual(['resolved'])
  })
})

describe('a device that leaves the targets of a rule', () => {
  it('loses its state and its alert', async () => {
    const { id } = await create({ kind: 'offline', seconds: 60 }, { targets: { deviceIds: [second] } })
    await isOffline(second, 5)
    await look()
    expect(await statusesOf(id)).toEqual(['active'])
    await call(here.orgAdmin, rules.update, { id, targets: { deviceIds: [third] } })
    await endLeft(parts)
    expect(await statusesOf(id)).toEqual(['resolved'])
    await isOnline(second)
  })
})

describe('a rule on a forecast', () => {
  it('opens an alert for the device whose metric goes there', async () => {
    for (const [deviceId, step] of [
      [first, 1],
      [second, 0],
    ] as const)
      await system.query(
        `INSERT INTO device_metrics_five_minutes (at, device_id, org_id, partner_id, samples, disk_used, disk_total)
         SELECT date_bin('5 minutes', now(), 'epoch') - n * interval '5 minutes', $1, $2, $3, 5, 800 - n * $4::int, 1000 FROM generate_series(1, 60) n`,
        [deviceId, orgId, here.partner.id, step],
      )
    const { id } = await create(
      { kind: 'forecast', metric: 'diskPercent', threshold: 95, withinHours: 24 },
      { targets: { deviceIds: [first, second] } },
    )
    await lookAhead(parts)
    const { rows } = await system.query('SELECT device_id, message FROM alerts WHERE rule_id = $1', [id])
    expect(rows).toMatchObject([{ device_id: first, message: expect.stringContaining('within 24 hours') }])
  })
})

describe('a rule on an event', () => {
  it('opens an alert, and counts further events', async () => {
    const { id } = await create(
      { kind: 'event', type: 'device.offline', where: { hostname: 'check-1' } },
      { targets: { deviceIds: [first] } },
    )
    const event = (hostname: string) => ({
      id: crypto.randomUUID(),
      type: 'device.offline',
      partnerId: here.partner.id,
      orgId,
      siteId,
      deviceId: first,
      at: new Date().toISOString(),
      data: { hostname },
      cause: null,
    })
    await inTransaction(system, (client) => raiseForEvents(client, [event('other')]))
    expect(await statusesOf(id)).toEqual([])
    await inTransaction(system, (client) => raiseForEvents(client, [event('check-1')]))
    await inTransaction(system, (client) => raiseForEvents(client, [event('check-1')]))
    const { rows } = await system.query('SELECT status, occurrences FROM alerts WHERE rule_id = $1', [id])
    expect(rows).toEqual([{ status: 'active', occurrences: 2 }])
  })
})
