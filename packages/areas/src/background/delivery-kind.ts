// A kind of messages to endpoints outside, declared by the area that the endpoints belong to.
import type { Db } from '@muster/db/database.ts'
import type { JsonValue } from '@muster/db/json.ts'
import type { Stored } from './record.ts'
import type { WorkerParts } from './worker-parts.ts'

/** One message to one endpoint. */
export interface Delivery {
  readonly id: string
  readonly lane: string
  readonly key: string
  readonly partnerId: string
  readonly orgId: string | null
  readonly payload: JsonValue
  /** Counts the current try. */
  readonly tries: number
}

export interface Delivered {
  readonly delivered: true
  readonly status?: number | null
  /** The beginning of the answer. */
  readonly body?: string | null
}
export interface NotDelivered {
  readonly delivered: false
  readonly canceled?: false
  readonly error: string
  /** Another try would fail too. */
  readonly isFinal?: boolean
  readonly status?: number | null
  readonly body?: string | null
  /** The endpoint asked for no other message during this time. */
  readonly retryAfterMs?: number | null
}
/** Nothing was sent, because what the message says is no longer wanted. It does not count as a failure. */
interface Canceled {
  readonly delivered: false
  readonly canceled: true
  readonly error: string
  readonly status?: null
  readonly body?: null
}
export type SendResult = Delivered | NotDelivered | Canceled

/** A try that failed. */
export interface FailedTry {
  readonly delivery: Delivery
  readonly result: NotDelivered
  /** Failed tries of the lane in a row, and when the first of them began. */
  readonly failures: number
  readonly failingSinceMs: number
}

export interface EndedDelivery {
  readonly delivery: Delivery
  readonly status: 'succeeded' | 'failed'
  readonly error: string | null
}

export interface DeliveryKind {
  /** As in `kind` of its lanes. */
  readonly name: string
  /** How long to wait before each repetition. After the last one the delivery has failed, unless its lane sets a time: then the last is repeated. */
  readonly waitsMs: readonly number[]
  /** Of one try. */
  readonly timeoutMs: number
  /** A rejection counts as a failed try. */
  send(parts: WorkerParts, delivery: Delivery): Promise<SendResult>
  /** Runs in the transaction that stores failed tries. */
  failed?(db: Db, tries: readonly FailedTry[], parts: WorkerParts): Promise<Pick<Stored, 'events'>>
  /** Runs in the transaction that stores the end of deliveries. */
  ended?(db: Db, ended: readonly EndedDelivery[], parts: WorkerParts): Promise<Pick<Stored, 'events'>>
}

export const deliveryKind = (declared: DeliveryKind): DeliveryKind => declared
