// What kinds of orders of deployments have in common.
import type { Db } from '@muster/db/database.ts'
import type { Caller } from '@muster/kit/access.ts'

/** Who makes the work of an order, and for whose devices. */
export interface Ordering {
  readonly db: Db
  readonly caller: Caller
  readonly owner: { readonly partnerId: string; readonly orgId: string | null }
}

/** A device that does not get the order now. */
export interface LeftDevice {
  readonly deviceId: string
  readonly status: 'held' | 'skipped' | 'failed' | 'succeeded'
  readonly reason: string
  readonly error: string | null
}
