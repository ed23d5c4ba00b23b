import { auditOf } from '@muster/testkit/audit.ts'
import { call, refusal } from '@muster/testkit/call.ts'
import { enrolled, setState } from '@muster/testkit/machines.ts'
import { testServices } from '@muster/testkit/services.ts'
import { person, world } from '@muster/testkit/world.ts'
import { describe, expect, it } from 'vitest'
import { groups } from '../../../fleet/groups/groups.contract.ts'
import { policies } from '../../policies/policies.contract.ts'
import { alerts } from '../alerts.contract.ts'
import { firedFor, statesOf } from '../testing/fired.ts'
import { type Conditions, conditionDepthMax } from './conditions.contract.ts'
import { rules } from './rules.contract.ts'

const { system } = await testServices()
const here = await world()
const orgId = here.org.id
const [deviceId = ''] = await enrolled(here.partnerAdmin, { orgId, siteId: here.site.id }, 'ruled')

const metric = (threshold: number, more: object = {}) => ({
  kind: 'metric' as const,
  metric: 'cpuPercent' as const,
  operator: 'gt' as const,
  threshold,
  ...more,
})
const basis = { orgId, name: 'CPU', severity: 'high' as const, conditions: metric(90) }
const create = (more: object = {}) => call(here.orgAdmin, rules.create, { ...basis, ...more })
const refused = async (more: object) => {
  const told = await refusal(create(more))
  expect(told.status).toBe(400)
  return told.message
}

describe('the conditions of a rule', () => {
  it.each<[string, unknown]>([
    ['offline', { kind: 'offline', seconds: 300 }],
    ['siteOffline', { kind: 'siteOffline', percent: 80, minDevices: 3, seconds: 120 }],
    ['filter', { kind: 'filter', filter: { field: 'hostname', op: 'contains', value: 'web' } }],
    ['forecast', { kind: 'forecast', metric: 'diskPercent', threshold: 95, withinHours: 72 }],
    ['event', { kind: 'event', type: 'device.online', where: { hostname: 'a' } }],
    ['service', { kind: 'service', name: 'nginx' }],
    ['process', { kind: 'process', name: 'postgres', min: 1 }],
    ['disk', { kind: 'disk', mount: '/', freePercent: 10 }],
    ['eventLog', { kind: 'eventLog', log: 'System', text: 'error', count: 5, windowSeconds: 600 }],
    ['certificate', { kind: 'certificate', host: 'example.org', port: 443, days: 14 }],
    [
      'a tree',
      { any: [{ all: [metric(1), { any: [metric(2)] }] }, metric(3, { aggregate: 'avg', windowSeconds: 300 })] },
    ],
  ])('can be %s', async (_name, conditions) => {
    const made = await create({ conditions: conditions as Conditions })
    expect(made).toMatchObject({ version: 1, enabled: true, autoResolve: true, reopenSeconds: 300, openAlerts: 0 })
  })

  it.each<[string, unknown]>([
    ['deeper than three', { all: [{ all: [{ all: [{ all: [metric(1)] }] }] }] }],
    ['more than ten', { any: Array.from({ length: 11 }, () => metric(1)) }],
    [
      'ten and one, spread',
      {
        any: [{ all: Array.from({ length: 6 }, () => metric(1)) }, { all: Array.from({ length: 5 }, () => metric(1)) }],
      },
    ],
    ['an empty group', { all: [] }],
    ['an unknown metric', metric(1, { metric: 'temperature' })],
    ['an average without a window', metric(1, { aggregate: 'avg' })],
    ['a clear threshold on the wrong side', metric(90, { clearThreshold: 95 })],
    ['offline for less than a minute', { kind: 'offline', seconds: 59 }],
    ['a mixed tree', { all: [metric(1), { kind: 'offline', seconds: 300 }] }],
    ['an unknown event', { kind: 'event', type: 'device.exploded' }],
    ['an event of alerts', { kind: 'event', type: 'alert.opened' }],
    ['a process without bounds', { kind: 'process', name: 'x' }],
    ['a certificate at a printer', { kind: 'certificate', host: 'printer.example.org', port: 9_100, days: 14 }],
    ['a certificate at a link-local address', { kind: 'certificate', host: '169.254.169.254', port: 443, days: 14 }],
    ['nothing', {}],
  ])('cannot be %s', async (_name, conditions) => {
    await refused({ conditions })
  })

  it('names the depth that is allowed', async () => {
    const deep = { all: [{ all: [{ all: [{ all: [metric(1)] }] }] }] }
    expect(await refused({ conditions: deep })).toContain(`nested ${conditionDepthMax} deep`)
  })
})

describe('a rule', () => {
  it('is created, changed and deleted with audit records', async () => {
    const made = await create({ targets: { deviceIds: [deviceId] }, title: '{{ device.name }} is busy' })
    expect(made.targets).toEqual({ deviceIds: [deviceId] })
    const changed = await call(here.orgAdmin, rules.update, { id: made.id, severity: 'low' })
    expect(changed).toMatchObject({ severity: 'low', version: 1 })
    const other = await call(here.orgAdmin, rules.update, { id: made.id, conditions: metric(95) })
    expect(other.version).toBe(2)
    expect(
      (await call(here.orgAdmin, rules.list, { search: 'cpu', severity: 'low' })).data.map(({ id }) => id),
    ).toEqual([made.id])
    await call(here.orgAdmin, rules.remove, { id: made.id })
    expect(await refusal(call(here.orgAdmin, rules.get, { id: made.id }))).toMatchObject({ status: 404 })
    const actions = (await auditOf(made.id)).map(({ action }) => action)
    expect(actions).toEqual(['alert_rule.create', 'alert_rule.update', 'alert_rule.update', 'alert_rule.delete'])
  })

  it('rejects texts that are no templates, and unknown recipients', async () => {
    expect(await refused({ title: '{{ device.name' })).toMatch(/^title: /)
    expect(await refused({ message: '{% include "x" %' })).toMatch(/^message: /)
    const unknown = '00000000-0000-4000-8000-000000000001'
    expect(await refused({ channelIds: [unknown] })).toBe(`channelIds: ${unknown} does not exist`)
    expect(await refused({ policyId: unknown })).toBe(`policyId: ${unknown} does not exist`)
    expect(await refused({ dependsOnRuleIds: [unknown] })).toBe(`dependsOnRuleIds: ${unknown} does not exist`)
  })

  it('depends on others without a circle', async () => {
    const first = await create()
    const second = await create({ dependsOnRuleIds: [first.id] })
    const third = await create({ dependsOnRuleIds: [second.id] })
    const circle = call(here.orgAdmin, rules.update, { id: first.id, dependsOnRuleIds: [third.id] })
    expect(await refusal(circle)).toMatchObject({ status: 400, message: expect.stringContaining('circle') })
    const itself = call(here.orgAdmin, rules.update, { id: first.id, dependsOnRuleIds: [first.id] })
    expect(await refusal(itself)).toMatchObject({ status: 400 })
    await call(here.orgAdmin, rules.remove, { id: first.id })
    expect(await call(here.orgAdmin, rules.get, { id: second.id })).toMatchObject({ dependsOnRuleIds: [] })
  })

  it('closes no circle when two are changed at the same time', async () => {
    const [one, two] = [await create(), await create()]
    const outcomes = await Promise.allSettled([
      call(here.orgAdmin, rules.update, { id: one.id, dependsOnRuleIds: [two.id] }),
      call(here.orgAdmin, rules.update, { id: two.id, dependsOnRuleIds: [one.id] }),
    ])
    expect(outcomes.filter(({ status }) => status === 'fulfilled')).toHaveLength(1)
  })

  it('of the partner is changed by its people with access to all organizations', async () => {
    const made = await call(here.partnerAdmin, rules.create, { ...basis, orgId: null })
    expect(made.orgId).toBeNull()
    expect((await call(here.orgAdmin, rules.get, { id: made.id })).id).toBe(made.id)
    expect(await refusal(call(here.orgAdmin, rules.update, { id: made.id, severity: 'low' }))).toMatchObject({
      status: 403,
    })
    const selected = { role: 'Partner Admin', orgAccess: 'selected' as const, orgIds: [orgId] }
    const limited = await person({ scope: 'partner', partnerId: here.partner.id }, selected)
    expect(await refusal(call(limited, rules.remove, { id: made.id }))).toMatchObject({ status: 403 })
  })

  it('of a member limited to a site targets that site alone', async () => {
    const ofOrg = { scope: 'organization', partnerId: here.partner.id, orgId } as const
    const limited = await person(ofOrg, { role: 'Org Admin', siteIds: [here.site.id] })
    expect(await refusal(call(limited, rules.create, basis))).toMatchObject({ status: 403 })
    const made = await call(limited, rules.create, { ...basis, targets: { siteIds: [here.site.id] } })
    expect((await call(limited, rules.list, {})).data.map(({ id }) => id)).toContain(made.id)
    const wide = await create()
    expect(await refusal(call(limited, rules.get, { id: wide.id }))).toMatchObject({ status: 404 })
  })
})

describe('a member limited to device groups', async () => {
  const [inside = '', outside = ''] = await enrolled(here.partnerAdmin, { orgId }, 'inside', 'outside')
  const group = await call(here.orgAdmin, groups.create, { orgId, name: 'Limited', deviceIds: [inside] })
  const other = await call(here.orgAdmin, groups.create, { orgId, name: 'Other', deviceIds: [outside] })
  const ofOrg = { scope: 'organization', partnerId: here.partner.id, orgId } as const
  const limited = await person(ofOrg, { role: 'Org Admin', deviceGroupIds: [group.id] })
  const make = (targets: object) => call(limited, rules.create, { ...basis, targets })

  it('creates rules for those groups and the devices in them alone', async () => {
    const made = await make({ groupIds: [group.id] })
    await make({ deviceIds: [inside] })
    for (const targets of [{}, { siteIds: [here.site.id] }, { orgIds: [orgId] }, { tags: ['server'] }])
      expect(await refusal(make(targets))).toMatchObject({ status: 403 })
    for (const targets of [{ groupIds: [other.id] }, { deviceIds: [outside] }])
      expect(await refusal(make(targets))).toMatchObject({ status: 400 })
    const wider = call(limited, rules.update, { id: made.id, targets: { deviceIds: [outside] } })
    expect(await refusal(wider)).toMatchObject({ status: 400 })
  })

  it('sees, changes and tests only rules that name nothing else', async () => {
    const own = await create({ targets: { groupIds: [group.id] } })
    const hidden = await create({ targets: { groupIds: [other.id] } })
    expect((await call(limited, rules.update, { id: own.id, severity: 'low' })).severity).toBe('low')
    expect((await call(limited, rules.test, { id: own.id })).total).toBe(1)
    const refusals = [
      refusal(call(limited, rules.get, { id: hidden.id })),
      refusal(call(limited, rules.update, { id: hidden.id, severity: 'low' })),
      refusal(call(limited, rules.remove, { id: hidden.id })),
      refusal(call(limited, rules.test, { id: hidden.id })),
    ]
    for (const told of await Promise.all(refusals)) expect(told).toMatchObject({ status: 404 })
  })

  it('neither sees nor changes policies, which name people and places of the whole organization', async () => {
    const policy = await call(here.orgAdmin, policies.create, { orgId, name: 'Policy', order: 9_000, enabled: false })
    const refusals = [
      refusal(call(limited, policies.list, {})),
      refusal(call(limited, policies.create, { orgId, name: 'Own' })),
      refusal(call(limited, policies.update, { id: policy.id, name: 'Other' })),
      refusal(call(limited, policies.remove, { id: policy.id })),
      refusal(call(limited, policies.preview, { orgId, severity: 'high' })),
    ]
    for (const told of await Promise.all(refusals)) expect(told).toMatchObject({ status: 403 })
  })
})

it('names the wrong field of conditions, and what it may be', async () => {
  const leaf = { kind: 'metric', metric: 'cpuPercent', operator: 'gt', threshold: 90 }
  const messages = async (conditions: object) => (await refusal(create({ conditions }))).message
  expect(await messages({ ...leaf, metric: 'speed' })).toMatch(/conditions\.metric: must be one of cpuPercent, /)
  expect(await messages({ any: [leaf, { ...leaf, operator: '>' }] })).toMatch(
    /conditions\.any\.1\.operator: must be one of gt, gte, lt, lte/,
  )
  expect(await messages({ kind: 'offline', seconds: 5 })).toMatch(/conditions\.seconds: must be at least 60/)
  expect(await messages({ kind: 'dark' })).toMatch(/conditions\.kind: must be one of metric, offline, /)
  expect(await messages({ kind: 'event', type: 'device.online', where: { name: 'a' } })).toMatch(
    /conditions\.where\.name: must be one of /,
  )
  expect((await refusal(create({ snoozedUntil: '2020-01-01T00:00:00Z' }))).message).toMatch(/^snoozedUntil: /)
})

describe('the alerts of a rule', () => {
  it('are resolved when the rule is changed, disabled or deleted, with the reason', async () => {
    const changes = [
      { resolution: 'rule_changed', change: (id: string) => call(here.orgAdmin, rules.update, { id, forSeconds: 60 }) },
      {
        resolution: 'rule_disabled',
        change: (id: string) => call(here.orgAdmin, rules.update, { id, enabled: false }),
      },
      { resolution: 'rule_deleted', change: (id: string) => call(here.orgAdmin, rules.remove, { id }) },
    ]
    for (const { resolution, change } of changes) {
      const { id } = await create()
      const alertId = await firedFor(system, id, deviceId)
      expect((await call(here.orgAdmin, rules.get, { id })).openAlerts).toBe(1)
      await change(id)
      const alert = await call(here.orgAdmin, alerts.get, { id: alertId })
      expect(alert).toMatchObject({ status: 'resolved', resolution, resolvedBy: here.orgAdmin.userId })
      expect(await statesOf(system, id)).toBe(0)
    }
  })

  it('are resolved when the rule no longer targets their device, and others stay', async () => {
    const [kept = ''] = await enrolled(here.partnerAdmin, { orgId }, 'kept')
    const { id } = await create({ targets: { deviceIds: [deviceId, kept] } })
    const [left, stays] = [await firedFor(system, id, deviceId), await firedFor(system, id, kept)]
    await call(here.orgAdmin, rules.update, { id, targets: { deviceIds: [kept] } })
    expect(await call(here.orgAdmin, alerts.get, { id: left })).toMatchObject({
      status: 'resolved',
      resolution: 'rule_changed',
    })
    expect(await call(here.orgAdmin, alerts.get, { id: stays })).toMatchObject({ status: 'active' })
    expect(await statesOf(system, id)).toBe(1)
  })

  it('are suppressed while the rule is snoozed', async () => {
    const { id } = await create()
    const alertId = await firedFor(system, id, deviceId)
    const snoozedUntil = new Date(Date.now() + 3_600_000).toISOString()
    await call(here.orgAdmin, rules.update, { id, snoozedUntil })
    expect(await call(here.orgAdmin, alerts.get, { id: alertId })).toMatchObject({
      status: 'suppressed',
      suppression: { kind: 'rule' },
    })
    await call(here.orgAdmin, rules.update, { id, snoozedUntil: null })
    expect(await call(here.orgAdmin, alerts.get, { id: alertId })).toMatchObject({
      status: 'active',
      suppression: null,
    })
  })

  it('have a title and a message of the templates, and the figures', async () => {
    const { id } = await create({
      title: '{{ device.name }}: {{ value }} %',
      message: '{{ site.name }} {{ severity }}',
    })
    const alertId = await firedFor(system, id, deviceId, [{ metric: 'cpuPercent', threshold: 90, value: 97 }])
    const alert = await call(here.orgAdmin, alerts.get, { id: alertId })
    expect(alert).toMatchObject({ title: 'ruled: 97 %', message: `${here.site.name} high`, ruleId: id, source: 'rule' })
    expect(alert.explanation).toMatchObject({ threshold: 90, ruleVersion: 1 })
  })
})

describe('the test of a rule', () => {
  it('says what it would do now and would have done, and opens nothing', async () => {
    const begin = Date.now() - 3_600_000
    await setState(deviceId, { status: 'online', lastSeenAt: new Date().toISOString() })
    for (let minute = 0; minute < 60; minute++) {
      const cpu = minute >= 20 && minute < 30 ? 99 : minute >= 58 ? 95 : 10
      await system.query(
        `INSERT INTO device_metrics (at, device_id, org_id, partner_id, boot_id, sequence, cpu_percent) VALUES ($1, $2, $3, $4, 1, $5, $6)`,
        [new Date(begin + minute * 60_000), deviceId, orgId, here.partner.id, minute + 1, cpu],
      )
    }
    const { id } = await create({ targets: { deviceIds: [deviceId] }, forSeconds: 60 })
    const tested = await call(here.orgAdmin, rules.test, { id, hours: 2 })
    expect(tested).toMatchObject({ total: 1, matches: [{ deviceId, value: 95, would: 'fire' }] })
    expect(tested.backtest).toMatchObject({ alerts: 2, flaps: 0 })
    const patient = await call(here.orgAdmin, rules.test, { id, hours: 2, forSeconds: 90 })
    expect(patient).toMatchObject({ matches: [{ deviceId, would: 'pending' }], backtest: { alerts: 1 } })
    expect((await call(here.orgAdmin, alerts.list, { ruleId: id })).data).toEqual([])
    const other = await call(here.orgAdmin, rules.test, { id, deviceId, conditions: metric(98) })
    expect(other).toMatchObject({ matches: [{ would: 'clear' }], backtest: { alerts: 1 } })
  })
})
