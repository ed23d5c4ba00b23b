import { asSystem } from '@muster/db/database.ts'
import { auditOf } from '@muster/testkit/audit.ts'
import { call, refusal } from '@muster/testkit/call.ts'
import { enrolled } from '@muster/testkit/machines.ts'
import { testServices } from '@muster/testkit/services.ts'
import { world } from '@muster/testkit/world.ts'
import { sql } from 'kysely'
import { describe, expect, it } from 'vitest'
import { devices } from '../../fleet/devices/devices.contract.ts'
import { commands } from '../commands/commands.contract.ts'
import { checkReturns, turnClock } from './clock.ts'
import { heldBack, verdictsOf } from './index.ts'
import { Activity, deviceMaintenance } from './maintenance.contract.ts'
import { windows } from './windows.contract.ts'

const { system } = await testServices()
const script = { type: 'run_script', payload: { script: 'uptime' } } as const

async function place() {
  const here = await world()
  const orgId = here.org.id
  const [one = '', two = ''] = await enrolled(here.orgAdmin, { orgId, siteId: here.site.id }, 'v-1', 'v-2')
  const create = (more: object = {}) =>
    call(here.orgAdmin, windows.create, {
      orgId,
      name: 'W',
      durationMinutes: 60,
      targets: { deviceIds: [one] },
      ...more,
    })
  const of = async (id: string) => (await call(here.orgAdmin, deviceMaintenance.get, { id })).activities
  return { here, orgId, one, two, create, of }
}
const inDays = (days: number) => `${new Date(Date.now() + days * 86_400_000).toISOString().slice(0, 10)}T22:00`
const permitted = { permitted: true, reason: null, windowId: null, until: null, nextPermittedAt: null }

/** The devices that the SQL condition holds back. It must agree with the verdicts. */
async function heldOf(ids: readonly string[], activity: Activity): Promise<string[]> {
  return asSystem(system, async (db) => {
    const { rows } = await sql<{ id: string }>`SELECT devices.id FROM devices
      WHERE devices.id = ANY (${[...ids]}::uuid[]) AND ${heldBack(activity)}`.execute(db)
    const verdicts = await verdictsOf(db, ids, activity)
    const held = rows.map(({ id }) => id)
    expect(ids.filter((id) => verdicts.get(id)?.permitted === false).sort()).toEqual([...held].sort())
    return held
  })
}

describe('what windows permit', () => {
  it('is everything without windows, and nothing suppressed during an active one, for targeted devices alone', async () => {
    const { one, two, create, of } = await place()
    expect(Object.values(await of(one))).toEqual(Activity.options.map(() => permitted))
    const window = await create({ effects: { scripts: 'suppress', reboots: 'suppress' } })
    const until = window.nextOccurrence?.endsAt ?? null
    const suppressed = { permitted: false, reason: 'suppressed', windowId: window.id, until, nextPermittedAt: until }
    expect(await of(one)).toMatchObject({
      alerts: suppressed,
      scripts: suppressed,
      reboots: suppressed,
      patches: permitted,
    })
    expect(await of(two)).toMatchObject({ alerts: permitted, scripts: permitted })
    for (const activity of Activity.options)
      expect(await heldOf([one, two], activity)).toEqual(
        ['alerts', 'scripts', 'reboots'].includes(activity) ? [one] : [],
      )
  })

  it('is what is confined only during a window, and suppression wins', async () => {
    const { one, two, create, of, here } = await place()
    const start = inDays(2)
    const window = await create({ startsAt: start, rrule: 'FREQ=DAILY;COUNT=2', effects: { scripts: 'confine' } })
    const next = `${start}:00.000Z`
    expect((await of(one)).scripts).toEqual({
      permitted: false,
      reason: 'outside_window',
      windowId: window.id,
      until: null,
      nextPermittedAt: next,
    })
    expect(await heldOf([one, two], 'scripts')).toEqual([one])
    const during = await create({ effects: { scripts: 'confine' } })
    expect((await of(one)).scripts).toMatchObject({ permitted: true, windowId: during.id, until: expect.any(String) })
    expect(await heldOf([one], 'scripts')).toEqual([])
    await create({ effects: { scripts: 'suppress' }, durationMinutes: 90 })
    expect((await of(one)).scripts).toMatchObject({ reason: 'suppressed', nextPermittedAt: next })
    expect(await heldOf([one], 'scripts')).toEqual([one])
    const { data } = await call(here.orgAdmin, windows.list, {})
    for (const { id } of data) await call(here.orgAdmin, windows.cancel, { id })
    expect((await of(one)).scripts).toEqual(permitted)
  })

  it('U8: is unknown where the occurrences are unknown: closed for everything but alerts', async () => {
    const { one, create, of } = await place()
    const all = { alerts: 'suppress', scripts: 'suppress', agentUpdates: 'confine' }
    const window = await create({ startsAt: inDays(3), timezone: 'site', effects: all })
    expect((await of(one)).scripts).toEqual(permitted)
    await system.query(`UPDATE maintenance_windows SET zones = '{Asia/Tokyo}' WHERE id = $1`, [window.id])
    const unknown = { permitted: false, reason: 'unknown', windowId: window.id }
    expect(await of(one)).toMatchObject({ scripts: unknown, agentUpdates: unknown, alerts: permitted })
    expect(await heldOf([one], 'scripts')).toEqual([one])
    expect(await heldOf([one], 'alerts')).toEqual([])
    await system.query(`UPDATE maintenance_windows SET zones = '{UTC}', scheduled_until = now() WHERE id = $1`, [
      window.id,
    ])
    expect(await heldOf([one], 'agentUpdates')).toEqual([one])
  })

  it('U8: is unknown if the windows cannot be understood, instead of an error', async () => {
    const { one, create, of } = await place()
    const { id, effects } = await create({ effects: { scripts: 'suppress' } })
    const store = (stored: unknown) =>
      system.query('UPDATE maintenance_windows SET effects = $2 WHERE id = $1', [id, JSON.stringify(stored)])
    await store(null)
    const { alerts, ...others } = await of(one)
    // Other tests list all windows.
    await store(effects)
    const unknown = { ...permitted, reason: 'unknown' }
    expect(alerts).toEqual(unknown)
    expect(Object.values(others)).toEqual(Object.keys(others).map(() => ({ ...unknown, permitted: false })))
  })

  it('follows the filter field inMaintenance and the times, before any job has run', async () => {
    const { here, orgId, one, two, create } = await place()
    const window = await create({ effects: { scripts: 'suppress' } })
    await system.query(`UPDATE maintenance_occurrences SET status = 'scheduled' WHERE window_id = $1`, [window.id])
    const found = async () => {
      const filter = JSON.stringify({ field: 'inMaintenance', op: 'is', value: true })
      const answer = await call(here.orgAdmin, devices.list, { page: 1, orgId, filter })
      return 'data' in answer ? answer.data.map(({ id }) => id) : []
    }
    expect(await found()).toEqual([one])
    expect(await heldOf([one, two], 'scripts')).toEqual([one])
    await system.query(
      `UPDATE maintenance_occurrences SET starts_at = now() - interval '2 hours', ends_at = now() - interval '1 hour'
      WHERE window_id = $1`,
      [window.id],
    )
    expect(await found()).toEqual([])
    expect(await heldOf([one, two], 'scripts')).toEqual([])
  })
})

describe('a script', () => {
  it('is refused while a window holds it back, counted, and sent all the same on request, with a record', async () => {
    const { here, one, two, create, of } = await place()
    const window = await create({ effects: { scripts: 'suppress' } })
    const told = await refusal(call(here.orgAdmin, commands.create, { id: one, ...script }))
    expect(told).toMatchObject({
      status: 409,
      code: 'IN_MAINTENANCE',
      extra: { windowId: window.id, reason: 'suppressed' },
    })
    expect(await call(here.orgAdmin, commands.create, { id: one, type: 'refresh_inventory' })).toMatchObject({
      status: 'pending',
    })
    const bulk = await call(here.orgAdmin, commands.bulk, { deviceIds: [one, two], ...script })
    expect(bulk.skipped).toEqual([{ deviceId: one, reason: 'maintenance' }])
    expect(bulk.commands.map(({ deviceId }) => deviceId)).toEqual([two])
    const { nextOccurrence } = await call(here.orgAdmin, windows.get, { id: window.id })
    expect(nextOccurrence?.suppressed).toMatchObject({ scripts: 2, alerts: 0 })
    const sent = await call(here.orgAdmin, commands.create, { id: one, ...script, respectMaintenance: false })
    expect(sent).toMatchObject({ status: 'pending' })
    expect((await auditOf(one)).at(-1)).toMatchObject({ details: { respectMaintenance: false } })
    expect((await of(one)).scripts).toMatchObject({ permitted: false })
  })
})

describe('a restart', () => {
  it('is refused while a window holds it back, counted, and sent on request', async () => {
    const { here, one, two, create } = await place()
    const window = await create({ effects: { reboots: 'suppress' } })
    const restart = { type: 'reboot', payload: {} } as const
    expect(await refusal(call(here.orgAdmin, commands.create, { id: one, ...restart }))).toMatchObject({
      status: 409,
      code: 'IN_MAINTENANCE',
      message: expect.stringContaining('holds restarts and shutdowns back'),
      extra: { windowId: window.id, reason: 'suppressed' },
    })
    const bulk = await call(here.orgAdmin, commands.bulk, { deviceIds: [one, two], type: 'shutdown', payload: {} })
    expect(bulk.skipped).toEqual([{ deviceId: one, reason: 'maintenance' }])
    expect(await call(here.orgAdmin, commands.create, { id: one, ...script })).toMatchObject({ status: 'pending' })
    const { nextOccurrence } = await call(here.orgAdmin, windows.get, { id: window.id })
    expect(nextOccurrence?.suppressed).toMatchObject({ reboots: 2, scripts: 0 })
    const sent = await call(here.orgAdmin, commands.create, { id: one, ...restart, respectMaintenance: false })
    expect(sent).toMatchObject({ status: 'pending' })
  })
})

describe('the clock', () => {
  const turn = (id: string) => asSystem(system, (db) => turnClock(db, id))
  const statesOf = async (id: string) =>
    (
      await system.query('SELECT status, ended_by, not_returned FROM maintenance_occurrences WHERE window_id = $1', [
        id,
      ])
    ).rows

  it('starts and ends occurrences, also those that it missed, with records and events', async () => {
    const { create, here } = await place()
    const { id } = await create({ startsAt: inDays(1) })
    await turn(id)
    expect(await statesOf(id)).toMatchObject([{ status: 'scheduled' }])
    await system.query(
      `UPDATE maintenance_occurrences SET starts_at = now() - interval '1 minute' WHERE window_id = $1`,
      [id],
    )
    await turn(id)
    expect(await statesOf(id)).toMatchObject([{ status: 'active' }])
    expect(await call(here.orgAdmin, windows.get, { id })).toMatchObject({ status: 'active' })
    await system.query(`UPDATE maintenance_occurrences SET ends_at = now() WHERE window_id = $1`, [id])
    await turn(id)
    expect(await statesOf(id)).toMatchObject([{ status: 'completed', ended_by: 'time' }])
    expect(await call(here.orgAdmin, windows.get, { id })).toMatchObject({ status: 'completed', nextOccurrence: null })
    const { rows } = await system.query(`SELECT type FROM events WHERE data ->> 'windowId' = $1 ORDER BY seq`, [id])
    expect(rows.map(({ type }) => type)).toEqual(['maintenance.started', 'maintenance.ended'])
    const missed = await create({ startsAt: inDays(1) })
    await system.query(
      `UPDATE maintenance_occurrences SET starts_at = now() - interval '2 hours', ends_at = now() - interval '1 hour' WHERE window_id = $1`,
      [missed.id],
    )
    await turn(missed.id)
    expect(await statesOf(missed.id)).toMatchObject([{ status: 'completed', ended_by: 'time' }])
  })

  it('reports devices that were online at the start and offline 15 minutes after the end, once', async () => {
    const { one, two, create, orgId } = await place()
    await system.query(`UPDATE device_state SET status = 'online' WHERE device_id = $1`, [one])
    const { id, nextOccurrence } = await create({ targets: { deviceIds: [one, two] } })
    await system.query(`UPDATE device_state SET status = 'offline' WHERE device_id = $1`, [one])
    await system.query(
      `UPDATE maintenance_occurrences SET ends_at = now() - interval '14 minutes' WHERE window_id = $1`,
      [id],
    )
    await turn(id)
    const check = () => asSystem(system, checkReturns)
    await check()
    expect(await statesOf(id)).toMatchObject([{ not_returned: [] }])
    await system.query(
      `UPDATE maintenance_occurrences SET ended_at = now() - interval '16 minutes' WHERE window_id = $1`,
      [id],
    )
    await check()
    await check()
    expect(await statesOf(id)).toMatchObject([{ not_returned: [one] }])
    const { rows } = await system.query(
      `SELECT org_id, data FROM events WHERE type = 'maintenance.not_returned' AND org_id = $1`,
      [orgId],
    )
    expect(rows).toEqual([
      { org_id: orgId, data: { windowId: id, occurrenceId: nextOccurrence?.id, name: 'W', deviceIds: [one] } },
    ])
  })
})
