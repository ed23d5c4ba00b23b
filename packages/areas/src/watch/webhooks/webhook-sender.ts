import { asSystem, type Db } from '@muster/db/database.ts'
import type { OutgoingConnections } from '@muster/kit/network/outgoing.ts'
import type { Keyring } from '@muster/kit/secrets/keyring.ts'
import { z } from 'zod'
import { deliveryKind, type FailedTry, type SendResult } from '../../background/delivery-kind.ts'
import { type WorkerParts, workerPart } from '../../background/worker-parts.ts'
import { postJson, signedHeaders, workerConnections } from '../../platform/deliveries/index.ts'
import { disableWebhooks, isUseless } from './disabling.ts'
import { openSecrets } from './secrets.ts'
import { webhookOf } from './webhooks.queries.ts'

const seconds = 1_000
const minutes = 60 * seconds
const hours = 60 * minutes
/** After each failed try; ten percent more or less. */
const waitsMs = [
  5 * seconds,
  1 * minutes,
  5 * minutes,
  30 * minutes,
  2 * hours,
  5 * hours,
  10 * hours,
  14 * hours,
  20 * hours,
  24 * hours,
]
const timeoutMs = 15 * seconds
const gone = 410

/** The body of a request to a webhook. */
export const WebhookBody = z.object({
  id: z.string(),
  type: z.string(),
  timestamp: z.string(),
  orgId: z.string().nullable(),
  data: z.record(z.string(), z.json()),
})
export type WebhookBody = z.infer<typeof WebhookBody>

export interface Endpoint {
  readonly url: string
  readonly secrets: readonly string[]
  readonly headers: Readonly<Record<string, string>>
}

export async function endpointOf(db: Db, keyring: Keyring, id: string, nowMs: number): Promise<Endpoint | null> {
  const row = await db
    .selectFrom('webhooks')
    .select(['id', 'url', 'secret', 'previousSecret', 'previousUntil', 'headers'])
    .where('id', '=', id)
    .executeTakeFirst()
  return row === undefined ? null : { url: row.url, ...openSecrets(keyring, row, nowMs) }
}

/** Sends a body that is the same for each try, with a new timestamp and signature. */
export function postEvent(
  connections: OutgoingConnections,
  lane: string,
  { url, secrets, headers }: Endpoint,
  event: WebhookBody,
): Promise<SendResult> {
  const body = JSON.stringify(event)
  const signed = signedHeaders({ id: event.id, atMs: Date.now(), body }, secrets)
  const isFinal = (status: number) => status === gone
  return postJson(connections, lane, url, { body, headers: { ...headers, ...signed }, timeoutMs, isFinal })
}

const rememberedMs = 1_000
const endpointsOf = workerPart(
  () => new Map<string, { readonly untilMs: number; readonly endpoint: Promise<Endpoint | null> }>(),
)

/** Read once per second, because busy webhooks are sent to often. */
function knownEndpoint(parts: WorkerParts, id: string): Promise<Endpoint | null> {
  const known = endpointsOf(parts)
  const now = Date.now()
  const found = known.get(id)
  if (found !== undefined && found.untilMs > now) return found.endpoint
  for (const [old, { untilMs }] of known) if (untilMs <= now) known.delete(old)
  const endpoint = asSystem(parts.pool, (db) => endpointOf(db, parts.keyring, id, now))
  endpoint.catch(() => known.delete(id))
  known.set(id, { untilMs: now + rememberedMs, endpoint })
  return endpoint
}

export const webhookDeliveries = deliveryKind({
  name: 'webhook',
  waitsMs,
  timeoutMs,
  async send(parts, { lane, payload }) {
    const endpoint = await knownEndpoint(parts, webhookOf(lane))
    if (endpoint === null) return { delivered: false, error: 'The webhook was deleted', isFinal: true }
    return postEvent(workerConnections(parts), lane, endpoint, WebhookBody.parse(payload))
  },
  async failed(db, tries, parts) {
    const reasons = new Map<string, string>()
    for (const each of tries) {
      const reason = reasonToDisable(each)
      if (reason !== null) reasons.set(webhookOf(each.delivery.lane), reason)
    }
    return { events: await disableWebhooks(db, reasons, parts.settings.publicUrl) }
  },
})

function reasonToDisable({ result, failures, failingSinceMs }: FailedTry): string | null {
  if (result.status === gone) return 'The endpoint answered 410 Gone'
  return isUseless(failures, failingSinceMs, Date.now())
    ? `The endpoint has not accepted a request for three days: ${result.error}`
    : null
}
