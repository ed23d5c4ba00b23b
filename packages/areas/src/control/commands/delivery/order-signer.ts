// The only place that signs orders. An order controls a machine: it is valid for one device, once, for some minutes. Ingest and
// Redis forward orders and cannot create them.

import { randomInt } from 'node:crypto'
import { deviceOfField } from '@muster/backplane/presence.ts'
import type { DeliveryOrder } from '@muster/backplane/routing.ts'
import { type Keyring, orderKeysOf } from '@muster/kit/secrets/keyring.ts'
import { orderKeyId } from '@muster/kit/secrets/order-keys.ts'
import { newestOf, privateKeyOf } from '@muster/kit/secrets/signing-keys.ts'
import { type DownMessage, encodeDown } from '@muster/wire/down.ts'
import { WireError } from '@muster/wire/frame.ts'
import { bootIdMax, orderedFrameBytesMax } from '@muster/wire/limits.ts'
import { signOrders } from '@muster/wire/orders.ts'
import { service } from '../../../services.ts'

/** An order arrives within milliseconds; the rest allows for clocks that differ and for slow sockets. */
const lifeMs = 10 * 60_000
/** Orders that share a signature: each has the path to it, of ten steps. */
const ordersPerSignature = 1_024

/** Messages that are sent as orders. */
type Ordered = Extract<
  DownMessage,
  { name: 'command' | 'cancel' | 'update' | 'certificate' | 'request' | 'assignment' | 'settings' }
>

interface Addressed {
  /** The device, or the presence field of its watchdog. */
  readonly deviceId: string
  readonly frame: Uint8Array
  /** How long the order is valid, if shorter than usual. */
  readonly lifeMs?: number
}

/** An order before it is signed. */
export type Instruction = Addressed &
  (
    | { readonly kind: 'frame'; readonly commandId?: string }
    | { readonly kind: 'request'; readonly number: number; readonly replyTo: string }
  )

/** The frame of a message that is sent as an order. @throws WireError if it is too large */
export function frameToOrder(message: Ordered): Uint8Array {
  const frame = encodeDown(message)
  if (frame.length > orderedFrameBytesMax) throw new WireError('tooLarge', 'The frame leaves no room for its signature')
  return frame
}

/** Signs the orders of one process. */
export class OrderSigner {
  readonly #key
  readonly #keyId: string
  readonly #run = randomInt(1, bootIdMax)
  #sequence = 0

  /** @throws if the key file has no key for orders */
  constructor(keyring: Keyring) {
    const newest = newestOf(orderKeysOf(keyring).orders)
    this.#key = privateKeyOf(newest)
    this.#keyId = orderKeyId(newest.x)
  }

  /** The instructions as orders for the nodes, in the same sequence. */
  orders(instructions: readonly Instruction[]): DeliveryOrder[] {
    const orders: DeliveryOrder[] = []
    for (let start = 0; start < instructions.length; start += ordersPerSignature)
      orders.push(...this.#signed(instructions.slice(start, start + ordersPerSignature)))
    return orders
  }

  /** One instruction as an order. */
  order(instruction: Instruction): DeliveryOrder {
    const [order] = this.#signed([instruction])
    if (order === undefined) throw new Error('One instruction makes one order')
    return order
  }

  #signed(instructions: readonly Instruction[]): DeliveryOrder[] {
    const issuedAt = Date.now()
    const unsigned = instructions.map(({ deviceId, frame, lifeMs: life = lifeMs }) => ({
      frame,
      head: {
        device: deviceOfField(deviceId),
        run: this.#run,
        sequence: ++this.#sequence,
        issuedAt,
        expiresAt: issuedAt + Math.min(life, lifeMs),
      },
    }))
    const proofs = signOrders(unsigned, this.#key)
    return instructions.map((instruction, index): DeliveryOrder => {
      const [made, proof] = [unsigned[index], proofs[index]]
      if (made === undefined || proof === undefined) throw new Error('Every order is signed')
      const body = { ...made.head, key: this.#keyId, ...proof, frame: made.frame }
      const bytes = encodeDown({ name: 'order', sequence: 0, body })
      const { deviceId } = instruction
      if (instruction.kind === 'request') {
        const { number, replyTo } = instruction
        return { kind: 'request', deviceId, bytes, number, replyTo }
      }
      const { commandId } = instruction
      return { kind: 'frame', deviceId, bytes, ...(commandId !== undefined && { commandId }) }
    })
  }
}

export const signerOf = service(({ keyring }) => new OrderSigner(keyring))

const ofWorkers = new WeakMap<Keyring, OrderSigner>()

/** The signer of a worker: one for its key file. */
export function workerSignerOf({ keyring }: { readonly keyring: Keyring }): OrderSigner {
  const signer = ofWorkers.get(keyring) ?? new OrderSigner(keyring)
  ofWorkers.set(keyring, signer)
  return signer
}
