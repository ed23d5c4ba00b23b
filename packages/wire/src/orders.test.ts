import { createHash, createPrivateKey, generateKeyPairSync } from 'node:crypto'
import { signOrderKeys } from '@muster/kit/secrets/order-keys.ts'
import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { decodeDown, encodeDown } from './down.ts'
import type { Order } from './messages/order.ts'
import {
  afterStatements,
  isSignedBy,
  type OrderHead,
  orderBytes,
  orderedTypes,
  orderKeyId,
  orderKeyOf,
  signOrders,
} from './orders.ts'

const device = '3f2b8c1e-5a6d-4e7f-8091-a2b3c4d5e6f7'
const counting = Buffer.from(Array.from({ length: 32 }, (_, index) => index))
const privateKey = createPrivateKey({
  key: Buffer.concat([Buffer.from('302e020100300506032b657004220420', 'hex'), counting]),
  format: 'der',
  type: 'pkcs8',
})
const x = 'A6EHv_POEL4dcN0Y50vAmWfk1jCbpQ1fHdyGZBJVMbg'
const publicKey = orderKeyOf(x)
const head: OrderHead = { device, run: 1, sequence: 2, issuedAt: 1_700_000_000_000, expiresAt: 1_700_000_600_000 }
const cancel = encodeDown({ name: 'cancel', sequence: 0, body: { id: device } })

const ordersOf = (list: readonly { head: OrderHead; frame: Uint8Array }[]): Order[] => {
  const proofs = signOrders(list, privateKey)
  return list.map(({ head: said, frame }, index) => ({
    ...said,
    key: orderKeyId(x),
    frame,
    signature: proofs[index]?.signature ?? new Uint8Array(64),
    ...(proofs[index]?.path && { path: proofs[index].path }),
  }))
}
const [alone] = ordersOf([{ head, frame: cancel }])
if (alone === undefined) throw new Error('signOrders returned no order')

describe('an order', () => {
  test('decodes to what was encoded, with a valid signature', () => {
    const message = decodeDown(encodeDown({ name: 'order', sequence: 0, body: alone }))
    if (message.name !== 'order') throw new Error('Not an order')
    expect({ ...message.body, frame: Buffer.from(message.body.frame), signature: null }).toEqual({
      ...alone,
      frame: Buffer.from(cancel),
      signature: null,
    })
    expect(isSignedBy(message.body, publicKey)).toBe(true)
  })

  test('is signed as 88 bytes: device, run, sequence, times, and the type and hash of its frame', () => {
    const bytes = orderBytes(head, cancel)
    expect(bytes.subarray(0, 15).toString()).toBe('muster-order-1\0')
    expect(bytes.toString('hex', 15)).toBe(
      [
        device.replaceAll('-', ''),
        '000000000001',
        '000000000002',
        '018bcfe56800',
        '018bcfee8fc0',
        '05',
        createHash('sha256').update(cancel).digest('hex'),
      ].join(''),
    )
    expect(bytes).toHaveLength(88)
  })

  test.each<[string, Partial<Order>]>([
    ['for another device', { device: '3f2b8c1e-5a6d-4e7f-8091-a2b3c4d5e6f8' }],
    ['of another run', { run: 3 }],
    ['with another number', { sequence: 3 }],
    ['issued at another time', { issuedAt: head.issuedAt + 1 }],
    ['that expires later', { expiresAt: head.expiresAt + 1 }],
    ['with another frame', { frame: encodeDown({ name: 'cancel', sequence: 1, body: { id: device } }) }],
    ['with a path that it was not signed with', { path: Buffer.alloc(33, 1) }],
    ['with a path that is no path', { path: Buffer.alloc(32, 1) }],
  ])('%s has an invalid signature', (_what, changes) => {
    expect(isSignedBy({ ...alone, ...changes }, publicKey)).toBe(false)
  })

  test('fails verification with another key', () => {
    expect(isSignedBy(alone, generateKeyPairSync('ed25519').publicKey)).toBe(false)
  })

  test('that shares a signature verifies alone, and not with parts of another', () => {
    fc.assert(
      fc.property(fc.integer({ min: 1, max: 70 }), fc.nat(), (count, choice) => {
        const orders = ordersOf(
          Array.from({ length: count }, (_, index) => ({ head: { ...head, sequence: index + 1 }, frame: cancel })),
        )
        const chosen = orders[choice % count]
        if (chosen === undefined) throw new Error('The list is empty')
        for (const order of orders) expect(isSignedBy(order, publicKey)).toBe(true)
        const swapped = orders.filter((order) => order !== chosen).map((order) => ({ ...order, path: chosen.path }))
        for (const order of swapped) expect(isSignedBy(order, publicKey)).toBe(false)
        expect(isSignedBy({ ...chosen, sequence: count + 1 }, publicKey)).toBe(false)
      }),
      { numRuns: 60 },
    )
  })

  test('with any byte changed is refused, or is the same order', () => {
    const frame = encodeDown({ name: 'order', sequence: 0, body: alone })
    fc.assert(
      fc.property(fc.nat({ max: frame.length - 1 }), fc.integer({ min: 1, max: 255 }), (at, flip) => {
        const changed = Uint8Array.from(frame)
        changed[at] = (changed[at] ?? 0) ^ flip
        let message: ReturnType<typeof decodeDown> | undefined
        try {
          message = decodeDown(changed)
        } catch {
          return
        }
        // The key ID is not part of the signed bytes: the verifier looks up that key.
        if (message.name !== 'order' || message.body.key !== alone.key) return
        expect(isSignedBy(message.body, publicKey)).toBe(false)
      }),
      { numRuns: 2000 },
    )
  })

  test('carries only the frames with power over a machine, never another order or a handshake message', () => {
    expect([...orderedTypes].toSorted((one, other) => one - other)).toEqual([4, 5, 6, 9, 10, 11, 15])
  })
})

describe('statements of order keys', () => {
  const pair = () => {
    const { publicKey: made, privateKey: key } = generateKeyPairSync('ed25519')
    return { x: String(made.export({ format: 'jwk' }).x), key }
  }
  const [first, second, third, stranger] = [pair(), pair(), pair(), pair()]
  const trusted = { serial: 1, keys: [first.x] }
  const added = signOrderKeys({ serial: 2, keys: [second.x, first.x] }, first)
  const retired = signOrderKeys({ serial: 3, keys: [second.x] }, second)

  test('lead from one set of keys to the next, in any order of arrival', () => {
    expect(afterStatements(trusted, [retired, added])).toEqual({ serial: 3, keys: [second.x] })
    expect(afterStatements(trusted, [added])).toEqual({ serial: 2, keys: [second.x, first.x] })
  })

  test.each([
    ['signed by a key that is not trusted', signOrderKeys({ serial: 2, keys: [stranger.x] }, stranger)],
    ['that names a trusted key but is not signed by it', { ...added, keys: [stranger.x] }],
    ['that skips one', retired],
    ['with the number of the present one', signOrderKeys({ serial: 1, keys: [third.x] }, first)],
  ])('are ignored when %s', (_what, statement) => {
    expect(afterStatements(trusted, [statement])).toEqual(trusted)
  })

  test('are ignored when a removed key signed them', () => {
    const now = afterStatements(trusted, [added, retired])
    expect(afterStatements(now, [signOrderKeys({ serial: 4, keys: [stranger.x] }, first)])).toEqual(now)
  })
})
