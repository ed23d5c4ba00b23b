import type { Db } from '@muster/db/database.ts'
import { paged } from '@muster/db/page.ts'
import { conflict, notFound, requireInOrder } from '@muster/kit/errors.ts'
import { sql } from 'kysely'
import { implement } from '../../operation.ts'
import { repeatDeliveries } from '../../platform/deliveries/index.ts'
import { requireWorkingOrganization } from '../../tenancy/tenancy/index.ts'
import { deliveries as contract, WebhookDelivery } from './deliveries.contract.ts'
import type { Webhook } from './webhooks.contract.ts'
import { changeableWebhook, laneOf, webhookById } from './webhooks.queries.ts'

const eventType = sql<string>`payload ->> 'type'`

const deliveriesOf = (db: Db, webhookId: string) =>
  db.selectFrom('deliveries').where('lane', '=', laneOf(webhookId)).where('status', '!=', 'canceled')

const selected = (query: ReturnType<typeof deliveriesOf>) =>
  query
    .select(['id', 'key as eventId', 'status', 'attempts', 'createdAt'])
    .select(eventType.as('eventType'))
    .select(sql<string | null>`CASE WHEN status = 'pending' THEN next_attempt_at END`.as('nextAttemptAt'))

function requireActive({ status }: Webhook): void {
  if (status === 'disabled') throw conflict('The webhook is disabled. Enable it first')
}

export default implement(contract, {
  async list({ caller, db, input: { id, page, limit, status, eventType: type } }) {
    await webhookById(db, caller, id)
    const found = deliveriesOf(db, id)
      .$if(status !== undefined, (query) => query.where('status', '=', status ?? 'failed'))
      .$if(type !== undefined, (query) => query.where(eventType, '=', type ?? ''))
    const { data, pagination } = await paged(selected(found).orderBy('createdAt', 'desc').orderBy('id'), {
      page,
      limit,
    })
    return { data: data.map((row) => WebhookDelivery.parse(row)), pagination }
  },

  async retry({ caller, db, input: { id, deliveryId }, audit }) {
    const webhook = await changeableWebhook(db, caller, id)
    await requireWorkingOrganization(db, caller, webhook.orgId)
    const delivery = () => selected(deliveriesOf(db, id).where('id', '=', deliveryId)).executeTakeFirst()
    const before = await delivery()
    if (before === undefined) throw notFound('Delivery')
    requireActive(webhook)
    const repeated = await repeatDeliveries(db, { lane: laneOf(id), id: deliveryId })
    if (repeated === 0) throw conflict('The delivery has not ended yet')
    const { orgId, partnerId, name } = webhook
    audit({ target: id, name, orgId, partnerId, details: { deliveryId, eventType: before.eventType } })
    return WebhookDelivery.parse(await delivery())
  },

  async replay({ caller, db, input: { id, from, to, status }, audit }) {
    const webhook = await changeableWebhook(db, caller, id)
    requireInOrder({ from, to })
    await requireWorkingOrganization(db, caller, webhook.orgId)
    requireActive(webhook)
    const queued = await repeatDeliveries(db, { lane: laneOf(id), from, to, status })
    const { orgId, partnerId, name } = webhook
    audit({ target: id, name, orgId, partnerId, details: { from, to: to ?? null, status, queued } })
    return { queued }
  },
})
