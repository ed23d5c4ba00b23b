import { auditOf } from '@muster/testkit/audit.ts'
import { call, refusal } from '@muster/testkit/call.ts'
import { enrolled } from '@muster/testkit/machines.ts'
import { testServices } from '@muster/testkit/services.ts'
import { person, world } from '@muster/testkit/world.ts'
import { describe, expect, it } from 'vitest'
import { sites } from '../../tenancy/tenancy/sites/sites.contract.ts'
import { extendSchedules } from './clock.jobs.ts'
import { windows } from './windows.contract.ts'

const { system } = await testServices()
const here = await world()
const orgId = here.org.id
const [device = ''] = await enrolled(here.orgAdmin, { orgId, siteId: here.site.id }, 'in-window')
const later = { orgId, name: 'Patch night', durationMinutes: 120, startsAt: '2030-01-05T22:00' } as const
const create = (more: object = {}, who = here.orgAdmin) => call(who, windows.create, { ...later, ...more })
const startsOf = async (id: string) =>
  (await call(here.orgAdmin, windows.occurrences, { id })).data.map(({ startsAt }) => startsAt)

/** A local time some days from now. */
const inDays = (days: number, time = '22:00') =>
  `${new Date(Date.now() + days * 86_400_000).toISOString().slice(0, 10)}T${time}`

describe('a maintenance window', () => {
  it('is created with defaults, read, changed and deleted, with audit records', async () => {
    const made = await create()
    expect(made).toMatchObject({
      orgId,
      timezone: 'UTC',
      rrule: null,
      exDates: [],
      targets: {},
      exclude: {},
      status: 'scheduled',
      verifyReturn: true,
      effects: { alerts: 'suppress', scripts: 'none', reboots: 'none' },
      deviceCount: 1,
      nextOccurrence: null,
    })
    const id = made.id
    expect(await call(here.orgAdmin, windows.get, { id })).toEqual(made)
    const changed = await call(here.orgAdmin, windows.update, { id, effects: { scripts: 'confine' }, name: 'Scripts' })
    expect(changed).toMatchObject({ name: 'Scripts', effects: { alerts: 'suppress', scripts: 'confine' } })
    await call(here.orgAdmin, windows.remove, { id })
    expect(await refusal(call(here.orgAdmin, windows.get, { id }))).toMatchObject({ status: 404 })
    const prefix = 'maintenance_window'
    expect((await auditOf(id)).map(({ action }) => action)).toEqual([
      `${prefix}.create`,
      `${prefix}.update`,
      `${prefix}.delete`,
    ])
    const { rowCount } = await system.query(
      'SELECT FROM target_sets t WHERE NOT EXISTS (SELECT FROM maintenance_windows w WHERE w.target_set_id = t.id) AND t.org_id = $1',
      [orgId],
    )
    expect(rowCount).toBe(0)
  })

  it('is rejected if its schedule or its effects make no sense', async () => {
    const told = async (more: object) => (await refusal(create(more))).message
    expect(await told({ startsAt: '2020-01-01T00:00' })).toContain('startsAt: the window has no start within 5 years')
    expect(await told({ startsAt: '2090-01-01T00:00', exDates: ['2090-01-01T00:00'] })).toContain(
      'exDates: the only start',
    )
    expect(await told({ rrule: 'FREQ=YEARLY;BYMONTH=2;BYMONTHDAY=30' })).toContain('rrule: the window has no start')
    expect(await told({ rrule: 'FREQ=DAILY', durationMinutes: 1_441 })).toContain('would still last')
    const berlin = { timezone: 'Europe/Berlin', rrule: 'FREQ=DAILY' }
    expect(await told({ ...berlin, durationMinutes: 1_440 }), 'a day of 23 hours').toContain('would still last')
    expect(await told({ rrule: 'FREQ=HOURLY' })).toContain('rrule: FREQ must be one of')
    expect(await told({ effects: { alerts: 'none' } })).toBe('effects: at least one activity must have an effect')
    for (const more of [
      { effects: { alerts: 'confine' } },
      { durationMinutes: 4 },
      { timezone: 'Mars/Base' },
      { startsAt: '2030-02-30T00:00' },
    ])
      expect(await refusal(create(more))).toMatchObject({ status: 400 })
    expect(await create({ rrule: 'FREQ=DAILY', durationMinutes: 1_440 })).toMatchObject({ status: 'scheduled' })
  })

  it('names the wrong field in the issues of an error', async () => {
    const wrong = await refusal(create({ rrule: 'FREQ=HOURLY' }))
    expect(wrong.extra).toMatchObject({ issues: [{ path: 'rrule', message: expect.stringContaining('FREQ') }] })
  })

  it('of orgId null belongs to the whole partner', async () => {
    expect(await create({ orgId: null }, here.partnerAdmin)).toMatchObject({ orgId: null })
  })

  it('is previewed with its next 20 occurrences, however late they are', async () => {
    const preview = { ...later, rrule: 'FREQ=YEARLY' }
    const { data } = await call(here.orgAdmin, windows.preview, preview)
    expect(data.map(({ startsAt }) => startsAt.slice(0, 4))).toEqual(
      Array.from({ length: 20 }, (_, n) => `${2030 + n}`),
    )
  })

  it('has the occurrences of the next year in its zone, without the excluded ones, at stable ids', async () => {
    const [first, second, third] = [7, 14, 21].map((days) => inDays(days, '02:30'))
    const made = await create({ startsAt: first, timezone: 'europe/berlin', rrule: 'FREQ=WEEKLY', exDates: [second] })
    const starts = await startsOf(made.id)
    expect(starts.length).toBeGreaterThan(48)
    expect(starts.length).toBeLessThan(54)
    expect(starts[1]?.slice(0, 8)).toBe(third?.slice(0, 8))
    const ids = async () => (await call(here.orgAdmin, windows.occurrences, { id: made.id })).data.map(({ id }) => id)
    const before = await ids()
    await extendSchedules(system, Date.now() + 2 * 86_400_000)
    expect((await ids()).slice(0, before.length)).toEqual(before)
    await call(here.orgAdmin, windows.update, { id: made.id, durationMinutes: 60 })
    expect(await ids()).toEqual(before)
    await call(here.orgAdmin, windows.update, { id: made.id, rrule: 'FREQ=WEEKLY;COUNT=3' })
    expect(await startsOf(made.id)).toHaveLength(2)
  })

  it('of site zones has one occurrence for each zone of its devices, also for later ones', async () => {
    const berlin = await call(here.orgAdmin, sites.create, { orgId, name: 'Berlin', timezone: 'Europe/Berlin' })
    const [there = ''] = await enrolled(here.orgAdmin, { orgId, siteId: berlin.id }, 'in-berlin')
    const start = inDays(3)
    const made = await create({ timezone: 'site', startsAt: start, targets: { deviceIds: [device] } })
    const zones = async () =>
      (await call(here.orgAdmin, windows.occurrences, { id: made.id })).data
        .map(({ timezone, deviceCount }) => [timezone, deviceCount])
        .sort()
    expect(await zones()).toEqual([['UTC', 1]])
    await call(here.orgAdmin, windows.update, { id: made.id, targets: { deviceIds: [device, there] } })
    expect(await zones()).toEqual([
      ['Europe/Berlin', 1],
      ['UTC', 1],
    ])
    const lordHowe = await call(here.orgAdmin, sites.create, { orgId, name: 'Far', timezone: 'Australia/Lord_Howe' })
    await system.query('UPDATE devices SET site_id = $2 WHERE id = $1', [there, lordHowe.id])
    await extendSchedules(system, Date.now())
    expect(await zones()).toEqual([
      ['Australia/Lord_Howe', 1],
      ['UTC', 1],
    ])
  })

  it('without a start begins at once in every zone, for its whole duration', async () => {
    const ahead = await call(here.orgAdmin, sites.create, { orgId, name: 'Ahead', timezone: 'Pacific/Kiritimati' })
    const behind = await call(here.orgAdmin, sites.create, { orgId, name: 'Behind', timezone: 'Pacific/Pago_Pago' })
    const [east = ''] = await enrolled(here.orgAdmin, { orgId, siteId: ahead.id }, 'ahead')
    const [west = ''] = await enrolled(here.orgAdmin, { orgId, siteId: behind.id }, 'behind')
    const before = Date.now()
    const given = { startsAt: undefined, timezone: 'site', durationMinutes: 5, targets: { deviceIds: [east, west] } }
    const made = await create(given)
    const { data } = await call(here.orgAdmin, windows.occurrences, { id: made.id })
    expect(data.map(({ timezone, status }) => [timezone, status]).sort()).toEqual([
      ['Pacific/Kiritimati', 'active'],
      ['Pacific/Pago_Pago', 'active'],
    ])
    for (const { startsAt, endsAt } of data) {
      expect(Date.parse(startsAt)).toBeGreaterThanOrEqual(before)
      expect(Date.parse(endsAt) - Date.parse(startsAt)).toBe(5 * 60_000)
    }
    expect((await call(here.orgAdmin, windows.preview, given)).data).toHaveLength(2)
    const daily = await create({ startsAt: undefined, rrule: 'FREQ=DAILY', durationMinutes: 1_440 })
    const [first, second] = (await call(here.orgAdmin, windows.occurrences, { id: daily.id })).data
    expect(first).toMatchObject({ status: 'active', endsAt: second?.startsAt })
    expect(second?.startsAt.slice(11)).toMatch(/:00\.000Z$/)
  })

  it('can be previewed without being stored', async () => {
    const { data } = await call(here.orgAdmin, windows.preview, {
      orgId,
      startsAt: inDays(1),
      durationMinutes: 60,
      rrule: 'FREQ=DAILY',
    })
    expect(data).toHaveLength(20)
    expect(data[0]).toMatchObject({ status: 'scheduled', startsAt: `${inDays(1)}:00.000Z` })
    const { rowCount } = await system.query(`SELECT FROM maintenance_windows WHERE org_id = $1 AND name = 'Preview'`, [
      orgId,
    ])
    expect(rowCount).toBe(0)
  })

  it('that has ended cannot be changed or canceled again, and an active one cannot be deleted', async () => {
    const made = await create({ startsAt: undefined })
    expect(made).toMatchObject({ status: 'active', nextOccurrence: { status: 'active' } })
    const { id } = made
    expect(await refusal(call(here.orgAdmin, windows.remove, { id }))).toMatchObject({ status: 409 })
    const canceled = await call(here.orgAdmin, windows.cancel, { id })
    expect(canceled).toMatchObject({ status: 'cancelled', nextOccurrence: null })
    const { data } = await call(here.orgAdmin, windows.occurrences, { id })
    expect(data).toMatchObject([{ status: 'cancelled', endedBy: 'cancel' }])
    expect(await refusal(call(here.orgAdmin, windows.cancel, { id }))).toMatchObject({ status: 409 })
    expect(await refusal(call(here.orgAdmin, windows.update, { id, name: 'x' }))).toMatchObject({ status: 409 })
    expect(await call(here.orgAdmin, windows.remove, { id })).toEqual({ success: true })
  })

  it('of the partner is seen by organizations and changed by the partner alone', async () => {
    const whole = await call(here.partnerAdmin, windows.create, {
      name: 'All',
      durationMinutes: 60,
      startsAt: '2030-01-01T00:00',
    })
    expect(whole).toMatchObject({ orgId: null })
    const { id } = whole
    expect(await call(here.orgAdmin, windows.get, { id })).toMatchObject({ id })
    expect(await refusal(call(here.orgAdmin, windows.update, { id, name: 'x' }))).toMatchObject({ status: 403 })
    const tenant = { scope: 'organization', partnerId: here.partner.id, orgId } as const
    const ofSite = await person(tenant, { role: 'Org Admin', siteIds: [here.site.id] })
    expect(await refusal(create({}, ofSite))).toMatchObject({ status: 403 })
    const own = await create({ targets: { siteIds: [here.site.id] } }, ofSite)
    expect(await call(ofSite, windows.cancel, { id: own.id })).toMatchObject({ status: 'cancelled' })
    const wide = await create()
    expect(await refusal(call(ofSite, windows.cancel, { id: wide.id }))).toMatchObject({ status: 403 })
    const { data } = await call(here.orgAdmin, windows.list, { deviceId: device, status: 'scheduled' })
    expect(data.map((each) => each.id)).toEqual(expect.arrayContaining([id, wide.id]))
    expect(
      await call(here.orgAdmin, windows.list, { from: inDays(0), to: inDays(0, '23:59') }).catch(() => null),
    ).toBeNull()
  })
})
