import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { isHalted, type MaxErrors } from '../../../background/staged-work.rules.ts'
import { drawBatches, shareOf } from '../batches/draw.rules.ts'
import { isOver, slotsOf, type Tally, waitOf } from './verdict.rules.ts'

const count = fc.nat(300)
const statuses = ['pending', 'held', 'queued', 'succeeded', 'failed', 'skipped', 'cancelled', 'expired'] as const
const device = fc.record({ status: fc.constantFrom(...statuses), accepted: fc.boolean(), attempt: fc.nat(2) })
type Device = { status: (typeof statuses)[number]; accepted: boolean; attempt: number }
const number = (devices: readonly Device[], is: (device: Device) => boolean) => devices.filter(is).length
const of = (devices: readonly Device[], ...wanted: readonly Device['status'][]) =>
  number(devices, ({ status }) => wanted.includes(status))

const tallyOf = (devices: readonly Device[]): Tally => ({
  open: of(devices, 'pending', 'queued'),
  held: of(devices, 'held'),
  succeeded: of(devices, 'succeeded'),
  failed: of(devices, 'failed'),
  expired: of(devices, 'expired'),
  left: of(devices, 'skipped', 'cancelled'),
  issued: number(devices, ({ attempt }) => attempt > 0),
  accepted: number(devices, ({ status, accepted }) => status === 'failed' && accepted),
})
const maxErrors = fc.oneof(
  fc.record({ percent: fc.nat(100) }),
  fc.record({ count: fc.nat(20) }),
) satisfies fc.Arbitrary<MaxErrors>

describe('a deployment', () => {
  it('halts if and only if the failures that are not accepted are too many', () => {
    fc.assert(
      fc.property(fc.array(device, { maxLength: 60 }), maxErrors, (devices, most) => {
        const bad = number(devices, ({ status, accepted }) => status === 'failed' && !accepted)
        const issued = number(devices, ({ attempt }) => attempt > 0)
        const expected = 'count' in most ? bad > most.count : bad * 100 > most.percent * issued
        expect(isHalted(tallyOf(devices), most)).toBe(expected)
      }),
    )
  })

  it('does not halt at exactly the limit', () => {
    const at = (failed: number, issued: number): Tally => ({ ...tallyOf([]), failed, issued })
    expect(isHalted(at(5, 100), { percent: 5 })).toBe(false)
    expect(isHalted(at(6, 100), { percent: 5 })).toBe(true)
    expect(isHalted(at(3, 100), { count: 3 })).toBe(false)
    expect(isHalted(at(4, 100), { count: 3 })).toBe(true)
    expect(isHalted({ ...at(6, 100), accepted: 6 }, { count: 0 })).toBe(false)
    expect(isHalted(at(0, 0), { percent: 0 })).toBe(false)
  })

  it('is over when no device is open or held', () => {
    fc.assert(
      fc.property(fc.array(device, { maxLength: 30 }), (devices) => {
        expect(isOver(tallyOf(devices))).toBe(of(devices, 'pending', 'held', 'queued') === 0)
      }),
    )
  })
})

describe('a batch', () => {
  it('ends if and only if all ended or are held, one succeeded, enough of the ended did, soak is over and gates are green', () => {
    const share = fc.nat(100)
    const property = fc.property(
      fc.array(device, { maxLength: 40 }),
      share,
      fc.boolean(),
      fc.boolean(),
      (devices, successPercent, isSoaked, areGatesGreen) => {
        const ended = devices.filter(({ status }) => ['succeeded', 'failed', 'expired'].includes(status))
        const succeeded = devices.filter(({ status }) => status === 'succeeded')
        const expected =
          devices.every(({ status }) => status !== 'pending' && status !== 'queued') &&
          succeeded.length >= 1 &&
          (succeeded.length / ended.length) * 100 >= successPercent - 1e-9 &&
          isSoaked &&
          areGatesGreen
        expect(waitOf(tallyOf(devices), { successPercent, isSoaked, areGatesGreen }) === null).toBe(expected)
      },
    )
    fc.assert(property)
  })

  it('waits for success when no device succeeded, also with 0 percent', () => {
    const limits = { successPercent: 0, isSoaked: true, areGatesGreen: true }
    expect(waitOf({ ...tallyOf([]), left: 3 }, limits)).toBe('success')
    expect(waitOf({ ...tallyOf([]), held: 3 }, limits)).toBe('success')
    expect(waitOf({ ...tallyOf([]), succeeded: 1, held: 2 }, limits)).toBeNull()
  })
})

describe('the number of devices that are sent the order', () => {
  it('never exceeds the concurrency or the number per minute', () => {
    fc.assert(
      fc.property(
        fc.integer({ min: 1, max: 600 }),
        fc.option(count),
        count,
        count,
        (most, perMinute, running, last) => {
          const slots = slotsOf({ maxConcurrency: most, perMinute }, { running, issuedLastMinute: last })
          expect(slots).toBeGreaterThanOrEqual(0)
          if (slots === 0) return
          expect(running + slots).toBeLessThanOrEqual(most)
          if (perMinute !== null) expect(last + slots).toBeLessThanOrEqual(perMinute)
        },
      ),
    )
  })
})

describe('the batches that are drawn', () => {
  const reach = fc.oneof(
    fc.record({ total: fc.nat(60) }),
    fc.array(fc.nat(40), { maxLength: 10 }).map((some) => ({ members: new Set(some.map(String)) })),
  )

  it('contain each device once, in the first batch that reaches it', () => {
    fc.assert(
      fc.property(fc.nat(40), fc.array(reach, { minLength: 1, maxLength: 6 }), (devices, reaches) => {
        const ids = Array.from({ length: devices }, (_, index) => String(index))
        const naive = new Map<string, number>()
        for (const [index, each] of reaches.entries())
          for (const id of ids)
            if (!naive.has(id) && ('members' in each ? each.members.has(id) : naive.size < each.total))
              naive.set(id, index)
        const expected = reaches
          .map((_, index) => ids.filter((id) => naive.get(id) === index))
          .filter((batch) => batch.length > 0)
        expect(drawBatches(ids, reaches)).toEqual(expected)
      }),
    )
  })

  it('reach shares of all devices, rounded up', () => {
    const draw = (devices: number) => {
      const ids = Array.from({ length: devices }, (_, index) => String(index))
      const reaches = [1, 10, 50, 100].map((percent) => ({ total: shareOf(percent, devices) }))
      return drawBatches(ids, reaches).map((batch) => batch.length)
    }
    expect(draw(200)).toEqual([2, 18, 80, 100])
    expect(draw(10)).toEqual([1, 4, 5])
    expect(draw(1)).toEqual([1])
    expect(shareOf(0.07, 10_000)).toBe(7)
  })
})
