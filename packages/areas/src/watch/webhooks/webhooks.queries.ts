import { never } from '@muster/db/conditions.ts'
import type { Db } from '@muster/db/database.ts'
import type { Caller } from '@muster/kit/access.ts'
import { notFound } from '@muster/kit/errors.ts'
import { isLimited, requireWholeOwner, within } from '../../tenancy/tenancy/index.ts'
import { Webhook } from './webhooks.contract.ts'

export const laneOf = (webhookId: string): string => `webhook:${webhookId}`
export const webhookOf = (lane: string): string => lane.slice(laneOf('').length)

export const columns = [
  'id',
  'partnerId',
  'orgId',
  'name',
  'url',
  'events',
  'filter',
  'headerNames',
  'status',
  'disabledReason',
  'concurrency',
  'createdAt',
  'updatedAt',
] as const

/**
 * Webhooks of organizations within reach, and those of the partner for callers who reach all of it, because deliveries
 * contain the events of all organizations. Members limited to sites or groups see none.
 */
export const readable = (caller: Caller) => (isLimited(caller) ? never : within(caller, 'orgId', 'partnerId'))

export async function webhookById(db: Db, caller: Caller, id: string): Promise<Webhook> {
  const found = await db
    .selectFrom('webhooks')
    .select(columns)
    .where('id', '=', id)
    .where(readable(caller))
    .executeTakeFirst()
  if (found === undefined) throw notFound('Webhook')
  return Webhook.parse(found)
}

/** For changes: the webhook, if the caller may change what it belongs to. */
export async function changeableWebhook(db: Db, caller: Caller, id: string): Promise<Webhook> {
  const webhook = await webhookById(db, caller, id)
  requireWholeOwner(caller, webhook, 'webhook')
  return webhook
}
