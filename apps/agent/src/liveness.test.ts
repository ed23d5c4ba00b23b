import { expect, test, vi } from 'vitest'
import { answerTimeoutMs, livenessCheckMs, probeTimeoutMs, silenceTimeoutMs } from './limits.ts'
import { Liveness } from './liveness.ts'

function watch() {
  let now = 0
  const probe = vi.fn()
  const lost = vi.fn()
  const liveness = new Liveness({ probe, lost }, () => now)
  const pass = (ms: number) => {
    for (const until = now + ms; now < until; ) {
      now = Math.min(until, now + livenessCheckMs)
      liveness.check()
    }
  }
  return { probe, lost, liveness, pass, [Symbol.dispose]: () => liveness.stop() }
}

test('never probes a peer that acknowledges', () => {
  using seen = watch()
  for (let beat = 0; beat < 10; beat++) {
    seen.pass(60_000)
    seen.liveness.expectAnswer()
    seen.liveness.received()
  }
  expect(seen.probe).not.toHaveBeenCalled()
})

test('probes a silent peer once, then gives it up', () => {
  using seen = watch()
  seen.liveness.expectAnswer()
  seen.pass(answerTimeoutMs)
  expect(seen.probe).toHaveBeenCalledOnce()
  expect(seen.lost).not.toHaveBeenCalled()
  seen.pass(probeTimeoutMs)
  expect(seen.lost).toHaveBeenCalled()
  expect(seen.probe).toHaveBeenCalledOnce()
})

test('accepts an answer to the probe', () => {
  using seen = watch()
  seen.pass(silenceTimeoutMs)
  expect(seen.probe).toHaveBeenCalledOnce()
  seen.liveness.received()
  seen.pass(silenceTimeoutMs - livenessCheckMs)
  expect(seen.probe).toHaveBeenCalledOnce()
  expect(seen.lost).not.toHaveBeenCalled()
})
