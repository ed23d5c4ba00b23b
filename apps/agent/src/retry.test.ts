import { closeCodes } from '@muster/wire/close-codes.ts'
import fc from 'fast-check'
import { expect, test } from 'vitest'
import { formatDuration, fullJitter, retryAfterMs } from './backoff.ts'
import { connectionStableMs, refusedCertificateDelayMs, retryDelayMinMs, retryWindowMaxMs } from './limits.ts'
import { type Ending, nextAfter, outageAfter } from './retry.ts'

const broken: Ending = {
  ...{ welcomed: true, lastedMs: 0, code: 1006, reason: 'gone' },
  ...{ hintMs: undefined, retryAfterMs: undefined },
}
const delayAfter = (ending: Partial<Ending>, outageMs: number, random: number) => {
  const next = nextAfter({ ...broken, ...ending }, outageMs, () => random)
  return next.kind === 'wait' ? next.delayMs : Number.POSITIVE_INFINITY
}
const share = fc.double({ min: 0, max: 1, maxExcluded: true, noNaN: true })

test('draws the wait from a window of twice the outage so far, up to a cap', () => {
  expect(delayAfter({}, 0, 0.5)).toBe(2000)
  expect(delayAfter({}, 2_500, 0.5)).toBe(2500)
  expect(delayAfter({}, 8_000, 0.5)).toBe(8000)
  expect(delayAfter({}, 3_600_000, 0.5)).toBe(retryWindowMaxMs / 2)
  fc.assert(
    fc.property(fc.nat(), share, (windowMs, random) => {
      const delay = fullJitter(windowMs, () => random)
      return delay >= 100 && delay <= retryWindowMaxMs
    }),
  )
})

test('reconnects soon after the outage, with a bounded number of attempts meanwhile', () => {
  for (const awayMs of [4_000, 10_000, 25_000])
    for (let agent = 0; agent < 500; agent++) {
      let [at, asked] = [0, 0]
      for (; at < awayMs; asked++) {
        const next = nextAfter({ ...broken, welcomed: asked === 0 }, at)
        at += next.kind === 'wait' ? next.delayMs : Number.POSITIVE_INFINITY
      }
      expect(at).toBeLessThanOrEqual(3 * awayMs)
      expect(asked).toBeLessThanOrEqual(awayMs / retryDelayMinMs)
    }
})

test('uses the delay from the server, but at least that of the close code', () => {
  expect(delayAfter({ code: 4030, hintMs: 1234 }, 9, 0.9)).toBe(1234)
  expect(delayAfter({ code: 4031, hintMs: 10 }, 0, 0)).toBe(closeCodes.overloaded.minimumDelayMs)
})

test('treats Retry-After as a minimum and adds up to as much again, every time', () => {
  const refused = { welcomed: false, retryAfterMs: 5000 }
  expect(delayAfter(refused, 0, 0.5)).toBe(7500)
  expect(delayAfter(refused, 9, 0.5)).toBe(7500)
  expect(delayAfter({ welcomed: false, retryAfterMs: 0 }, 0, 0)).toBeGreaterThan(0)
  expect(retryAfterMs('7', 0)).toBe(7000)
  expect(retryAfterMs('Thu, 01 Jan 1970 00:00:10 GMT', 4000)).toBe(6000)
  expect(retryAfterMs('soon', 0)).toBeUndefined()
  expect(retryAfterMs(undefined, 0)).toBeUndefined()
})

test.each(Object.values(closeCodes))('waits after $code $name as the table requires', (code) => {
  fc.assert(
    fc.property(
      fc.nat(20),
      share,
      (outageMs, random) => delayAfter({ code: code.code }, outageMs, random) >= code.minimumDelayMs,
    ),
  )
  if (code.mayReturn === 'renewed')
    expect(delayAfter({ code: code.code }, 0, 0)).toBeGreaterThanOrEqual(refusedCertificateDelayMs)
})

test('resets the outage after a stable connection, not after a short one', () => {
  expect(outageAfter({ ...broken, lastedMs: connectionStableMs }, 7_000, connectionStableMs + 500)).toBe(0)
  expect(outageAfter({ ...broken, lastedMs: 10 }, 7_000, 3_010)).toBe(10_000)
  expect(outageAfter({ ...broken, welcomed: false }, 0, 200)).toBe(200)
})

test('formats waits for people', () => {
  expect([700, 59_000, 600_000, 5 * 3_600_000].map(formatDuration)).toEqual(['0.7 s', '59 s', '10 min', '5 h'])
})
