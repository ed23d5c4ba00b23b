import { asSystem } from '@muster/db/database.ts'
import { auditOf } from '@muster/testkit/audit.ts'
import { call, events, refusal } from '@muster/testkit/call.ts'
import { enrolled } from '@muster/testkit/machines.ts'
import { testServices } from '@muster/testkit/services.ts'
import { person, world } from '@muster/testkit/world.ts'
import { describe, expect, it, onTestFinished } from 'vitest'
import { publishEvents } from '../../platform/live-events/index.ts'
import { alerts } from './alerts.contract.ts'
import { clearAlerts, raiseAlerts } from './lifecycle/raise.ts'
import type { Raise } from './lifecycle/raising.ts'
import { followTimes } from './lifecycle/timeouts.jobs.ts'

const { system, redis } = await testServices()
const here = await world()
const orgId = here.org.id
const [deviceId = '', leaving = ''] = await enrolled(
  here.partnerAdmin,
  { orgId, siteId: here.site.id },
  'watched',
  'leaving',
)

let count = 0
const newKey = () => `test:${deviceId}:${++count}`
const problem = (key: string, more: Partial<Raise> = {}): Raise => ({
  source: 'system',
  key,
  partnerId: here.partner.id,
  orgId,
  siteId: here.site.id,
  deviceId,
  severity: 'high',
  title: 'Disk full',
  message: '97 % of / are used',
  ...more,
})
const raise = (...raises: Raise[]) => asSystem(system, (db) => raiseAlerts(db, raises))
const clear = (key: string) => asSystem(system, (db) => clearAlerts(db, [{ source: 'system', key }]))
async function opened(more: Partial<Raise> = {}): Promise<{ id: string; key: string }> {
  const key = newKey()
  const { ids } = await raise(problem(key, more))
  return { id: ids.get(key) ?? '', key }
}
const find = (id: string) => call(here.orgAdmin, alerts.get, { id })
const past = new Date(Date.now() - 60_000).toISOString()
const later = new Date(Date.now() + 3_600_000).toISOString()
const expire = (id: string) =>
  system.query(
    `UPDATE alerts SET suppressed_until = suppressed_until - interval '1 day', acknowledged_until = acknowledged_until - interval '1 day' WHERE id = $1`,
    [id],
  )

describe('the condition of an alert', () => {
  it('opens one alert, however often it is raised', async () => {
    const { id, key } = await opened()
    expect((await raise(problem(key), problem(key))).ids.size).toBe(0)
    expect(await find(id)).toMatchObject({ status: 'active', occurrences: 1, timeline: [{ kind: 'opened' }] })
  })

  it('opens one alert when it is raised by several at the same time', async () => {
    const key = newKey()
    const raised = await Promise.all(Array.from({ length: 6 }, () => raise(problem(key))))
    expect(raised.reduce((sum, { ids }) => sum + ids.size, 0)).toBe(1)
  })

  it('resolves the alert when it is false', async () => {
    const { id, key } = await opened()
    await clear(key)
    expect(await find(id)).toMatchObject({ status: 'resolved', resolution: 'auto', resolvedBy: null })
    expect((await find(id)).timeline.map(({ kind }) => kind)).toEqual(['opened', 'resolved'])
  })

  it('leaves the alert to people when its rule says so, and counts when it is true again', async () => {
    const { id, key } = await opened({ autoResolve: false })
    await clear(key)
    expect(await find(id)).toMatchObject({ status: 'active', resolution: null })
    await raise(problem(key, { autoResolve: false }))
    expect(await find(id)).toMatchObject({ status: 'active', occurrences: 2 })
  })

  it('reopens the alert when it is true again soon, and opens another one later', async () => {
    const { id, key } = await opened()
    await clear(key)
    expect((await raise(problem(key))).ids.get(key)).toBe(id)
    expect(await find(id)).toMatchObject({ status: 'active', occurrences: 2, resolution: null, resolvedAt: null })
    await clear(key)
    await system.query(`UPDATE alerts SET resolved_at = resolved_at - interval '301 seconds' WHERE id = $1`, [id])
    expect((await raise(problem(key))).ids.get(key)).not.toBe(id)
  })

  it('reopens the alert as its rule is now', async () => {
    const { id, key } = await opened()
    await clear(key)
    await raise(problem(key, { severity: 'critical', autoResolve: false }))
    await clear(key)
    expect(await find(id)).toMatchObject({ status: 'active', severity: 'critical' })
  })

  it('keeps an alert quiet that was resolved by hand, until it was false once', async () => {
    const { id, key } = await opened()
    await call(here.orgAdmin, alerts.resolve, { id, note: 'Known' })
    await raise(problem(key))
    expect(await find(id)).toMatchObject({ status: 'resolved', resolution: 'manual' })
    await clear(key)
    expect(await find(id)).toMatchObject({ status: 'resolved', resolution: 'manual' })
    await raise(problem(key))
    expect(await find(id)).toMatchObject({ status: 'active', occurrences: 2 })
  })

  it('makes an alert flap that changes six times within half an hour', async () => {
    const { id, key } = await opened()
    for (let change = 1; change <= 2; change++) {
      await clear(key)
      await raise(problem(key))
      expect((await find(id)).flapping).toBe(false)
    }
    await clear(key)
    await raise(problem(key))
    expect((await find(id)).flapping).toBe(true)
    await system.query(`UPDATE alerts SET last_changed_at = now() - interval '31 minutes' WHERE id = $1`, [id])
    await followTimes(system)
    expect((await find(id)).flapping).toBe(false)
  })

  it('opens nothing for a device that left meanwhile', async () => {
    const key = newKey()
    const unknown = '00000000-0000-4000-8000-000000000000'
    expect((await raise(problem(key, { deviceId: unknown }))).ids.size).toBe(0)
  })
})

describe('actions of people', () => {
  it('acknowledges an active alert once, and says who did', async () => {
    const { id } = await opened()
    const acknowledged = await call(here.orgAdmin, alerts.acknowledge, { id, note: 'On it' })
    expect(acknowledged).toMatchObject({ status: 'acknowledged', acknowledgedBy: here.orgAdmin.userId })
    const again = await refusal(call(here.partnerAdmin, alerts.acknowledge, { id }))
    expect(again).toMatchObject({ status: 409, code: 'CONFLICT' })
    expect(again.message).toMatch(/^The alert was acknowledged by Person .* already$/)
    expect((await find(id)).timeline.at(-1)).toMatchObject({ kind: 'acknowledged', note: 'On it' })
    expect(await auditOf(id)).toMatchObject([{ action: 'alert.open' }, { action: 'alert.acknowledge', org_id: orgId }])
  })

  it('suppresses again what is suppressed, and acknowledges it not', async () => {
    const { id } = await opened()
    await call(here.orgAdmin, alerts.acknowledge, { id })
    const suppressed = await call(here.orgAdmin, alerts.suppress, { id, durationMinutes: 5, reason: 'Known' })
    expect(suppressed.suppression).toEqual({ kind: 'user', id: here.orgAdmin.userId, reason: 'Known' })
    expect(await refusal(call(here.orgAdmin, alerts.acknowledge, { id }))).toMatchObject({ status: 409 })
    expect(await call(here.orgAdmin, alerts.suppress, { id, until: later })).toMatchObject({ suppressedUntil: later })
    expect(await call(here.orgAdmin, alerts.resolve, { id })).toMatchObject({ status: 'resolved', suppression: null })
  })

  it.each(['acknowledge', 'resolve', 'suppress'] as const)('refuses to %s a resolved alert', async (action) => {
    const { id } = await opened()
    await call(here.orgAdmin, alerts.resolve, { id })
    expect(await refusal(call(here.orgAdmin, alerts[action], { id }))).toMatchObject({ status: 409, code: 'CONFLICT' })
  })

  it('rejects an end in the past, and two ends', async () => {
    const { id } = await opened()
    expect(await refusal(call(here.orgAdmin, alerts.acknowledge, { id, until: past }))).toMatchObject({ status: 400 })
    expect(await refusal(call(here.orgAdmin, alerts.suppress, { id, until: past }))).toMatchObject({ status: 400 })
    const both = call(here.orgAdmin, alerts.suppress, { id, until: later, durationMinutes: 5 })
    expect(await refusal(both)).toMatchObject({ status: 400 })
  })

  it('makes an alert active again when the time of a suppression or an acknowledgment is over', async () => {
    const suppressed = await opened()
    const acknowledged = await opened()
    await call(here.orgAdmin, alerts.suppress, { id: suppressed.id, durationMinutes: 5 })
    expect(await call(here.orgAdmin, alerts.acknowledge, { id: acknowledged.id, until: later })).toMatchObject({
      status: 'acknowledged',
      acknowledgedUntil: later,
    })
    for (const { id } of [suppressed, acknowledged]) await expire(id)
    await followTimes(system)
    expect(await find(suppressed.id)).toMatchObject({ status: 'active', suppression: null, suppressedUntil: null })
    const again = { status: 'active', acknowledgedAt: null, acknowledgedBy: null, acknowledgedUntil: null }
    expect(await find(acknowledged.id)).toMatchObject(again)
  })

  it('resolves a suppressed alert whose condition becomes false', async () => {
    const { id, key } = await opened()
    await call(here.orgAdmin, alerts.suppress, { id })
    await clear(key)
    expect(await find(id)).toMatchObject({ status: 'resolved', resolution: 'auto', suppression: null })
  })

  it('changes many at once and names those that it skipped', async () => {
    const [one, two] = [await opened(), await opened()]
    await call(here.orgAdmin, alerts.resolve, { id: two.id })
    const unknown = '00000000-0000-4000-8000-000000000001'
    const ids = [one.id, two.id, unknown]
    const done = await call(here.orgAdmin, alerts.bulk, { ids, action: 'acknowledge', note: 'Together' })
    expect(done.changed).toEqual([one.id])
    expect(done.skipped).toEqual([
      { id: two.id, reason: 'CONFLICT', message: 'The alert is resolved already' },
      { id: unknown, reason: 'NOT_FOUND', message: 'Alert not found' },
    ])
  })

  it('lets one of two people acknowledge at the same time', async () => {
    const { id } = await opened()
    const both = [here.orgAdmin, here.partnerAdmin].map((who) => call(who, alerts.acknowledge, { id }))
    const outcomes = await Promise.allSettled(both)
    expect(outcomes.filter(({ status }) => status === 'fulfilled')).toHaveLength(1)
  })
})

describe('an alert of a device', () => {
  it('is resolved when the device is decommissioned', async () => {
    const { id } = await opened({ deviceId: leaving })
    await system.query(`UPDATE devices SET lifecycle = 'decommissioned', decommissioned_at = now() WHERE id = $1`, [
      leaving,
    ])
    await followTimes(system)
    expect(await find(id)).toMatchObject({ status: 'resolved', resolution: 'device_removed' })
  })
})

describe('an alert that depends on another', () => {
  it('is suppressed while the other is open, and active some time after', async () => {
    const parent = await opened({ ruleId: '00000000-0000-4000-8000-00000000000a', source: 'rule' })
    const child = await opened({ dependsOnRuleIds: ['00000000-0000-4000-8000-00000000000a'] })
    expect(await find(child.id)).toMatchObject({
      status: 'suppressed',
      suppression: { kind: 'dependency', id: parent.id, reason: 'Depends on: Disk full' },
    })
    await asSystem(system, (db) => clearAlerts(db, [{ source: 'rule', key: parent.key }]))
    await followTimes(system)
    expect((await find(child.id)).status).toBe('suppressed')
    await system.query(`UPDATE alerts SET released_at = released_at - interval '61 seconds' WHERE id = $1`, [child.id])
    await followTimes(system)
    expect((await find(child.id)).status).toBe('active')
  })

  it('is suppressed while its rule is snoozed', async () => {
    const { id } = await opened({ snoozedUntil: later })
    expect(await find(id)).toMatchObject({
      status: 'suppressed',
      suppression: { kind: 'rule' },
      suppressedUntil: later,
    })
  })
})

describe('the list of alerts', () => {
  it('filters and sorts', async () => {
    const there = await world()
    const [machine = ''] = await enrolled(there.partnerAdmin, { orgId: there.org.id }, 'listed')
    const place = { partnerId: there.partner.id, orgId: there.org.id, siteId: null, deviceId: machine }
    const keys = ['low', 'critical', 'high'] as const
    for (const severity of keys)
      await raise(problem(`listed:${machine}:${severity}`, { ...place, severity, title: `Title ${severity}` }))
    const list = (input: object) => call(there.orgAdmin, alerts.list, input)
    const reversed = { from: '2026-01-02T00:00:00Z', to: '2026-01-01T00:00:00Z' }
    expect(await refusal(list(reversed))).toMatchObject({ status: 400, message: 'from: must be before to' })
    const titles = async (input: object) => (await list(input)).data.map(({ title }) => title)
    expect(await titles({})).toEqual(['Title high', 'Title critical', 'Title low'])
    expect(await titles({ sort: 'severity' })).toEqual(['Title critical', 'Title high', 'Title low'])
    expect(await titles({ sort: 'openedAt', sortDir: 'asc' })).toEqual(['Title low', 'Title critical', 'Title high'])
    expect(await titles({ severity: 'low,high', sort: 'lastChangedAt' })).toEqual(['Title high', 'Title low'])
    expect(await titles({ search: 'CRIT' })).toEqual(['Title critical'])
    expect(await titles({ status: 'resolved' })).toEqual([])
    expect(await titles({ source: 'system', deviceId: machine, from: past, to: later })).toHaveLength(3)
    expect(await titles({ to: past })).toEqual([])
    const summary = await call(there.orgAdmin, alerts.summary, {})
    expect(summary).toMatchObject({
      total: 3,
      byStatus: { active: 3, acknowledged: 0, suppressed: 0 },
      bySeverity: { critical: 1, high: 1, medium: 0, low: 1, info: 0 },
      byOrganization: [{ orgId: there.org.id, total: 3 }],
      opened24h: 3,
      resolved24h: 0,
      mttaSeconds: null,
    })
  })

  it('shows members limited to sites only alerts of their sites', async () => {
    const { id } = await opened()
    const ofOrg = { scope: 'organization', partnerId: here.partner.id, orgId } as const
    const inside = await person(ofOrg, { role: 'Org Viewer', siteIds: [here.site.id] })
    const outside = await person(ofOrg, { role: 'Org Viewer', siteIds: [] })
    expect((await call(inside, alerts.get, { id })).id).toBe(id)
    expect(await refusal(call(outside, alerts.get, { id }))).toMatchObject({ status: 404 })
  })
})

describe('watching alerts', () => {
  it('sends each change of an alert that the caller sees', async () => {
    const leavingNow = new AbortController()
    onTestFinished(() => leavingNow.abort())
    const stream = events(here.orgAdmin, alerts.events, {}, { signal: leavingNow.signal })
    expect((await stream.next()).value).toMatchObject({ type: 'resync' })
    const key = newKey()
    const { ids, events: live } = await raise(problem(key))
    await publishEvents(redis, live)
    const id = ids.get(key) ?? ''
    expect((await stream.next()).value).toMatchObject({ type: 'alert.opened', alertId: id, deviceId, severity: 'high' })
    await call(here.orgAdmin, alerts.acknowledge, { id })
    expect((await stream.next()).value).toMatchObject({
      type: 'alert.acknowledged',
      alertId: id,
      status: 'acknowledged',
    })
  })

  it('keeps an event of each change for followers', async () => {
    const { id, key } = await opened()
    await call(here.orgAdmin, alerts.suppress, { id })
    await clear(key)
    const { rows } = await system.query<{ type: string; data: { status: string } }>(
      `SELECT type, data FROM events WHERE data ->> 'alertId' = $1 ORDER BY seq`,
      [id],
    )
    expect(rows.map(({ type }) => type)).toEqual(['alert.opened', 'alert.suppressed', 'alert.resolved'])
    expect(rows.map(({ data }) => data.status)).toEqual(['active', 'suppressed', 'resolved'])
  })
})
