import { z } from 'zod'
import {
  bootIdMax,
  frameBytesMax,
  orderedFrameBytesMax,
  orderPathBytesMax,
  sequenceMax,
  signatureBytes,
} from '../limits.ts'
import { defineMessage } from '../message.ts'
import { bytes, bytesUpTo, id, text, time } from '../scalars.ts'

export const Order = z.object({
  /** The device that the order is for. */
  device: id,
  /** Drawn at random by each process that signs; `sequence` counts within it. No pair occurs twice. */
  run: z.int().min(1).max(bootIdMax),
  sequence: z.int().min(1).max(sequenceMax),
  issuedAt: time,
  expiresAt: time,
  /** Id of the key that signed. */
  key: text(64).min(1),
  signature: bytes(signatureBytes),
  /** From this order up to the signed root, when several orders share a signature. */
  path: bytesUpTo(orderPathBytesMax).optional(),
  /** A complete frame of one of the types that need a signature. */
  frame: bytesUpTo(orderedFrameBytesMax),
})
export type Order = z.infer<typeof Order>

export const order = defineMessage({
  name: 'order',
  type: 13,
  meaning: 'Execute this frame if the signature is valid for this device and it was not executed before.',
  sequenced: false,
  bytesMax: frameBytesMax,
  body: Order,
})
