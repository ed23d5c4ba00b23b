import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { encodeFrame, WireError } from './frame.ts'
import { bootIdMax, heartbeatFrameBytesMax, sequenceMax, ticketBytesMax } from './limits.ts'
import { orderFaults } from './messages/refusal.ts'
import { updateReasons } from './messages/update-status.ts'
import { watchedStates } from './messages/watchdog-status.ts'
import { decodeUp, encodeUp, type UpMessage } from './up.ts'

const id = fc.uuid().map((text) => text.toLowerCase())
const sequence = fc.integer({ min: 1, max: sequenceMax })
const word = (max: number) =>
  fc.string({ maxLength: max, unit: 'grapheme' }).map((text) => text.replaceAll('\0', '').slice(0, max).toWellFormed())
const name = (max: number) => word(max).map((text) => `n${text}`.slice(0, max).toWellFormed())
const optional = <Value>(value: fc.Arbitrary<Value>) => fc.option(value, { nil: undefined })
const whole = fc.option(fc.integer({ min: 0, max: Number.MAX_SAFE_INTEGER }), { nil: null })
const share = fc.option(fc.double({ min: 0, max: 100, noNaN: true }), { nil: null })
const bytes = fc.integer({ min: 0, max: Number.MAX_SAFE_INTEGER })
const plainMap = fc.dictionary(name(20), fc.oneof(word(20), fc.integer(), fc.boolean(), fc.constant(null)), {
  maxKeys: 5,
})

const messages: Record<UpMessage['name'], fc.Arbitrary<UpMessage>> = {
  hello: fc.record({
    name: fc.constant('hello' as const),
    sequence: fc.constant(0),
    body: fc.record({
      protocol: fc.integer({ min: 1, max: 255 }),
      certificate: name(500),
      signature: fc.uint8Array({ minLength: 64, maxLength: 64 }).map((value) => Buffer.from(value)),
      bootId: fc.integer({ min: 1, max: bootIdMax }),
      agentVersion: name(64),
      role: fc.constantFrom('agent' as const, 'watchdog' as const),
      tickets: optional(fc.boolean()),
      capabilities: optional(fc.stringMatching(/^[+a-z]{1,255}$/)),
    }),
  }),
  resume: fc.record({
    name: fc.constant('resume' as const),
    sequence: fc.constant(0),
    body: fc.record({
      protocol: fc.integer({ min: 1, max: 255 }),
      ticket: fc.uint8Array({ minLength: 1, maxLength: ticketBytesMax }).map((value) => Buffer.from(value)),
      proof: fc.uint8Array({ minLength: 32, maxLength: 32 }).map((value) => Buffer.from(value)),
      bootId: fc.integer({ min: 1, max: bootIdMax }),
      agentVersion: name(64),
      role: fc.constantFrom('agent' as const, 'watchdog' as const),
      capabilities: optional(fc.stringMatching(/^[+a-z]{1,255}$/)),
    }),
  }),
  heartbeat: fc.record({
    name: fc.constant('heartbeat' as const),
    sequence,
    body: fc.tuple(
      share,
      whole,
      whole,
      whole,
      whole,
      share,
      whole,
      whole,
      whole,
      fc.constantFrom(null, 0, 7, 2 ** 31 - 1),
    ),
  }),
  inventory: fc.record({
    name: fc.constant('inventory' as const),
    sequence,
    body: fc.record({
      hash: name(64),
      facts: fc.record({
        hostname: name(255),
        osType: fc.constantFrom('linux' as const, 'windows' as const, 'macos' as const),
        osName: optional(word(255)),
        architecture: name(32),
        agentVersion: name(64),
      }),
      hardware: fc.record({ cpuModel: optional(word(50)), memoryBytes: optional(bytes) }),
      disks: fc.array(fc.record({ name: word(20), totalBytes: optional(bytes) }), { maxLength: 4 }),
      network: fc.array(fc.record({ name: word(20), addresses: optional(fc.array(word(20), { maxLength: 3 })) }), {
        maxLength: 4,
      }),
      software: fc.array(fc.record({ name: word(40), version: optional(word(20)) }), { maxLength: 40 }),
      services: fc.array(fc.record({ name: word(40), state: optional(word(20)) }), { maxLength: 20 }),
      users: fc.array(fc.record({ name: word(40), admin: optional(fc.boolean()) }), { maxLength: 5 }),
    }),
  }),
  progress: fc.record({
    name: fc.constant('progress' as const),
    sequence,
    body: fc.record({
      commandId: id,
      state: fc.constant('running' as const),
      output: optional(word(200)),
      offset: optional(bytes),
    }),
  }),
  result: fc.record({
    name: fc.constant('result' as const),
    sequence,
    body: fc.record({
      commandId: id,
      status: fc.constantFrom('completed' as const, 'failed' as const, 'timed_out' as const),
      exitCode: optional(fc.integer({ min: -128, max: 255 })),
      stdout: optional(word(300)),
      result: optional(plainMap),
      durationMs: fc.integer({ min: 0, max: 1_000_000 }),
    }),
  }),
  unopened: fc.record({
    name: fc.constant('unopened' as const),
    sequence,
    body: fc.record({ commandId: fc.uuid(), sealingKey: fc.constant('Ab_-'.repeat(32)) }),
  }),
  observations: fc.record({
    name: fc.constant('observations' as const),
    sequence,
    body: fc.record({
      kind: fc.constantFrom('rules' as const, 'monitors' as const),
      revision: fc.integer({ min: 0, max: 1_000_000 }),
      items: fc.array(
        fc.record({
          id: name(100),
          at: fc.integer({ min: 0, max: 8_000_000_000_000 }),
          state: fc.constantFrom('ok' as const, 'degraded' as const, 'failed' as const, 'unknown' as const),
          rounds: fc.integer({ min: 0, max: 100 }),
          failed: fc.integer({ min: 0, max: 100 }),
          text: optional(word(500)),
        }),
        { maxLength: 10 },
      ),
    }),
  }),
  reply: fc.record({
    name: fc.constant('reply' as const),
    sequence,
    body: fc.record(
      {
        status: fc.constantFrom('completed' as const, 'failed' as const),
        result: plainMap,
        error: word(200),
        data: fc.uint8Array({ maxLength: 64 }).map((value) => Buffer.from(value)),
      },
      { requiredKeys: ['status'] },
    ),
  }),
  updateStatus: fc.record({
    name: fc.constant('updateStatus' as const),
    sequence,
    body: fc.record({
      version: name(64),
      state: fc.constantFrom('downloading' as const, 'refused' as const),
      error: optional(word(100)),
      reason: optional(fc.constantFrom(...updateReasons)),
      rolloutId: optional(id),
      fromVersion: optional(name(64)),
      barred: optional(fc.array(name(64), { maxLength: 5 })),
    }),
  }),
  refusal: fc.record({
    name: fc.constant('refusal' as const),
    sequence,
    body: fc.record({
      code: fc.constantFrom(...orderFaults),
      type: fc.integer({ min: 0, max: 127 }),
      commandId: optional(id),
      detail: optional(word(100)),
    }),
  }),
  watchdogStatus: fc.record({
    name: fc.constant('watchdogStatus' as const),
    sequence,
    body: fc.record({
      agent: fc.constantFrom(...watchedStates),
      silentMs: optional(fc.integer({ min: 0, max: 1_000_000 })),
      version: optional(name(64)),
      restarts: optional(fc.nat()),
      error: optional(word(100)),
    }),
  }),
  watchdogKey: fc.record({
    name: fc.constant('watchdogKey' as const),
    sequence,
    body: fc.record({
      publicKey: fc
        .uint8Array({ minLength: 32, maxLength: 32 })
        .map((value) => Buffer.from(value).toString('base64url')),
    }),
  }),
}
const anyMessage = fc.oneof(...Object.values(messages))

function outcome(bytes: Uint8Array): UpMessage | WireError {
  try {
    return decodeUp(bytes)
  } catch (error) {
    if (error instanceof WireError) return error
    throw error
  }
}

describe('frames from agents', () => {
  test.each(Object.keys(messages))('decodes %s to what was encoded', (kind) => {
    fc.assert(
      fc.property(
        anyMessage.filter((message) => message.name === kind),
        (message) => {
          expect(decodeUp(encodeUp(message))).toEqual(message)
        },
      ),
      { numRuns: 60 },
    )
  })

  test('decodes a changed, cut or extended frame, or rejects it with WireError', () => {
    const edits = fc.array(fc.tuple(fc.nat(), fc.integer({ min: 0, max: 255 })), { minLength: 1, maxLength: 6 })
    fc.assert(
      fc.property(anyMessage, edits, fc.nat(), fc.uint8Array({ maxLength: 8 }), (message, changes, cut, tail) => {
        const frame = Uint8Array.from(encodeUp(message))
        for (const [at, byte] of changes) frame[at % frame.length] = byte
        outcome(frame)
        outcome(frame.subarray(0, cut % (frame.length + 1)))
        outcome(Uint8Array.from([...frame, ...tail]))
      }),
      { numRuns: 1500 },
    )
  })

  test('decodes random bytes or rejects them with WireError', () => {
    const header = fc.constantFrom([], [0x93, 33, 1], [0x93, 34, 1], [0x93, 36, 1], [0x93, 32, 0], [0x93, 41, 0])
    fc.assert(
      fc.property(header, fc.uint8Array({ maxLength: 200 }), (start, rest) => {
        outcome(Uint8Array.from([...start, ...rest]))
      }),
      { numRuns: 5000 },
    )
  })

  test.each([
    ['an array of four billion', [0xdd, 0xff, 0xff, 0xff, 0xff]],
    ['a map of four billion', [0xdf, 0xff, 0xff, 0xff, 0xff]],
    ['a text of four billion', [0x81, 0xa1, 0x61, 0xdb, 0xff, 0xff, 0xff, 0xff]],
    ['bytes of four billion', [0x81, 0xa1, 0x61, 0xc6, 0xff, 0xff, 0xff, 0xff]],
    ['an extension of four billion', [0x81, 0xa1, 0x61, 0xc9, 0xff, 0xff, 0xff, 0xff, 0x01]],
    ['containers nested too deep', [0x81, 0xa1, 0x61, ...Array<number>(9).fill(0x91), 0xc0]],
    ['a date', [0x81, 0xa1, 0x61, 0xd6, 0xff, 0, 0, 0, 0]],
    ['not a number', [0x81, 0xa1, 0x61, 0xcb, 0x7f, 0xf8, 0, 0, 0, 0, 0, 0]],
    ['an integer beyond 2^53', [0x81, 0xa1, 0x61, 0xcf, 0xff, 0, 0, 0, 0, 0, 0, 0]],
    ['a number as key', [0x81, 0x01, 0x01]],
    ['a key that reaches the prototype', [0x81, 0xa9, ...Buffer.from('__proto__'), 0x80]],
    ['a key with a control character', [0x81, 0xa1, 0x00, 0x01]],
    ['more than the body', [0x80, 0xc0]],
    ['the unused token', [0xc1]],
  ])('rejects %s as malformed without allocating it', (_, body) => {
    const before = process.memoryUsage().heapUsed
    const answer = outcome(Uint8Array.from([0x93, 36, 1, ...body]))
    expect(answer).toBeInstanceOf(WireError)
    expect(answer).toMatchObject({ fault: 'malformed', closeCode: 4000 })
    expect(process.memoryUsage().heapUsed - before).toBeLessThan(4 * 1024 * 1024)
  })

  test('rejects an array of too many values before building it', () => {
    const body = new Uint8Array(300_005).fill(0xc0)
    body.set([0xdd, 0x00, 0x04, 0x93, 0xe0])
    const frame = new Uint8Array(body.length + 3)
    frame.set([0x93, 34, 1])
    frame.set(body, 3)
    expect(outcome(frame)).toMatchObject({ fault: 'malformed' })
  })

  test('reports distinct faults for an unknown type, an oversized frame, and a missing or unexpected sequence', () => {
    expect(outcome(encodeFrame(4, 0, {}))).toMatchObject({ fault: 'unknownType', closeCode: 4001 })
    const padded = encodeFrame(33, 1, Array<string>(2).fill('x'.repeat(heartbeatFrameBytesMax)))
    expect(outcome(padded)).toMatchObject({ fault: 'tooLarge', closeCode: 4002 })
    expect(outcome(encodeFrame(33, 0, Array<number>(10).fill(1)))).toMatchObject({ fault: 'malformed' })
    expect(outcome(encodeFrame(32, 5, {}))).toMatchObject({ fault: 'malformed' })
  })

  test('replaces NUL and unpaired surrogates in texts', () => {
    const body = {
      commandId: '00000000-0000-4000-8000-000000000000',
      status: 'completed',
      durationMs: 1,
      stdout: 'a\0b',
    }
    expect(decodeUp(encodeFrame(36, 1, body)).body).toMatchObject({ stdout: 'a\uFFFDb' })
    const half = encodeFrame(36, 1, { ...body, stdout: 'abc' })
    const at = Buffer.from(half).indexOf('abc')
    half.set([0xed, 0xa0, 0x80], at)
    const message = decodeUp(half)
    expect(message.name === 'result' && message.body.stdout?.isWellFormed()).toBe(true)
  })

  test('drops unknown keys, so that a later version can add some', () => {
    const frame = encodeFrame(37, 9, { version: '2', state: 'refused', someday: 1 })
    expect(decodeUp(frame)).toEqual({ name: 'updateStatus', sequence: 9, body: { version: '2', state: 'refused' } })
  })

  test('never changes the prototype of objects when decoding a free map', () => {
    fc.assert(
      fc.property(fc.dictionary(fc.constantFrom('__proto__', 'constructor', 'prototype', 'a'), fc.integer()), (map) => {
        const body = {
          commandId: '00000000-0000-4000-8000-000000000000',
          status: 'completed',
          durationMs: 1,
          result: map,
        }
        outcome(encodeFrame(36, 1, body))
        expect(Object.keys(Object.prototype)).toEqual([])
        expect({}.constructor).toBe(Object)
      }),
    )
  })
})
