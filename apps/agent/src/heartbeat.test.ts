import type { Heartbeat as Figures } from '@muster/wire/messages/heartbeat.ts'
import { afterEach, beforeEach, expect, test, vi } from 'vitest'
import { Heartbeat } from './heartbeat.ts'

beforeEach(() => void vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout', 'performance'] }))
afterEach(() => void vi.useRealTimers())

const figures: Figures = [1, 1, 1, 1, 1, 1, 1, 1, 1, 1]
const log = { info: vi.fn(), warn: vi.fn(), error: vi.fn() }

function beating(random: number) {
  const beats: number[] = []
  const state = { connected: true }
  const heartbeat = new Heartbeat({
    read: async () => figures,
    send: () => beats.push(performance.now()),
    isConnected: () => state.connected,
    log,
    random: () => random,
  })
  return { heartbeat, beats, state, start: performance.now() }
}

test('sends one at once, the next within the first interval, then one per interval', async () => {
  const { heartbeat, beats, start } = beating(0.25)
  heartbeat.setInterval(60_000)
  await vi.advanceTimersByTimeAsync(200_000)
  expect(beats.map((at) => Math.round(at - start))).toEqual([0, 15_000, 75_000, 135_000, 195_000])
  heartbeat.stop()
})

test('reads and sends nothing without a connection, and keeps the phase', async () => {
  const { heartbeat, beats, state, start } = beating(0.5)
  heartbeat.setInterval(60_000)
  state.connected = false
  await vi.advanceTimersByTimeAsync(100_000)
  state.connected = true
  heartbeat.setInterval(60_000)
  await vi.advanceTimersByTimeAsync(60_000)
  expect(beats.map((at) => Math.round(at - start))).toEqual([0, 150_000])
  heartbeat.stop()
})
