import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { type DownMessage, decodeDown, encodeDown } from './down.ts'
import { encodeFrame, WireError } from './frame.ts'
import { encodeAck } from './messages/ack.ts'

const id = '3f2b8c1e-5a6d-4e7f-8091-a2b3c4d5e6f7'
const examples: DownMessage[] = [
  {
    name: 'challenge',
    sequence: 0,
    body: { nonce: Buffer.alloc(32, 7), protocols: [1], serverTime: 1_700_000_000_000 },
  },
  {
    name: 'challenge',
    sequence: 0,
    body: { nonce: Buffer.alloc(32, 7), protocols: [1], serverTime: 1_700_000_000_000, tickets: true },
  },
  {
    name: 'welcome',
    sequence: 0,
    body: { protocol: 1, deviceId: id, heartbeatMs: 60_000, serverTime: 1_700_000_000_000, frameBytesMax: 1_048_576 },
  },
  { name: 'ack', sequence: 2 ** 40, body: undefined },
  {
    name: 'command',
    sequence: 0,
    body: {
      id,
      type: 'run_script',
      payload: { content: 'echo ü', list: [1, { a: null }] },
      timeoutMs: 1000,
      expiresAt: 5,
    },
  },
  { name: 'cancel', sequence: 0, body: { id } },
  {
    name: 'update',
    sequence: 0,
    body: { version: '1.2.3', url: 'https://a.example/x', sha256: 'a'.repeat(64), size: 12 },
  },
  {
    name: 'update',
    sequence: 0,
    body: {
      version: '1.2.3',
      url: 'https://a.example/x',
      sha256: 'a'.repeat(64),
      size: 12,
      metadataUrl: 'https://a.example/metadata',
      target: '1.2.3/linux-x64/muster-agent',
      rolloutId: '00000000-0000-4000-8000-000000000000',
      deadline: 1_700_000_000_000,
    },
  },
  { name: 'retry', sequence: 0, body: { afterMs: 1234, reason: 'restart' } },
  { name: 'error', sequence: 7, body: { code: 'malformed', message: 'no' } },
  { name: 'error', sequence: 0, body: { code: 'malformed', message: 'no' } },
  { name: 'certificate', sequence: 0, body: { certificate: 'a.b.c' } },
  { name: 'settings', sequence: 0, body: { autoUpdate: false } },
  { name: 'ticket', sequence: 0, body: { ticket: Buffer.of(1, 2, 3), secret: Buffer.alloc(32, 9) } },
  {
    name: 'request',
    sequence: 2 ** 47,
    body: { type: 'list_processes', payload: {}, timeoutMs: 5, data: Buffer.of(1) },
  },
]

describe('frames from the server', () => {
  test.each(examples)('$name decodes to what was encoded', (message) => {
    expect(decodeDown(encodeDown(message))).toEqual(message)
  })

  test('encodes an acknowledgment in three to eleven bytes without a body', () => {
    expect([...encodeAck(5)]).toEqual([0x92, 3, 5])
    expect(encodeAck(2 ** 48 - 1)).toHaveLength(11)
    expect(() => decodeDown(encodeFrame(3, 5, {}))).toThrow(WireError)
    expect(() => decodeDown(encodeFrame(2, 0))).toThrow(WireError)
  })

  test('decodes changed frames and random bytes, or rejects them with WireError', () => {
    const frames = fc.constantFrom(...examples.map((message) => encodeDown(message)))
    fc.assert(
      fc.property(
        frames,
        fc.array(fc.tuple(fc.nat(), fc.integer({ min: 0, max: 255 })), { maxLength: 5 }),
        (frame, edits) => {
          const changed = Uint8Array.from(frame)
          for (const [at, byte] of edits) changed[at % changed.length] = byte
          try {
            decodeDown(changed)
          } catch (error) {
            expect(error).toBeInstanceOf(WireError)
          }
        },
      ),
      { numRuns: 3000 },
    )
  })
})
