import { randomUUID } from 'node:crypto'
import { connectRedis, untilReady } from '@muster/backplane/redis.ts'
import { isWithin, originOf } from '@muster/kit/network/addresses.ts'
import { refusal } from '@muster/testkit/call.ts'
import { operatorRedis, testServices } from '@muster/testkit/services.ts'
import { testRedis } from '@muster/testkit/stores.ts'
import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest'
import { FloodLimit } from './flood-limit.ts'
import { Limits } from './limits.ts'

const { redis } = await testServices()
const operator = await operatorRedis()

describe('rate limits', () => {
  it('reject requests beyond the limit and return retryAfter', async () => {
    const limits = new Limits(redis)
    const key = randomUUID()
    await limits.takeFrom('test', key, { points: 2, seconds: 60 })
    await limits.takeFrom('test', key, { points: 2, seconds: 60 })
    const error = await refusal(limits.takeFrom('test', key, { points: 2, seconds: 60 }))
    expect(error).toMatchObject({ status: 429, code: 'RATE_LIMITED', extra: { retryAfter: expect.any(Number) } })
  })

  it('double the wait each time a growing limit is exceeded again', async () => {
    const limits = new Limits(redis)
    const name = `test-${randomUUID()}`
    const allowance = { points: 1, seconds: 300, growing: true }
    const waits: unknown[] = []
    for (let round = 0; round < 6; round++) {
      await limits.takeFrom(name, 'k', allowance)
      const { extra } = await refusal(limits.takeFrom(name, 'k', allowance))
      waits.push({ ...extra })
      await operator.del(await operator.keys(`limit:${name}:*`))
    }
    expect(waits).toEqual([300, 600, 1200, 2400, 4800, 7200].map((retryAfter) => ({ retryAfter })))
  })

  it('are counted across processes', async () => {
    const connections = [1, 2, 3, 4].map((n) => connectRedis(testRedis(), `limits-${n}`))
    await Promise.all(connections.map((connection) => untilReady(connection, 5_000)))
    const processes = connections.map((connection) => new Limits(connection))
    const key = randomUUID()
    const tries = Array.from({ length: 40 }, (_, n) =>
      processes[n % 4]?.takeFrom('test-many', key, { points: 10, seconds: 60 }),
    )
    const outcomes = await Promise.allSettled(tries)
    expect(outcomes.filter(({ status }) => status === 'fulfilled')).toHaveLength(10)
    for (const connection of connections) connection.disconnect()
  })

  it('answer 503 when Redis is down', async () => {
    const away = connectRedis('redis://127.0.0.1:1', 'limits-away')
    const error = await refusal(new Limits(away).take('loginPerEmail', 'x'))
    expect(error).toMatchObject({ status: 503, code: 'UNAVAILABLE' })
    away.disconnect()
  })
})

describe('the limit of requests by address', () => {
  beforeEach(() => void vi.useFakeTimers({ toFake: ['Date', 'setTimeout', 'clearTimeout'], now: 0 }))
  afterEach(() => void vi.useRealTimers())

  it('allows a rate and a burst, and counts each address separately', async () => {
    const flood = new FloodLimit(10)
    for (let n = 0; n < 50; n++) expect(await flood.take('10.0.0.1')).toMatch(`r=${49 - n};`)
    await expect(flood.take('10.0.0.1')).rejects.toMatchObject({ code: 'RATE_LIMITED' })
    await flood.take('10.0.0.2')
    vi.advanceTimersByTime(1_000)
    for (let n = 0; n < 10; n++) await flood.take('10.0.0.1')
    await expect(flood.take('10.0.0.1')).rejects.toMatchObject({ code: 'RATE_LIMITED' })
  })

  it('drops the counts of addresses that have been quiet', async () => {
    const flood = new FloodLimit(10)
    for (let n = 0; n < 1_000; n++) for (let turn = 0; turn < 11; turn++) await flood.take(`10.0.${n >> 8}.${n & 255}`)
    expect(vi.getTimerCount()).toBe(2_000)
    vi.advanceTimersByTime(5_000)
    expect(vi.getTimerCount()).toBe(0)
  })

  it('is off at 0, and by default allows 1,000 requests a second', async () => {
    const off = new FloodLimit(0)
    for (let n = 0; n < 10_000; n++) await off.take('10.0.0.1')
    const usual = new FloodLimit(2_000)
    for (let n = 0; n < 60_000; n++) {
      vi.advanceTimersByTime(1)
      await usual.take('10.0.0.1')
    }
  })
})

describe('addresses', () => {
  it('have one origin per IPv4 address or IPv6 /64', () => {
    expect(originOf('192.0.2.7')).toBe('192.0.2.7')
    expect(originOf('::ffff:192.0.2.7')).toBe('192.0.2.7')
    expect(originOf('2001:db8:1:2:3:4:5:6')).toBe(originOf('2001:db8:1:2::9'))
    expect(originOf('2001:db8:1:2::9')).not.toBe(originOf('2001:db8:1:3::9'))
  })

  it('are matched against networks given as addresses or blocks', () => {
    expect(isWithin('192.0.2.7', ['192.0.2.0/24'])).toBe(true)
    expect(isWithin('192.0.2.7', ['192.0.2.7'])).toBe(true)
    expect(isWithin('::ffff:192.0.2.7', ['192.0.2.0/24'])).toBe(true)
    expect(isWithin('192.0.3.7', ['192.0.2.0/24', '2001:db8::/32'])).toBe(false)
    expect(isWithin('2001:db8::1', ['2001:db8::/32'])).toBe(true)
  })
})
