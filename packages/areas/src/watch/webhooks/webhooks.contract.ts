import {
  can,
  changes,
  create,
  del,
  get,
  id,
  nameText,
  noStepUp,
  page,
  pageOf,
  patch,
  post,
  success,
  time,
} from '@muster/kit/contract.ts'
import { z } from 'zod'
import { eventTypes } from '../../events.contract.ts'
import { Severity } from '../../platform/events/severity.contract.ts'
import { Attempt } from './deliveries.contract.ts'

const groupOf = (type: string) => `${type.slice(0, type.indexOf('.'))}.*`
/** What a webhook can subscribe to: types of events, groups of them, and all. */
export const eventPatterns: ReadonlySet<string> = new Set(
  eventTypes.flatMap(({ name }) => [name, groupOf(name)]).concat('*'),
)

const EventFilter = z.object({
  /** Only events of these organizations. */
  orgIds: z.array(id()).max(500).default([]),
  /** Of events with a severity, only these. */
  severities: z.array(Severity).max(5).default([]),
})

/** An endpoint that events are sent to, signed as Standard Webhooks describes. */
export const Webhook = z.object({
  id: id(),
  partnerId: id(),
  /** Null receives the events of the whole partner. */
  orgId: id().nullable(),
  name: z.string(),
  url: z.string(),
  events: z.array(z.string()),
  filter: EventFilter,
  /** The names of additional headers. Their values are secret. */
  headerNames: z.array(z.string()),
  status: z.enum(['active', 'disabled']),
  disabledReason: z.string().nullable(),
  /** Requests under way at once. */
  concurrency: z.number(),
  createdAt: time(),
  updatedAt: time(),
})
export type Webhook = z.infer<typeof Webhook>

const reserved =
  /^(host|connection|content-(length|type|encoding)|transfer-encoding|upgrade|te|trailer|expect|keep-alive|proxy-.*|webhook-.*)$/i
const headerName = z
  .string()
  .regex(/^[A-Za-z0-9!#$%&'*+.^_`|~-]{1,100}$/, { error: 'must be the name of a header' })
  .refine((name) => !reserved.test(name), { error: 'must be a header that Muster does not set itself' })
const headerValue = z
  .string()
  .max(2_000)
  .regex(/^[\t\x20-\x7e\x80-\xff]*$/, { error: 'must be one line of Latin text' })
/** Additional headers of each request. */
export const outgoingHeaders = () =>
  z.record(headerName, headerValue).refine((given) => Object.keys(given).length <= 20, { error: 'must be 20 at most' })
/** The address of a receiver. */
export const outgoingUrl = () =>
  z.url({ protocol: /^https?$/, error: 'must be an address such as https://example.com/hook' }).max(2_000)

const name = nameText()
const url = outgoingUrl()
const events = z
  .array(
    z.string().refine((text) => eventPatterns.has(text), {
      error: 'must be a type of event such as device.offline, or a group such as device.*',
    }),
  )
  .min(1)
  .max(100)
const headers = outgoingHeaders()
const concurrency = z.number().int().min(1).max(10)

export const webhooks = {
  list: get('/webhooks', {
    summary: 'List webhooks',
    access: can('settings:read'),
    input: z.object({ orgId: id().optional(), status: z.enum(['active', 'disabled']).optional(), ...page }),
    output: pageOf(Webhook),
  }),
  create: create('/webhooks', {
    summary: 'Create a webhook. Its signing secret is shown only once',
    access: can('settings:write'),
    audit: 'webhook.create',
    stepUp: noStepUp('the secret signs what Muster sends, and gives no access'),
    input: z.object({
      orgId: id().nullable().default(null),
      partnerId: id().optional(),
      name,
      url,
      events,
      filter: EventFilter.default({ orgIds: [], severities: [] }),
      headers: headers.default({}),
      concurrency: concurrency.default(2),
    }),
    output: Webhook.extend({ secret: z.string() }),
  }),
  get: get('/webhooks/:id', {
    summary: 'Get a webhook',
    access: can('settings:read'),
    input: z.object({ id: id() }),
    output: Webhook,
  }),
  update: patch('/webhooks/:id', {
    summary: 'Update a webhook, or rotate its signing secret. The previous secret signs too for 24 hours',
    access: can('settings:write'),
    audit: 'webhook.update',
    stepUp: noStepUp('the secret signs what Muster sends, and gives no access'),
    input: changes(
      { id: id() },
      {
        name,
        url,
        events,
        filter: EventFilter,
        headers,
        concurrency,
        status: z.enum(['active', 'disabled']),
        rotateSecret: z.literal(true),
      },
    ),
    output: Webhook.extend({ secret: z.string().optional() }),
  }),
  remove: del('/webhooks/:id', {
    summary: 'Delete a webhook and its deliveries',
    access: can('settings:write'),
    audit: 'webhook.delete',
    input: z.object({ id: id() }),
    output: success,
  }),
  test: post('/webhooks/:id/test', {
    summary: 'Send the event `webhook.test` to a webhook now, and get the answer of the endpoint',
    access: can('settings:write'),
    audit: 'webhook.test',
    input: z.object({ id: id() }),
    output: Attempt,
    transaction: 'own',
  }),
}
