// An outage of the server for an hour, with a simulated clock.
import { setFlagsFromString } from 'node:v8'
import { runInNewContext } from 'node:vm'
import type { Heartbeat } from '@muster/wire/messages/heartbeat.ts'
import { decodeUp, type UpMessage } from '@muster/wire/up.ts'
import { expect, test } from 'vitest'
import { outboxBytesMax, outboxFramesMax, retryWindowMaxMs } from './limits.ts'
import { Outbox } from './outbox.ts'
import { nextAfter, outageAfter } from './retry.ts'

const agents = 1_000
const hourMs = 3_600_000
const heartbeatMs = 6_000
const mib = 1024 * 1024

// Deterministic draws: the test measures the rule, not luck.
function drawing(seed: number): () => number {
  let state = seed
  return () => {
    state = (state + 0x6d2b79f5) | 0
    let mixed = Math.imul(state ^ (state >>> 15), 1 | state)
    mixed = (mixed + Math.imul(mixed ^ (mixed >>> 7), 61 | mixed)) ^ mixed
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 2 ** 32
  }
}

function heapBytes(): number {
  setFlagsFromString('--expose-gc')
  runInNewContext('gc')()
  const { heapUsed, external } = process.memoryUsage()
  return heapUsed + external
}

test('F14: bounds what an agent keeps: drops the oldest telemetry, and no command result', () => {
  let now = 0
  const outboxes = Array.from({ length: agents }, () => new Outbox(() => now))
  const figures: Heartbeat = [1, 2, 3, 4, 5, 6, 7, 8, 9, 10]
  const commandId = '00000000-0000-4000-8000-000000000001'
  const output = 'x'.repeat(8 * 1024)
  const before = heapBytes()
  for (; now < hourMs; now += heartbeatMs) {
    for (const outbox of outboxes) {
      outbox.heartbeat(figures)
      // A command every five minutes, with some output before its end.
      if (now % 300_000 !== 0) continue
      outbox.progress({ commandId, state: 'running', stream: 'stdout', offset: 0, output })
      outbox.result(
        () => ({ commandId, status: 'completed', durationMs: now }),
        () => undefined,
      )
    }
  }
  const grownBytes = heapBytes() - before
  expect(grownBytes / agents).toBeLessThan(outboxBytesMax)
  expect(grownBytes / agents).toBeLessThan(10 * mib)

  for (const outbox of outboxes) {
    const sent: UpMessage[] = []
    const results = hourMs / 300_000
    expect(outbox.dropped).toBe(hourMs / heartbeatMs + results - outboxFramesMax)
    outbox.attach({ backlogBytes: 0, send: (frame) => sent.push(decodeUp(frame)) })
    outbox.detach()
    const names = (name: string) => sent.filter((message) => message.name === name)
    expect(names('result')).toHaveLength(results)
    // Only heartbeats that are still recent are worth sending, and the newest are all among them.
    const numbers = names('heartbeat').map(({ sequence }) => sequence)
    expect(Math.max(...numbers)).toBe(hourMs / heartbeatMs + 2 * results)
    expect(numbers.length).toBeLessThanOrEqual(outboxFramesMax)
  }
})

test('F14: spreads reconnects evenly over the full-jitter window, by χ²', () => {
  const random = drawing(14)
  const refused = { welcomed: false, lastedMs: 0, code: 1006, reason: '', hintMs: undefined, retryAfterMs: undefined }
  const cells = 20
  const arrived = Array.from({ length: cells }, () => 0)
  const perSecond = Array.from({ length: retryWindowMaxMs / 1_000 }, () => 0)
  for (let agent = 0; agent < agents; agent++) {
    let at = 0
    for (let outageMs = 0, waitedMs = 0; at < hourMs; at += waitedMs) {
      outageMs = outageAfter(refused, outageMs, waitedMs)
      const next = nextAfter(refused, outageMs, random)
      if (next.kind !== 'wait') throw new Error('an agent stopped retrying')
      waitedMs = next.delayMs
    }
    const lateMs = at - hourMs
    // With attempts one uniform draw apart, the first attempt falls within `x` of a moment with probability 1 - (1 - x)². Mapped through that, they are uniform.
    const share = 1 - (1 - lateMs / retryWindowMaxMs) ** 2
    const cell = Math.min(cells - 1, Math.floor(share * cells))
    arrived[cell] = (arrived[cell] ?? 0) + 1
    const second = Math.floor(lateMs / 1_000)
    perSecond[second] = (perSecond[second] ?? 0) + 1
  }
  const expected = agents / cells
  const chiSquare = arrived.reduce((sum, count) => sum + (count - expected) ** 2 / expected, 0)
  // The 0.1 % point of χ² with 19 degrees of freedom.
  expect(chiSquare).toBeLessThan(43.8)
  // No second gets much more than twice its even share of the fleet.
  expect(Math.max(...perSecond)).toBeLessThan((3 * agents) / perSecond.length)
})
