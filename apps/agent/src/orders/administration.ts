import { OrderKeyStatement } from '@muster/wire/orders.ts'
import { z } from 'zod'
import { post } from '../enroll.ts'
import { Trusted } from './order-keys.ts'

const Stated = Trusted.extend({ statements: z.array(OrderKeyStatement) })
/** Servers that predate grants of scripts send no keys of them. */
const Answer = Stated.extend({ serverTime: z.number(), grantKeys: Stated.optional() })
export type OrderKeysAnswer = z.infer<typeof Answer>
export type GrantKeysAnswer = z.infer<typeof Stated>

/** Asks the administration server, not ingest, for the keys of orders and grants, and the time. @throws without an answer */
export async function askForOrderKeys(server: string, certificate: string): Promise<OrderKeysAnswer> {
  const body = JSON.stringify({ certificate })
  const { status, text } = await post(`${server}/api/v1/agents/order-keys`, body, new AbortController().signal)
  if (status !== 200) throw new Error(`${server} answered ${status}`)
  return Answer.parse(JSON.parse(text))
}
