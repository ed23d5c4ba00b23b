import { asSystem } from '@muster/db/database.ts'
import { call, refusal } from '@muster/testkit/call.ts'
import { enrolled } from '@muster/testkit/machines.ts'
import { testServices } from '@muster/testkit/services.ts'
import { person, world } from '@muster/testkit/world.ts'
import { describe, expect, it } from 'vitest'
import { raiseAlerts } from '../alerts/index.ts'
import { type Correlated, correlate, groupsOf } from './correlate.ts'
import { correlations } from './correlations.contract.ts'

const { system } = await testServices()
const minute = 60_000
const alert = (id: string, more: Partial<Correlated> = {}): Correlated => ({
  id,
  orgId: 'o',
  siteId: 's',
  deviceId: id,
  hostname: id,
  siteName: 'Berlin',
  openedMs: 0,
  isOpen: true,
  isSiteDown: false,
  address: null,
  changes: [],
  ...more,
})

describe('the confidence of two alerts', () => {
  it.each<[string, Correlated, Correlated, number]>([
    [
      'of one device',
      alert('a', { siteId: null }),
      alert('b', { siteId: null, deviceId: 'a', openedMs: minute * 2 }),
      0.5,
    ],
    ['of one site', alert('a'), alert('b', { openedMs: minute * 2 }), 0.3],
    ['within 60 s', alert('a', { siteId: null }), alert('b', { siteId: null, openedMs: minute }), 0.3],
    ['of one site within 60 s', alert('a'), alert('b', { openedMs: minute }), 0.51],
    ['of a dark site', alert('a', { isSiteDown: true, deviceId: null }), alert('b', { openedMs: minute * 2 }), 0.86],
    [
      'behind one public address',
      alert('a', { siteId: null, address: '8.8.8.8' }),
      alert('b', { siteId: null, address: '8.8.8.8', openedMs: minute * 2 }),
      0.4,
    ],
    [
      'after the same change',
      alert('a', { siteId: null, changes: [{ key: 'agent 2', name: 'the agent was updated to 2', lift: 6 }] }),
      alert('b', {
        siteId: null,
        changes: [{ key: 'agent 2', name: 'the agent was updated to 2', lift: 6 }],
        openedMs: minute * 2,
      }),
      0.6,
    ],
    ['of one device and site within 60 s', alert('a'), alert('b', { deviceId: 'a' }), 0.755],
  ])('%s is 1 − Π(1 − w)', (_name, cause, effect, confidence) => {
    expect(correlate([effect, cause], 60, 0.1)).toMatchObject([
      { causeAlertId: 'a', effectAlertId: 'b', confidence: expect.closeTo(confidence, 3) },
    ])
  })

  it('is none between organizations, and none beyond the window', () => {
    expect(correlate([alert('a'), alert('b', { orgId: 'p' })], 60, 0.1)).toEqual([])
    expect(correlate([alert('a'), alert('b', { openedMs: 6 * minute })], 5, 0.1)).toEqual([])
  })
})

describe('a group', () => {
  it('holds the alerts that links of 0.5 connect, with the earliest as the root', () => {
    const chain = [alert('a'), alert('b', { openedMs: minute }), alert('c', { openedMs: 2 * minute, isOpen: false })]
    const far = alert('d', { siteId: 't', openedMs: 9 * minute })
    expect(groupsOf([far, ...chain], 60)).toMatchObject([
      { rootAlertId: 'a', alertIds: ['a', 'b', 'c'], status: 'open', confidence: expect.closeTo(0.51, 3) },
    ])
  })

  it('is closed when all of its alerts are resolved', () => {
    const both = [alert('a', { isOpen: false }), alert('b', { isOpen: false })]
    expect(groupsOf(both, 60)).toMatchObject([{ status: 'closed' }])
  })

  it('has the dark site as the root of alerts that opened with it', () => {
    expect(groupsOf([alert('a'), alert('z', { isSiteDown: true, deviceId: null })], 60)).toMatchObject([
      { rootAlertId: 'z' },
    ])
  })
})

describe('the devices of two alerts', async () => {
  const here = await world()
  const orgId = here.org.id
  const names = Array.from({ length: 18 }, (_, index) => `changed-${index}`)
  const ids = await enrolled(here.partnerAdmin, { orgId, siteId: here.site.id }, ...names)
  const [first = '', second = '', third = ''] = ids
  const raise = async (deviceId: string) => {
    const given = { partnerId: here.partner.id, orgId, deviceId, source: 'system' as const, severity: 'high' as const }
    const raised = { ...given, title: 'Broken', message: '', key: `changes:${deviceId}` }
    return (await asSystem(system, (db) => raiseAlerts(db, [raised]))).ids.get(raised.key) ?? ''
  }
  const changed = (deviceId: string, name: string, version: string) =>
    system.query(
      `INSERT INTO device_inventory_log (device_id, org_id, partner_id, at, section, action, name, after)
       VALUES ($1, $2, $3, now() - interval '10 minutes', 'software', 'added', $4, $5)`,
      [deviceId, orgId, here.partner.id, name, JSON.stringify({ version })],
    )
  await changed(first, 'driver', '2')
  await changed(second, 'driver', '2')
  for (const id of ids) await changed(id, 'browser', '100')
  await system.query(`UPDATE device_state SET remote_address = '8.8.4.4' WHERE device_id = ANY ($1)`, [[first, third]])
  await system.query(`UPDATE device_state SET remote_address = '10.0.0.1' WHERE device_id = ANY ($1)`, [[second]])
  const [one, two, other] = [await raise(first), await raise(second), await raise(third)]
  const found = async (cause: string, effect: string) => {
    const { data } = await call(here.orgAdmin, correlations.list, {})
    return data.find(({ causeAlertId, effectAlertId }) => causeAlertId === cause && effectAlertId === effect)
  }

  it('had the same change, which other devices did not have', async () => {
    const { confidence, evidence } = (await found(one, two)) ?? {}
    expect(confidence).toBeCloseTo(1 - 0.4 * 0.7, 2)
    expect(evidence).toContain(
      'On both devices driver 2 was added at most 60 minutes before, 6 times as often as on all devices',
    )
  })

  it('share a public address', async () => {
    const { confidence, evidence } = (await found(one, other)) ?? {}
    expect(confidence).toBeCloseTo(1 - 0.6 * 0.7, 2)
    expect(evidence).toContain('Both devices connect from 8.8.4.4')
  })
})

describe('correlations', async () => {
  const here = await world()
  const orgId = here.org.id
  const [deviceId = ''] = await enrolled(here.partnerAdmin, { orgId, siteId: here.site.id }, 'correlated')
  const place = { partnerId: here.partner.id, orgId, siteId: here.site.id, deviceId }
  const raise = async (key: string) => {
    const given = { ...place, source: 'system' as const, severity: 'high' as const, title: key, message: '' }
    const { ids } = await asSystem(system, (db) => raiseAlerts(db, [{ ...given, key: `${key}:${deviceId}` }]))
    return ids.get(`${key}:${deviceId}`) ?? ''
  }
  const [first, second] = [await raise('disk'), await raise('service')]

  it('are seen at once, with evidence in numbers', async () => {
    const { data } = await call(here.orgAdmin, correlations.list, {})
    expect(data).toMatchObject([{ causeAlertId: first, effectAlertId: second, confidence: 0.755 }])
    expect(data[0]?.evidence).toEqual([
      expect.stringContaining('correlated'),
      expect.stringMatching(/^Both concern /),
      expect.stringMatching(/^They opened \d+ s apart$/),
    ])
    const groups = await call(here.orgAdmin, correlations.groups, { status: 'open' })
    expect(groups.data).toMatchObject([{ rootAlertId: first, alertIds: [first, second], orgId, status: 'open' }])
    expect((await call(here.orgAdmin, correlations.groups, { status: 'closed' })).data).toEqual([])
  })

  it('are analyzed of named alerts and of an organization', async () => {
    const named = await call(here.orgAdmin, correlations.analyze, { alertIds: [first, second], windowMinutes: 5 })
    expect(named.groups).toHaveLength(1)
    expect(await call(here.orgAdmin, correlations.analyze, { orgId })).toEqual(named)
    expect(await refusal(call(here.orgAdmin, correlations.analyze, {}))).toMatchObject({ status: 400 })
    const reversed = { orgId, from: '2026-01-02T00:00:00Z', to: '2026-01-01T00:00:00Z' }
    const refused = await Promise.all([
      refusal(call(here.orgAdmin, correlations.list, reversed)),
      refusal(call(here.orgAdmin, correlations.groups, reversed)),
      refusal(call(here.orgAdmin, correlations.analyze, reversed)),
    ])
    for (const each of refused) expect(each).toMatchObject({ status: 400, message: 'from: must be before to' })
  })

  it('show no alert out of reach', async () => {
    const other = await world()
    expect((await call(other.partnerAdmin, correlations.groups, {})).data).toEqual([])
    const foreign = call(other.partnerAdmin, correlations.analyze, { alertIds: [first] })
    expect(await refusal(foreign)).toMatchObject({ status: 400 })
    const ofOrg = { scope: 'organization', partnerId: here.partner.id, orgId } as const
    const limited = await person(ofOrg, { role: 'Org Admin', siteIds: [here.site.id] })
    expect((await call(limited, correlations.groups, {})).data).toHaveLength(1)
  })
})
