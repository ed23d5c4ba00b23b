import type { Call } from '../../../operation.ts'
import { requestKeyOf } from './request-key.ts'
import { type CommandOrder, type OrderInput, validateOrder } from './validate-order.ts'

type Asked = OrderInput & { readonly idempotencyKey?: string | undefined }

/** The order that a request asks for. @throws as `validateOrder` */
export function orderFor({ caller, services }: Call, { idempotencyKey, ...asked }: Asked): CommandOrder {
  const order = validateOrder(caller, asked, services.clock.now())
  return idempotencyKey === undefined ? order : { ...order, requestKey: requestKeyOf(caller, idempotencyKey) }
}
