import type { Heartbeat } from '@muster/wire/messages/heartbeat.ts'
import { decodeUp, type UpMessage } from '@muster/wire/up.ts'
import { expect, test, vi } from 'vitest'
import { heartbeatAgeMaxMs, outboxBytesMax, outboxFramesMax, resendAfterMs, sendingRates } from './limits.ts'
import { Outbox } from './outbox.ts'

const figures = (n: number): Heartbeat => [n, 1, 1, 1, 1, 1, 1, 1, 1, 1]
const resultOf = (commandId: string) => ({ commandId, status: 'completed', durationMs: 1 }) as const
const ids = ['00000000-0000-4000-8000-000000000001', '00000000-0000-4000-8000-000000000002'] as const

class FakeLink {
  readonly sent: UpMessage[] = []
  backlogBytes = 0

  send(frame: Uint8Array): void {
    this.sent.push(decodeUp(frame))
  }

  get names(): string[] {
    return this.sent.map(({ name, sequence }) => `${name} ${sequence}`)
  }
}

function withFakeTime<T>(test: () => T): T {
  vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout', 'performance'] })
  try {
    return test()
  } finally {
    vi.useRealTimers()
  }
}

test('sends queued frames in order on connecting, and later ones at once', () => {
  withFakeTime(() => {
    const outbox = new Outbox()
    const link = new FakeLink()
    outbox.heartbeat(figures(1))
    outbox.result(() => resultOf(ids[0]), vi.fn())
    outbox.attach(link)
    outbox.progress({ commandId: ids[1], state: 'running' })
    expect(link.names).toEqual(['heartbeat 1', 'result 2', 'progress 3'])
    outbox.detach()
  })
})

test('resends only unacknowledged frames on the next connection, with their old numbers', () => {
  withFakeTime(() => {
    const outbox = new Outbox()
    const acknowledged = vi.fn()
    outbox.heartbeat(figures(1))
    outbox.result(() => resultOf(ids[0]), acknowledged)
    outbox.heartbeat(figures(3))
    outbox.attach(new FakeLink())
    outbox.acknowledge(2)
    outbox.acknowledge(2)
    outbox.acknowledge(99)
    expect(acknowledged).toHaveBeenCalledOnce()
    outbox.detach()
    const second = new FakeLink()
    outbox.attach(second)
    expect(second.names).toEqual(['heartbeat 1', 'heartbeat 3'])
    outbox.detach()
  })
})

test('drops a heartbeat that waited too long', () => {
  withFakeTime(() => {
    const outbox = new Outbox()
    const link = new FakeLink()
    outbox.heartbeat(figures(1))
    outbox.progress({ commandId: ids[0], state: 'running' })
    vi.advanceTimersByTime(heartbeatAgeMaxMs + 1)
    outbox.heartbeat(figures(2))
    outbox.attach(link)
    expect(link.names).toEqual(['progress 2', 'heartbeat 3'])
    outbox.detach()
  })
})

test('resends an unacknowledged frame on a lasting connection with increasing delays', () => {
  withFakeTime(() => {
    const outbox = new Outbox()
    const link = new FakeLink()
    outbox.attach(link)
    outbox.heartbeat(figures(1))
    vi.advanceTimersByTime(resendAfterMs + 200)
    expect(link.names).toEqual(['heartbeat 1', 'heartbeat 1'])
    vi.advanceTimersByTime(resendAfterMs + 200)
    expect(link.sent).toHaveLength(2)
    vi.advanceTimersByTime(resendAfterMs + 200)
    expect(link.sent).toHaveLength(3)
    outbox.acknowledge(1)
    vi.advanceTimersByTime(100 * resendAfterMs)
    expect(link.sent).toHaveLength(3)
    outbox.detach()
  })
})

test('drops the oldest heartbeats first and results never while the server is unreachable', () => {
  const outbox = new Outbox()
  for (let n = 0; n < 3 * outboxFramesMax; n++) {
    outbox.heartbeat(figures(n % 100))
    if (n % 2 === 0) outbox.result(() => resultOf(ids[0]), vi.fn())
  }
  expect(outbox.size).toBe(outboxFramesMax + 1.5 * outboxFramesMax)
  expect(outbox.dropped).toBe(2 * outboxFramesMax)
})

test('drops output before an inventory, and keeps only the newest inventory', () => {
  const outbox = new Outbox()
  const inventory = (hash: string) => ({
    hash,
    facts: { hostname: 'h', osType: 'linux' as const, architecture: 'x64', agentVersion: '1' },
    hardware: {},
    ...{ disks: [], network: [], software: [], services: [], users: [] },
  })
  outbox.inventory(inventory('one'), vi.fn())
  outbox.inventory(inventory('two'), vi.fn())
  expect(outbox.size).toBe(1)
  const output = 'x'.repeat(32 * 1024)
  const pieces = Math.ceil((2 * outboxBytesMax) / output.length)
  for (let n = 0; n < pieces; n++)
    outbox.progress({ commandId: ids[0], state: 'running', stream: 'stdout', offset: n * output.length, output })
  const link = new FakeLink()
  outbox.attach(link)
  expect(link.sent[0]).toMatchObject({ name: 'inventory', body: { hash: 'two' } })
  expect(outbox.dropped).toBeGreaterThan(pieces / 3)
  outbox.detach()
})

test('never sends faster than the server allows, or into a full socket', () => {
  withFakeTime(() => {
    const outbox = new Outbox()
    const link = new FakeLink()
    outbox.attach(link)
    const { framesBurst, framesPerSecond } = sendingRates
    for (let n = 0; n < framesBurst + 100; n++) outbox.heartbeat(figures(1))
    expect(link.sent).toHaveLength(framesBurst)
    expect(outbox.keepsUp).toBe(false)
    vi.advanceTimersByTime(10_000)
    expect(link.sent.length).toBeLessThanOrEqual(framesBurst + 10 * framesPerSecond)
    expect(link.sent.length).toBeGreaterThan(framesBurst + 8 * framesPerSecond)
    const before = link.sent.length
    link.backlogBytes = Number.MAX_SAFE_INTEGER
    vi.advanceTimersByTime(10_000)
    expect(link.sent).toHaveLength(before)
    outbox.detach()
  })
})

test('resolves when everything is acknowledged', async () => {
  const outbox = new Outbox()
  await outbox.whenEmpty()
  outbox.attach(new FakeLink())
  outbox.heartbeat(figures(1))
  const empty = outbox.whenEmpty()
  outbox.acknowledge(1)
  await empty
  outbox.detach()
})
