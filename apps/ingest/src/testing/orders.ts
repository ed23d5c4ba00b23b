import { generateKeyPairSync } from 'node:crypto'
import { encodeDown } from '@muster/wire/down.ts'
import { signOrders } from '@muster/wire/orders.ts'

const { privateKey } = generateKeyPairSync('ed25519')
let sequence = 0

/** A frame inside an order for a device. Ingest does not check the signature. */
export function orderFrame(device: string, frame: Uint8Array): Uint8Array {
  const issuedAt = Date.now()
  const head = { device, run: 1, sequence: ++sequence, issuedAt, expiresAt: issuedAt + 600_000 }
  const [proof] = signOrders([{ head, frame }], privateKey)
  if (proof === undefined) throw new Error('signOrders returned no proof')
  return encodeDown({ name: 'order', sequence: 0, body: { ...head, ...proof, key: 'test', frame } })
}
