import type { LiveEvent } from '@muster/backplane/live.ts'
import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { EventQueue, type Resync } from './event-queue.ts'

const newestOfHeartbeats = ({ type, deviceId }: LiveEvent) =>
  type === 'device.heartbeat' ? String(deviceId) : undefined
const queueOf = (accepts: (event: LiveEvent) => boolean = () => true) =>
  new EventQueue((event): event is LiveEvent => accepts(event), newestOfHeartbeats)

const event = (type: string, deviceId: string, at: number): LiveEvent => ({
  type,
  orgId: 'o',
  siteId: null,
  deviceId,
  at,
})

/** Takes `count` events from a queue. */
async function taken(queue: EventQueue, count: number): Promise<(LiveEvent | Resync)[]> {
  const events: (LiveEvent | Resync)[] = []
  if (count === 0) return events
  for await (const one of queue.take(() => undefined)) {
    events.push(one)
    if (events.length === count) break
  }
  return events
}

describe('the queue of a watcher', () => {
  it('delivers accepted events in order', async () => {
    const queue = queueOf(({ deviceId }) => deviceId !== 'hidden')
    for (const [at, id] of ['a', 'hidden', 'b', 'a'].entries()) queue.push(event('device.status', id, at))
    expect((await taken(queue, 3)).map((one) => one.at)).toEqual([0, 2, 3])
  })

  it('keeps only the newest heartbeat of each device, and every other event', async () => {
    const arrivals = fc.array(
      fc.tuple(fc.constantFrom('device.heartbeat' as const, 'device.status' as const), fc.constantFrom('a', 'b', 'c')),
      { maxLength: 200 },
    )
    await fc.assert(
      fc.asyncProperty(arrivals, async (given) => {
        const queue = queueOf()
        const all = given.map(([type, id], at) => event(type, id, at))
        for (const one of all) queue.push(one)
        const newest = new Map(all.filter(({ type }) => type === 'device.heartbeat').map((one) => [one.deviceId, one]))
        const statuses = all.filter(({ type }) => type === 'device.status')
        const got = await taken(queue, newest.size + statuses.length)
        expect(got.filter(({ type }) => type === 'device.status')).toEqual(statuses)
        expect(new Set(got.filter(({ type }) => type === 'device.heartbeat'))).toEqual(new Set(newest.values()))
      }),
    )
  })

  it('never holds more than its limit, and sends resync when it dropped events', async () => {
    const queue = queueOf()
    for (let at = 0; at < 1_500; at++) queue.push(event('device.status', 'a', at))
    const [first, ...rest] = await taken(queue, 500)
    expect(first).toEqual({ type: 'resync', at: 1_000 })
    expect(rest.map((one) => one.at)).toEqual(Array.from({ length: 499 }, (_, index) => 1_001 + index))
  })

  it('ends a waiting watcher', async () => {
    const queue = queueOf()
    let left = false
    const events = queue.take(() => {
      left = true
    })
    const next = events.next()
    queue.end()
    expect(await next).toEqual({ done: true, value: undefined })
    expect(left).toBe(true)
  })
})
