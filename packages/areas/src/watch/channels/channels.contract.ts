import {
  can,
  changes,
  create,
  del,
  flag,
  get,
  id,
  jsonObject,
  nameText,
  page,
  pageOf,
  patch,
  post,
  success,
  time,
} from '@muster/kit/contract.ts'
import { z } from 'zod'
import { outgoingHeaders, outgoingUrl } from '../webhooks/webhooks.contract.ts'

export const ChannelType = z.enum(['email', 'slack', 'teams', 'webhook', 'pagerduty', 'sms'])
export type ChannelType = z.infer<typeof ChannelType>

const phoneNumber = z.string().regex(/^\+[1-9]\d{6,14}$/, { error: 'must be a number such as +491701234567' })
const secretText = z.string().min(1).max(500)

/** The configuration of each type. */
export const channelConfigs = {
  email: z.strictObject({ to: z.array(z.email()).min(1).max(50) }),
  sms: z.strictObject({ to: z.array(phoneNumber).min(1).max(20) }),
  slack: z.strictObject({ webhookUrl: outgoingUrl() }),
  teams: z.strictObject({ webhookUrl: outgoingUrl() }),
  webhook: z.strictObject({ url: outgoingUrl(), headers: outgoingHeaders().optional(), secret: secretText.optional() }),
  pagerduty: z.strictObject({ routingKey: secretText }),
} as const satisfies Record<ChannelType, z.ZodType>
export type ChannelConfigs = { readonly [Type in ChannelType]: z.output<(typeof channelConfigs)[Type]> }

/** Fields that are never answered. */
export const secretsOf = {
  email: [],
  sms: [],
  slack: ['webhookUrl'],
  teams: ['webhookUrl'],
  webhook: ['headers', 'secret'],
  pagerduty: ['routingKey'],
} as const satisfies Record<ChannelType, readonly string[]>

/** A way in which people hear of alerts. */
export const AlertChannel = z.object({
  id: id(),
  partnerId: id(),
  /** Null can be used by the whole partner. */
  orgId: id().nullable(),
  name: z.string(),
  type: ChannelType,
  enabled: z.boolean(),
  /** Without the secret fields. */
  config: z.record(z.string(), z.json()),
  /** The secret fields that are set. */
  secretFields: z.array(z.string()),
  sendResolved: z.boolean(),
  status: z.enum(['untested', 'ok', 'failing']),
  lastSuccessAt: time().nullable(),
  lastError: z.string().nullable(),
  createdAt: time(),
  updatedAt: time(),
})
export type AlertChannel = z.infer<typeof AlertChannel>

const name = nameText()
/** Depends on the type: see `channelConfigs`. */
const config = jsonObject()

export const alertChannels = {
  list: get('/alerts/channels', {
    summary: 'List alert channels',
    access: can('alerts:read'),
    input: z.object({ orgId: id().optional(), type: ChannelType.optional(), ...page }),
    output: pageOf(AlertChannel),
  }),
  create: create('/alerts/channels', {
    summary: 'Create an alert channel',
    access: can('alerts:write'),
    audit: 'alert_channel.create',
    input: z.object({
      orgId: id().nullable().default(null),
      partnerId: id().optional(),
      name,
      type: ChannelType,
      enabled: flag().default(true),
      config,
      sendResolved: flag().default(true),
    }),
    output: AlertChannel,
  }),
  update: patch('/alerts/channels/:id', {
    summary: 'Update an alert channel. Fields of its configuration that are left out stay as they are',
    access: can('alerts:write'),
    audit: 'alert_channel.update',
    input: changes({ id: id() }, { name, enabled: flag(), config, sendResolved: flag() }),
    output: AlertChannel,
  }),
  remove: del('/alerts/channels/:id', {
    summary: 'Delete an alert channel that nothing uses',
    access: can('alerts:write'),
    audit: 'alert_channel.delete',
    input: z.object({ id: id() }),
    output: success,
  }),
  test: post('/alerts/channels/:id/test', {
    summary: 'Send a test message to an alert channel now',
    access: can('alerts:write'),
    audit: 'alert_channel.test',
    input: z.object({ id: id() }),
    output: z.object({
      delivered: z.boolean(),
      /** Of the HTTP answer, if there was one. */
      status: z.number().nullable(),
      latencyMs: z.number(),
      error: z.string().nullable(),
    }),
    transaction: 'own',
  }),
}
