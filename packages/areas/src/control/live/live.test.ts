import { randomUUID } from 'node:crypto'
import { type LiveEvent, publishLive } from '@muster/backplane/live.ts'
import { connectRedis, untilReady } from '@muster/backplane/redis.ts'
import { call, events, refusal } from '@muster/testkit/call.ts'
import { enrolled } from '@muster/testkit/machines.ts'
import { operatorRedis, testServices } from '@muster/testkit/services.ts'
import { testRedis } from '@muster/testkit/stores.ts'
import { type Person, person, world } from '@muster/testkit/world.ts'
import { describe, expect, it, onTestFinished } from 'vitest'
import type { z } from 'zod'
import { callersOf } from '../../caller-cache.ts'
import { customFields } from '../../fleet/custom-fields/custom-fields.contract.ts'
import { deviceStatus } from '../../fleet/devices/state/device-events.contract.ts'
import { tags } from '../../fleet/devices/tags.contract.ts'
import { groups } from '../../fleet/groups/groups.contract.ts'
import { members } from '../../fleet/groups/members.contract.ts'
import { LiveEvents } from '../../platform/live-events/live-events.ts'
import { commands } from '../commands/commands.contract.ts'
import { lifecycle } from '../lifecycle/lifecycle.contract.ts'
import { type DeviceEvent, live } from './live.contract.ts'

const services = await testServices()
const { redis, system } = services
const callers = callersOf(services)
const here = await world()
const elsewhere = await world()
const fullId = (index: number) => `00000000-0000-4000-8000-${index.toString().padStart(12, '0')}`

/** Watches, and has begun when the promise resolves. */
async function watching(who: Pick<Person, 'token'>, input: z.input<typeof live.events.input> = {}) {
  const leaving = new AbortController()
  const stream = events(who, live.events, input, { signal: leaving.signal })
  onTestFinished(() => leaving.abort())
  const next = async () => {
    const { value, done } = await stream.next()
    if (done) throw new Error('the events have ended')
    return value
  }
  expect(await next()).toMatchObject({ type: 'resync' })
  return { next }
}

const kinds = [deviceStatus]
let clock = 0
const status = (orgId: string, more: Partial<LiveEvent> = {}): LiveEvent => ({
  type: 'device.status',
  orgId,
  siteId: null,
  deviceId: fullId(1),
  at: ++clock,
  status: 'online',
  ...more,
})
const ours = (...list: LiveEvent[]) => publishLive(redis, here.partner.id, list)

describe('watching devices', () => {
  it('begins with resync, then sends events without undeclared fields', async () => {
    const watch = await watching(here.partnerAdmin)
    const figures = { cpuPercent: 3.5, memoryUsed: 10, secret: 'not declared' }
    await ours(status(here.org.id), status(here.org.id, { type: 'device.heartbeat', ...figures }))
    expect(await watch.next()).toEqual(status(here.org.id, { at: clock - 1 }))
    const beat = await watch.next()
    expect(beat).toMatchObject({ type: 'device.heartbeat', cpuPercent: 3.5, memoryUsed: 10 })
    expect(beat).not.toHaveProperty('secret')
  })

  it('sends each caller only the events that it may see', async () => {
    const ofPartner = { scope: 'partner', partnerId: here.partner.id } as const
    const ofOrg = { scope: 'organization', partnerId: here.partner.id, orgId: here.org.id } as const
    const viewer = { role: 'Org Viewer' }
    const selected = { role: 'Partner Viewer', orgAccess: 'selected' as const, orgIds: [here.otherOrg.id] }
    const watches = {
      all: await watching(here.partnerAdmin),
      system: await watching(here.systemAdmin, { orgIds: [here.org.id, here.otherOrg.id] }),
      selected: await watching(await person(ofPartner, selected)),
      org: await watching(here.orgAdmin),
      site: await watching(await person(ofOrg, { ...viewer, siteIds: [here.site.id] })),
      foreign: await watching(elsewhere.partnerAdmin),
    }
    const first = clock + 1
    await ours(status(here.org.id), status(here.otherOrg.id), status(here.org.id, { siteId: here.site.id }))
    await publishLive(redis, elsewhere.partner.id, [status(elsewhere.org.id)])
    const [plain, other, atSite, foreign] = [first, first + 1, first + 2, first + 3]
    // Every watcher receives the last event: all events before it have arrived then.
    const end = ++clock
    const ends = [here.org.id, here.otherOrg.id].map((orgId) => status(orgId, { siteId: here.site.id, at: end }))
    await ours(...ends)
    await publishLive(redis, elsewhere.partner.id, [status(elsewhere.org.id, { at: end })])
    const seen = async (watch: { next(): Promise<DeviceEvent> }) => {
      const list: number[] = []
      for (let event = await watch.next(); event.at !== end; event = await watch.next()) list.push(event.at)
      return list
    }
    expect(await seen(watches.all)).toEqual([plain, other, atSite])
    expect(await seen(watches.system)).toEqual([plain, other, atSite])
    expect(await seen(watches.selected)).toEqual([other])
    expect(await seen(watches.org)).toEqual([plain, atSite])
    expect(await seen(watches.site)).toEqual([atSite])
    expect(await seen(watches.foreign)).toEqual([foreign])
  })

  it('sends a member limited to groups only events of their devices, and resync when these change', async () => {
    const [inside = '', outside = ''] = await enrolled(here.orgAdmin, { orgId: here.org.id }, 'inside', 'outside')
    const group = await call(here.orgAdmin, groups.create, { orgId: here.org.id, name: 'Watched', deviceIds: [inside] })
    const ofOrg = { scope: 'organization', partnerId: here.partner.id, orgId: here.org.id } as const
    const limited = { role: 'Org Viewer', deviceGroupIds: [group.id] }
    const watch = await watching(await person(ofOrg, limited))
    const of = (deviceId: string) => status(here.org.id, { deviceId })
    const wanted = of(inside)
    await ours(of(outside), wanted)
    expect(await watch.next()).toEqual(wanted)

    await call(here.orgAdmin, members.add, { id: group.id, deviceIds: [outside] })
    expect(await watch.next()).toMatchObject({ type: 'resync' })
    const joined = of(outside)
    await ours(joined)
    expect(await watch.next()).toEqual(joined)

    await call(here.orgAdmin, members.remove, { id: group.id, deviceId: inside })
    expect(await watch.next()).toMatchObject({ type: 'resync' })
    const after = of(outside)
    await ours(of(inside), after)
    expect(await watch.next()).toEqual(after)
  })

  it('can be limited to organizations, sites and devices', async () => {
    const watch = await watching(here.partnerAdmin, {
      orgIds: here.org.id,
      siteIds: [here.site.id],
      deviceIds: fullId(7),
    })
    const place = { siteId: here.site.id, deviceId: fullId(7) }
    const wanted = status(here.org.id, place)
    await ours(
      status(here.otherOrg.id, place),
      status(here.org.id, { ...place, deviceId: fullId(8) }),
      status(here.org.id, { ...place, siteId: null }),
      wanted,
    )
    expect(await watch.next()).toEqual(wanted)
  })

  it('sends events when tags and custom field values change', async () => {
    const [id = ''] = await enrolled(here.orgAdmin, { orgId: here.org.id }, 'labeled')
    await call(here.orgAdmin, customFields.create, { orgId: here.org.id, key: 'room', label: 'Room', type: 'text' })
    const watch = await watching(here.orgAdmin, { deviceIds: [id] })
    await call(here.orgAdmin, tags.assign, { deviceIds: [id], add: ['kiosk'] })
    expect(await watch.next()).toMatchObject({ type: 'device.changed', deviceId: id, changed: 'tags' })
    await call(here.orgAdmin, customFields.setValues, { id, values: { room: 'B 12' } })
    expect(await watch.next()).toMatchObject({ type: 'device.changed', deviceId: id, changed: 'customFields' })
  })

  it('names what changed: a new device, its display name, its site', async () => {
    const watch = await watching(here.partnerAdmin, { orgIds: here.org.id })
    const [id = ''] = await enrolled(here.orgAdmin, { orgId: here.org.id }, 'renamed')
    expect(await watch.next()).toMatchObject({ type: 'device.changed', deviceId: id, changed: 'enrolled' })
    await call(here.orgAdmin, lifecycle.update, { id, displayName: 'Front desk' })
    expect(await watch.next()).toMatchObject({ type: 'device.changed', deviceId: id, changed: 'displayName' })
    await call(here.orgAdmin, lifecycle.update, { id, displayName: 'Front desk', siteId: here.site.id })
    expect(await watch.next()).toMatchObject({ deviceId: id, changed: 'site', siteId: null })
    expect(await watch.next()).toMatchObject({ deviceId: id, changed: 'site', siteId: here.site.id })
  })

  it('sends events of new commands', async () => {
    const [id = ''] = await enrolled(here.orgAdmin, { orgId: here.org.id }, 'watched')
    const watch = await watching(here.orgAdmin, { deviceIds: [id] })
    const { id: commandId } = await call(here.orgAdmin, commands.create, { id, type: 'refresh_inventory' })
    expect(await watch.next()).toMatchObject({ type: 'command.changed', deviceId: id, commandId, status: 'pending' })
  })

  it('ends with the session of the watcher', async () => {
    const leaver = await person({ scope: 'partner', partnerId: here.partner.id }, { role: 'Partner Viewer' })
    const watch = await watching(leaver)
    const end = refusal(watch.next())
    await system.query('UPDATE sessions SET revoked_at = now() WHERE id = $1', [leaver.sessionId])
    await callers.clear()
    expect(await end).toMatchObject({ status: 401 })
  })

  it('requires the permission to read devices', async () => {
    expect(await refusal(events(null, live.events, {}).next())).toMatchObject({ status: 401 })
  })

  it('sends resync when the connection to Redis was lost and is back', async () => {
    const name = `test-${randomUUID()}`
    const origin = connectRedis(testRedis(), name)
    await untilReady(origin, 10_000)
    const signal = new AbortController().signal
    const watch = await new LiveEvents(origin).watch({ kinds, partnerId: here.partner.id, signal, accepts: () => true })
    onTestFinished(() => origin.disconnect())
    const operator = await operatorRedis()
    const connections = String(await operator.client('LIST')).split('\n')
    const [, id = ''] = /id=(\d+)/.exec(connections.find((line) => line.includes(`name=${name}-live `)) ?? '') ?? []
    const next = watch.next()
    await operator.client('KILL', 'ID', id)
    expect((await next).value).toMatchObject({ type: 'resync' })
    const after = status(here.org.id)
    await ours(after)
    expect((await watch.next()).value).toEqual(after)
  })

  it('rejects a watch while Redis is unreachable', async () => {
    const origin = connectRedis('redis://127.0.0.1:1', 'nowhere')
    onTestFinished(() => origin.disconnect())
    const signal = new AbortController().signal
    const watch = new LiveEvents(origin).watch({ kinds, partnerId: here.partner.id, signal, accepts: () => true })
    expect(await refusal(watch)).toMatchObject({ status: 503 })
  })
})
