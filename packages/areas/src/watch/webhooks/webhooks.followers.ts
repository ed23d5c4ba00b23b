import { handleOn } from '@muster/db/database.ts'
import type pg from 'pg'
import { follower } from '../../background/follower.ts'
import { deliverNow, enqueue } from '../../platform/deliveries/index.ts'
import type { StoredEvent } from '../../platform/events/event-type.contract.ts'
import { WebhookBody } from './webhook-sender.ts'
import { laneOf } from './webhooks.queries.ts'

const batchMax = 500

// An event leaves only to webhooks of its partner and, for webhooks of an organization, only of its organization.
const receivers = {
  name: 'webhooks-of-events',
  text: `SELECT w.id AS "webhookId", e.id AS "eventId"
    FROM unnest($1::uuid[], $2::text[], $3::uuid[], $4::uuid[], $5::text[]) AS e(id, type, partner_id, org_id, severity)
    JOIN webhooks w ON w.partner_id = e.partner_id AND w.status = 'active'
      AND (w.org_id IS NULL OR w.org_id = e.org_id)
      AND w.events && ARRAY['*', e.type, split_part(e.type, '.', 1) || '.*']
      AND (coalesce(w.filter -> 'orgIds', '[]') = '[]' OR w.filter -> 'orgIds' ? e.org_id::text)
      AND (e.severity IS NULL OR coalesce(w.filter -> 'severities', '[]') = '[]' OR w.filter -> 'severities' ? e.severity)`,
}

interface Receiver {
  readonly webhookId: string
  readonly eventId: string
}

/** Queues events for the webhooks that subscribed to them. */
export const webhookFollower = follower({
  name: 'webhooks',
  types: 'all',
  batchMax,
  async handle(client, events) {
    const byId = new Map(events.map((event) => [event.id, event]))
    const messages = (await receiversOf(client, events)).flatMap(({ webhookId, eventId }) => {
      const event = byId.get(eventId)
      return event === undefined ? [] : [{ lane: laneOf(webhookId), key: eventId, payload: bodyOf(event) }]
    })
    const queued = await enqueue(handleOn(client), messages)
    return queued > 0 ? { afterCommit: deliverNow } : {}
  },
})

async function receiversOf(client: pg.PoolClient, events: readonly StoredEvent[]): Promise<Receiver[]> {
  const { rows } = await client.query<Receiver>({
    ...receivers,
    values: [
      events.map(({ id }) => id),
      events.map(({ type }) => type),
      events.map(({ partnerId }) => partnerId),
      events.map(({ orgId }) => orgId),
      events.map(({ data: { severity } }) => (typeof severity === 'string' ? severity : null)),
    ],
  })
  return rows
}

function bodyOf({ id, type, at, orgId, siteId, deviceId, data }: StoredEvent): WebhookBody {
  const place = { ...(siteId === null ? {} : { siteId }), ...(deviceId === null ? {} : { deviceId }) }
  const timestamp = new Date(at).toISOString()
  return WebhookBody.parse({ id, type, timestamp, orgId, data: { ...place, ...data } })
}
