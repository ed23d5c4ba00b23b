import { createHash, type KeyObject, sign, verify } from 'node:crypto'
import { type DownMessage, decodeDown } from './down.ts'
import { readHeader, WireError } from './frame.ts'
import { assignment } from './messages/assignment.ts'
import { cancel } from './messages/cancel.ts'
import { certificate } from './messages/certificate.ts'
import { command } from './messages/command.ts'
import type { Order } from './messages/order.ts'
import { request } from './messages/request.ts'
import { settings } from './messages/settings.ts'
import { update } from './messages/update.ts'

/*
 * Orders: frames with power over a machine are signed by admin or worker with a key that ingest never holds, for one
 * device, once, and for a short time. README.md specifies every byte; orders.test.ts holds test vectors.
 */

export {
  afterStatements,
  OrderKeyStatement,
  orderKeyId,
  orderKeyOf,
  type StatementPurpose,
  signOrderKeys,
  type TrustedOrderKeys,
} from '@muster/kit/secrets/order-keys.ts'

/** Frames that are allowed inside an order. Agents accept them only there, except the heartbeat interval of `settings`. */
export const orderedTypes: ReadonlySet<number> = new Set([
  command.type,
  cancel.type,
  update.type,
  certificate.type,
  settings.type,
  request.type,
  assignment.type,
])

/** The signed fields of an order, without its frame. */
export type OrderHead = Pick<Order, 'device' | 'run' | 'sequence' | 'issuedAt' | 'expiresAt'>

const orderPurpose = Buffer.from('muster-order-1\0')
const rootPurpose = Buffer.from('muster-orders-1\0')
const hashBytes = 32
const stepBytes = 1 + hashBytes
const leafMark = Buffer.of(0)
const nodeMark = Buffer.of(1)
const deviceAt = orderPurpose.length
const runAt = deviceAt + 16
const typeAt = runAt + 4 * 6
const hashAt = typeAt + 1
const orderBytesLength = hashAt + hashBytes

const sha256 = (...parts: readonly Uint8Array[]): Buffer => {
  const hash = createHash('sha256')
  for (const part of parts) hash.update(part)
  return hash.digest()
}

/** The signed bytes of an order: see README.md. @param frame the complete inner frame */
export function orderBytes({ device, run, sequence, issuedAt, expiresAt }: OrderHead, frame: Uint8Array): Buffer {
  const bytes = Buffer.alloc(orderBytesLength)
  bytes.set(orderPurpose)
  bytes.write(device.replaceAll('-', ''), deviceAt, 16, 'hex')
  for (const [index, value] of [run, sequence, issuedAt, expiresAt].entries())
    bytes.writeUIntBE(value, runAt + index * 6, 6)
  bytes[typeAt] = readHeader(frame).type
  bytes.set(sha256(frame), hashAt)
  return bytes
}

/** The leaf hash of an order in the signature tree. */
const leafOf = (head: OrderHead, frame: Uint8Array): Buffer => sha256(leafMark, orderBytes(head, frame))

/** Signature and path of an order. */
export type OrderProof = Pick<Order, 'signature' | 'path'>

/** Signs orders together: one signature over the root of a tree of their hashes. A single order is its own root. */
export function signOrders(orders: readonly { head: OrderHead; frame: Uint8Array }[], key: KeyObject): OrderProof[] {
  if (orders.length === 0) return []
  const { root, paths } = treeOf(orders.map(({ head, frame }) => leafOf(head, frame)))
  const signature = sign(null, Buffer.concat([rootPurpose, root]), key)
  return paths.map((steps) => ({ signature, ...(steps.length > 0 && { path: Buffer.concat(steps) }) }))
}

interface Tree {
  root: Buffer
  /** For each leaf the steps to the root: the side of the sibling hash (0 left, 1 right), and that hash. */
  paths: Buffer[][]
}

function treeOf(leaves: readonly Buffer[]): Tree {
  const paths: Buffer[][] = leaves.map(() => [])
  let level = leaves
  for (let width = 1; level.length > 1; width *= 2) {
    const above: Buffer[] = []
    for (let index = 0; index < level.length; index += 2) {
      const [left, right] = [level[index], level[index + 1]]
      if (left === undefined) break
      // A node without a neighbor moves up unchanged.
      if (right === undefined) above.push(left)
      else {
        addStep(paths, index * width, width, Buffer.concat([Buffer.of(1), right]))
        addStep(paths, (index + 1) * width, width, Buffer.concat([Buffer.of(0), left]))
        above.push(sha256(nodeMark, left, right))
      }
    }
    level = above
  }
  return { root: level[0] ?? Buffer.alloc(hashBytes), paths }
}

function addStep(paths: Buffer[][], from: number, count: number, step: Buffer): void {
  for (const path of paths.slice(from, from + count)) path.push(step)
}

/** Whether the key signed the order. */
export function isSignedBy(order: Order, key: KeyObject): boolean {
  const { path = new Uint8Array(0), frame, signature } = order
  if (path.length % stepBytes !== 0) return false
  let root = leafOf(order, frame)
  for (let at = 0; at < path.length; at += stepBytes) {
    const other = path.subarray(at + 1, at + stepBytes)
    const side = path[at]
    if (side !== 0 && side !== 1) return false
    root = side === 0 ? sha256(nodeMark, other, root) : sha256(nodeMark, root, other)
  }
  return verify(null, Buffer.concat([rootPurpose, root]), key, signature)
}

/** The message inside an order. Does not verify the signature. @throws WireError also when its type is not allowed there */
export function messageIn({ frame }: Pick<Order, 'frame'>): DownMessage {
  const { type } = readHeader(frame)
  if (!orderedTypes.has(type)) throw new WireError('unknownType', `A frame of type ${type} is not allowed in an order`)
  return decodeDown(frame)
}
