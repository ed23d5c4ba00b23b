import { z } from 'zod'
import { smallFrameBytesMax } from '../limits.ts'
import { defineMessage } from '../message.ts'
import { id, text } from '../scalars.ts'

/** Why an agent refuses an order. README.md explains each reason. */
export const orderFaults = [
  'ORDER_UNSIGNED',
  'ORDER_MALFORMED',
  'ORDER_FOREIGN',
  'ORDER_KEY_UNKNOWN',
  'ORDER_SIGNATURE_INVALID',
  'ORDER_EXPIRED',
  'ORDER_REPLAYED',
] as const
export type OrderFault = (typeof orderFaults)[number]

export const OrderRefusal = z.object({
  code: z.enum(orderFaults),
  /** The type of the refused frame. */
  type: z.int().min(0).max(127),
  /** Set for a command. */
  commandId: id.optional(),
  detail: text(500).optional(),
})
export type OrderRefusal = z.infer<typeof OrderRefusal>

export const refusal = defineMessage({
  name: 'refusal',
  type: 42,
  meaning: 'The agent refused a frame that it received, and why.',
  sequenced: true,
  bytesMax: smallFrameBytesMax,
  body: OrderRefusal,
})
