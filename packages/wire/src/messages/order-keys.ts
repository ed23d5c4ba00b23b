import { OrderKeyStatement, orderStatementsMax } from '@muster/kit/secrets/order-keys.ts'
import { z } from 'zod'
import { smallFrameBytesMax } from '../limits.ts'
import { defineMessage } from '../message.ts'

export const OrderKeys = z.object({ statements: z.array(OrderKeyStatement).min(1).max(orderStatementsMax) })
export type OrderKeys = z.infer<typeof OrderKeys>

export const orderKeys = defineMessage({
  name: 'orderKeys',
  type: 14,
  meaning: 'New keys that sign orders; each statement is signed by a key of the previous one.',
  sequenced: false,
  bytesMax: smallFrameBytesMax,
  body: OrderKeys,
})
