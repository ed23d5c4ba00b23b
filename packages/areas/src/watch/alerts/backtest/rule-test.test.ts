import { randomUUID } from 'node:crypto'
import { inTransaction } from '@muster/db/transaction.ts'
import { call, refusal } from '@muster/testkit/call.ts'
import { enrolled, setState } from '@muster/testkit/machines.ts'
import { testServices } from '@muster/testkit/services.ts'
import { world } from '@muster/testkit/world.ts'
import { beforeEach, describe, expect, it } from 'vitest'
import { policies } from '../../policies/policies.contract.ts'
import { templates } from '../../templates/templates.contract.ts'
import { checkTransitions } from '../checks/agent-checks.ts'
import type { Conditions } from '../rules/conditions.contract.ts'
import { rules } from '../rules/rules.contract.ts'

const { system } = await testServices()
const here = await world()
const orgId = here.org.id
const siteId = here.site.id
const ids = await enrolled(here.partnerAdmin, { orgId, siteId }, 'tested-1', 'tested-2', 'tested-3')
const [first = '', second = '', third = ''] = ids

const isOffline = (deviceId: string, minutes: number) => {
  const at = new Date(Date.now() - minutes * 60_000).toISOString()
  return setState(deviceId, { status: 'offline', statusAt: at, lastSeenAt: at })
}
const isOnline = (deviceId: string) => {
  const at = new Date().toISOString()
  return setState(deviceId, { status: 'online', statusAt: at, lastSeenAt: at })
}
const create = (conditions: Conditions, more: object = {}) =>
  call(here.orgAdmin, rules.create, {
    orgId,
    name: 'Tested',
    severity: 'high',
    conditions,
    targets: { deviceIds: ids },
    ...more,
  })
const tested = (id: string, more: object = {}) => call(here.orgAdmin, rules.test, { id, ...more })
/** Stores an event some minutes ago. */
const happened = (deviceId: string, type: string, minutes: number, data: object = {}) =>
  system.query(
    `INSERT INTO events (type, partner_id, org_id, site_id, device_id, data, at, stored_at)
     VALUES ($1, $2, $3, $4, $5, $6, now() - $7::interval, now() - $7::interval)`,
    [type, here.partner.id, orgId, siteId, deviceId, JSON.stringify(data), `${minutes} minutes`],
  )

beforeEach(async () => {
  for (const id of ids) await isOnline(id)
})

describe('the test of a rule finds', () => {
  it('devices that are offline, for as long as the rule waits', async () => {
    await isOffline(first, 10)
    await isOffline(second, 3)
    const { id } = await create({ kind: 'offline', seconds: 120 })
    const now = await tested(id)
    expect(now.matches.map(({ deviceId, would }) => [deviceId, would])).toEqual([
      [first, 'fire'],
      [second, 'fire'],
    ])
    expect(now.matches[1]?.value).toBeGreaterThan(170)
    const waiting = await tested(id, { forSeconds: 300 })
    expect(waiting.matches.map(({ would }) => would)).toEqual(['fire', 'pending'])
    expect((await tested(id, { deviceId: third })).matches).toEqual([{ deviceId: third, value: null, would: 'clear' }])
  })

  it('the devices of a site that is offline, with the percentage', async () => {
    await isOffline(first, 10)
    await isOffline(second, 10)
    const { id } = await create({ kind: 'siteOffline', percent: 60, minDevices: 3, seconds: 120 })
    const { matches } = await tested(id)
    expect(matches.toSorted((a, b) => a.deviceId.localeCompare(b.deviceId))).toEqual(
      [first, second].toSorted().map((deviceId) => ({ deviceId, value: 66.7, would: 'fire' })),
    )
    const other = { kind: 'siteOffline' as const, percent: 80, minDevices: 3, seconds: 120 }
    expect((await tested(id, { conditions: other })).matches).toEqual([])
  })

  it('the times at which a site was offline', async () => {
    await happened(first, 'device.offline', 100)
    await happened(second, 'device.offline', 99)
    await happened(first, 'device.online', 80)
    await happened(second, 'device.online', 79)
    const { id } = await create({ kind: 'siteOffline', percent: 60, minDevices: 3, seconds: 300 })
    expect((await tested(id)).backtest).toMatchObject({ alerts: 1, flaps: 0 })
    const patient = { kind: 'siteOffline' as const, percent: 60, minDevices: 3, seconds: 3_000 }
    expect((await tested(id, { conditions: patient })).backtest).toMatchObject({ alerts: 0 })
  })

  it('devices that match a filter', async () => {
    const { id } = await create({ kind: 'filter', filter: { field: 'hostname', op: 'is', value: 'tested-2' } })
    expect((await tested(id)).matches).toEqual([{ deviceId: second, value: null, would: 'fire' }])
    const other = { kind: 'filter' as const, filter: { field: 'hostname', op: 'is' as const, value: 'tested-3' } }
    const asked = await tested(id, { conditions: other, forSeconds: 60 })
    expect(asked.matches).toEqual([{ deviceId: third, value: null, would: 'pending' }])
  })

  it('devices whose metric reaches the threshold in time', async () => {
    await system.query(
      `INSERT INTO device_metrics_five_minutes (at, device_id, org_id, partner_id, samples, disk_used, disk_total)
       SELECT date_bin('5 minutes', now(), 'epoch') - n * interval '5 minutes', $1, $2, $3, 5, 800 - n, 1000 FROM generate_series(1, 60) n`,
      [first, orgId, here.partner.id],
    )
    const conditions = { kind: 'forecast' as const, metric: 'diskPercent' as const, threshold: 95, withinHours: 24 }
    const { id } = await create(conditions)
    const { matches } = await tested(id)
    expect(matches).toEqual([{ deviceId: first, value: expect.any(Number), would: 'fire' }])
    expect(matches[0]?.value).toBeGreaterThan(95)
    expect((await tested(id, { conditions: { ...conditions, withinHours: 1 } })).matches).toEqual([])
    // The line was above the threshold from the twelfth average on.
    const { backtest } = await tested(id)
    expect(backtest).toMatchObject({ basis: 'history', alerts: 1, devices: 3 })
    expect(Date.parse(backtest.since ?? '')).toBeLessThan(Date.now() - 4 * 3_600_000)
    const later = { ...conditions, threshold: 99.5, withinHours: 1 }
    expect((await tested(id, { conditions: later })).backtest).toMatchObject({ basis: 'history', alerts: 0 })
  })

  it('devices with events, and the alerts that they would have opened', async () => {
    for (const minutes of [50, 49, 10]) await happened(third, 'command.failed', minutes, { type: 'reboot' })
    await happened(third, 'command.failed', 5, { type: 'run_script' })
    const { id } = await create({ kind: 'event', type: 'command.failed', where: { type: 'reboot' } })
    const { matches, backtest } = await tested(id)
    expect(matches).toEqual([{ deviceId: third, value: 3, would: 'fire' }])
    expect(backtest).toMatchObject({ alerts: 2, flaps: 1 })
  })

  it.each<Conditions>([
    { kind: 'service', name: 'nginx' },
    { kind: 'process', name: 'postgres', min: 1 },
    { kind: 'disk', mount: '/', freePercent: 10 },
    { kind: 'eventLog', log: 'System', text: 'error', count: 5, windowSeconds: 600 },
    { kind: 'certificate', host: 'example.org', port: 443, days: 14 },
  ])('devices whose agent saw the check fail: %j', async (conditions) => {
    const { id } = await create(conditions)
    expect(await tested(id)).toMatchObject({ matches: [], backtest: { basis: 'alerts', alerts: 0 } })
    const failed = { id: `${id}:1`, deviceId: first, state: 'failed' as const, rounds: 1, failed: 1, value: 7 }
    await inTransaction(system, (client) => checkTransitions(client, [{ ...failed, at: Date.now() }]))
    const { matches, backtest } = await tested(id)
    expect(matches).toEqual([{ deviceId: first, value: 7, would: 'fire' }])
    expect(backtest).toMatchObject({ basis: 'alerts', alerts: 1 })
    await call(here.orgAdmin, rules.remove, { id })
  })
})

it('the test of a rule rejects a device that the rule does not target', async () => {
  const { id } = await create({ kind: 'offline', seconds: 120 }, { targets: { deviceIds: [first] } })
  expect(await refusal(tested(id, { deviceId: second }))).toMatchObject({
    status: 400,
    message: `deviceId: the rule targets no device ${second}`,
  })
})

describe('a backtest', () => {
  const metric = (field: string, op: string, value: number) => ({ field, op, value })
  const heartbeats = (deviceId: string, cpu: readonly number[]) =>
    system.query(
      `INSERT INTO device_metrics (at, device_id, org_id, partner_id, boot_id, sequence, cpu_percent)
       SELECT now() - ($4::int - n + 1) * interval '1 minute', $1, $2, $3, 1, n, cpu
       FROM unnest($5::real[]) WITH ORDINALITY AS g(cpu, n)`,
      [deviceId, orgId, here.partner.id, cpu.length, cpu],
    )

  it('evaluates the metrics of a filter over stored heartbeats, and its other fields as they are now', async () => {
    await heartbeats(second, [10, 97, 98, 10, 10])
    await heartbeats(third, [99, 99, 99, 99, 99])
    const busy = metric('cpuPercent', 'moreThan', 95)
    const all = { kind: 'filter' as const, filter: busy }
    const { id } = await create(all)
    expect(await tested(id)).toMatchObject({ backtest: { basis: 'history', alerts: 2, devices: 3 }, notes: [] })
    const named = { field: 'hostname', op: 'is', value: 'tested-2' }
    const both = await tested(id, { conditions: { kind: 'filter', filter: { all: [named, busy] } } })
    expect(both.backtest).toMatchObject({ basis: 'history', alerts: 1, devices: 3 })
    expect(both.notes).toEqual([expect.stringContaining('Only metrics')])
  })

  it('counts the messages in the groups of the policy that the rule names', async () => {
    for (const id of ids) await happened(id, 'command.failed', 200, { type: 'update_agent' })
    const own = { orgId, name: 'By device', groupBy: ['device' as const], groupWaitSeconds: 1 }
    const { id: policyId } = await call(here.orgAdmin, policies.create, own)
    const conditions = { kind: 'event' as const, type: 'command.failed', where: { type: 'update_agent' } }
    const [usual, named] = [await create(conditions), await create(conditions, { policyId })]
    expect((await tested(usual.id)).backtest).toMatchObject({ alerts: 3, messages: 1 })
    expect((await tested(named.id)).backtest).toMatchObject({ alerts: 3, messages: 3 })
    const preview = (more: object) => call(here.orgAdmin, rules.preview, { orgId, conditions, ...more })
    expect((await preview({ policyId })).backtest).toMatchObject({ alerts: 3, messages: 3 })
    expect(await refusal(preview({ policyId: first }))).toMatchObject({
      status: 400,
      message: `policyId: ${first} does not exist`,
    })
  })

  it('has no figures where nothing is stored and no rule asked before', async () => {
    const { id } = await create({ kind: 'offline', seconds: 120 })
    const filter = { field: 'hostname', op: 'is', value: `no-rule-asks-${id}` }
    const { backtest, notes } = await tested(id, { conditions: { kind: 'filter', filter } })
    expect(backtest).toEqual({
      ...{ basis: 'none', since: null, devices: 0, alerts: null, messages: null, flaps: null, perDay: [] },
    })
    expect(notes).toEqual([expect.stringContaining('not stored')])
  })
})

describe('the preview of a rule', () => {
  const preview = (more: object = {}) =>
    call(here.orgAdmin, rules.preview, {
      orgId,
      targets: { deviceIds: ids },
      conditions: { kind: 'offline', seconds: 120 },
      ...more,
    })

  it('finds what the saved rule would find, and stores nothing', async () => {
    await isOffline(first, 10)
    const before = await system.query('SELECT count(*) FROM target_sets WHERE partner_id = $1', [here.partner.id])
    expect(await preview()).toMatchObject({ total: 3, matches: [{ deviceId: first, would: 'fire' }] })
    expect(await preview({ exclude: { deviceIds: [first] } })).toMatchObject({ total: 2, matches: [] })
    const filter = { field: 'hostname', op: 'is', value: 'tested-2' }
    expect(await preview({ targets: { siteIds: [siteId], filter } })).toMatchObject({ total: 1, matches: [] })
    expect(await preview({ deviceId: second })).toMatchObject({ matches: [{ deviceId: second, would: 'clear' }] })
    expect(
      (await system.query('SELECT count(*) FROM target_sets WHERE partner_id = $1', [here.partner.id])).rows,
    ).toEqual(before.rows)
  })

  it('takes conditions and times from a template', async () => {
    const { data } = await call(here.orgAdmin, templates.builtIn, { search: 'offline', limit: 100 })
    const template = data.find(({ key }) => key === 'device-offline') ?? data[0]
    await isOffline(first, 600)
    const found = await preview({ conditions: undefined, templateId: template?.id })
    expect(found.matches.map(({ deviceId }) => deviceId)).toContain(first)
  })

  it.each<[string, object, object]>([
    ['without conditions', { conditions: undefined }, { status: 400, message: expect.stringMatching(/^conditions: /) }],
    ['for unknown devices', { targets: { deviceIds: [randomUUID()] } }, { status: 400, code: 'VALIDATION_ERROR' }],
    ['for a device that is not targeted', { targets: { deviceIds: [first] }, deviceId: second }, { status: 400 }],
    ['for events that do not exist', { conditions: { kind: 'event', type: 'device.exploded' } }, { status: 400 }],
  ])('is refused %s', async (_name, more, refused) => {
    expect(await refusal(preview(more))).toMatchObject(refused)
  })

  it('does not say that agents checked what no rule asks', async () => {
    const { matches, backtest, notes } = await preview({ conditions: { kind: 'service', name: randomUUID() } })
    expect(matches).toEqual([])
    expect(backtest).toMatchObject({ basis: 'none', alerts: null })
    expect(notes).toHaveLength(2)
  })
})
