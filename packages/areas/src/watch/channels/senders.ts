// How a message leaves, for each type of channel.
import type { Redis } from '@muster/backplane/redis.ts'
import { asSystem } from '@muster/db/database.ts'
import type { OutgoingConnections } from '@muster/kit/network/outgoing.ts'
import type pg from 'pg'
import type { SendResult } from '../../background/delivery-kind.ts'
import { type OutgoingSettings, postJson, signedHeaders } from '../../platform/deliveries/index.ts'
import { enqueueMail, type MailTransport, sendMail } from '../../platform/mail/index.ts'
import { keepSms, sendSms } from '../../platform/sms/index.ts'
import { mailForm, pagerDutyForm, slackForm, smsForm, teamsForm } from './forms.ts'
import type { ChannelMessage } from './message.ts'
import type { OpenChannel } from './secrets.ts'

export interface Sending {
  readonly lane: string
  /** The same for each try. */
  readonly key: string
  readonly message: ChannelMessage
  /** The one number of an SMS; otherwise all recipients of the channel. */
  readonly recipient?: string | undefined
}

export interface Ways {
  readonly connections: OutgoingConnections
  readonly settings: OutgoingSettings
  /** Null without a mail server. */
  readonly mail: MailTransport | null
  readonly publicUrl: string
  /** Where the outbox gets what neither a mail server nor a gateway takes. */
  readonly pool: pg.Pool
  readonly redis: Redis
}

const timeoutMs = 15_000
/** A request that is wrong in itself fails again. */
const isWrong = (status: number) => status >= 400 && status < 500 && status !== 408 && status !== 429

/** Sends a message through a channel once. */
export function sendThrough(ways: Ways, channel: OpenChannel, sending: Sending): Promise<SendResult> {
  const { lane, key, message } = sending
  switch (channel.type) {
    case 'email':
      return sendEmail(ways, channel.config.to, sending)
    case 'sms':
      return sendTexts(ways, sending.recipient === undefined ? channel.config.to : [sending.recipient], message)
    case 'slack':
      return post(ways, lane, channel.config.webhookUrl, slackForm(message))
    case 'teams':
      return post(ways, lane, channel.config.webhookUrl, teamsForm(message))
    case 'pagerduty': {
      const url = `${ways.settings.pagerDutyUrl}/v2/enqueue`
      const body = JSON.stringify(pagerDutyForm(message, channel.config.routingKey, ways.publicUrl))
      return postJson(ways.connections, lane, url, { body, timeoutMs, isFinal: (status) => status === 400 })
    }
    case 'webhook': {
      const { url, headers = {}, secret } = channel.config
      const atMs = Date.now()
      const body = JSON.stringify({ id: key, type: 'alert.message', ...message })
      const signed = signedHeaders({ id: key, atMs, body }, secret === undefined ? [] : [secret])
      return postJson(ways.connections, lane, url, { body, headers: { ...headers, ...signed }, timeoutMs })
    }
  }
}

const post = ({ connections }: Ways, lane: string, url: string, form: object): Promise<SendResult> =>
  postJson(connections, lane, url, { body: JSON.stringify(form), timeoutMs, isFinal: isWrong })

async function sendEmail(ways: Ways, to: readonly string[], { key, message }: Sending): Promise<SendResult> {
  const { mail, settings, pool } = ways
  const { data } = mailForm(message)
  if (mail === null && settings.keepsUnsent) {
    const kept = { template: 'alert', data, partnerId: null, orgId: null } as const
    await asSystem(pool, async (db) => {
      for (const address of to) await enqueueMail(db, { ...kept, to: address })
    })
    return { delivered: true }
  }
  if (mail === null) return { delivered: false, error: 'No mail server is configured (SMTP_URL)' }
  const failure = await sendMail(mail, { to, template: 'alert', data, id: key })
  return failure === null ? { delivered: true } : { delivered: false, ...failure }
}

async function sendTexts(
  { settings, redis }: Ways,
  to: readonly string[],
  message: ChannelMessage,
): Promise<SendResult> {
  if (settings.sms === null && settings.keepsUnsent) {
    for (const number of to) await keepSms(redis, number, smsForm(message))
    return { delivered: true }
  }
  if (settings.sms === null) return { delivered: false, error: 'No SMS gateway is configured (SMS_GATEWAY_URL)' }
  for (const number of to) {
    const failure = await sendSms(settings.sms, number, smsForm(message))
    if (failure === null) continue
    const error =
      failure.why instanceof Error ? `The SMS gateway failed: ${failure.why.message}` : 'The SMS gateway failed'
    // An alert that arrives twice is better than one that does not.
    const isFinal = !failure.passing && failure.isUnanswered !== true
    return { delivered: false, error, isFinal, status: failure.status ?? null }
  }
  return { delivered: true }
}
