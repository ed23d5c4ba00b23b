import { isOneOf } from '@muster/db/conditions.ts'
import type { Db } from '@muster/db/database.ts'
import { sql } from 'kysely'
import { z } from 'zod'
import { enqueue } from '../../../platform/deliveries/index.ts'
import { laneOf } from '../lanes.ts'
import { ChannelMessage } from '../message.ts'

/** A message for a channel. */
export interface ToSend {
  readonly channelId: string
  /** Names the message: with the same key a channel sends it once. */
  readonly key: string
  readonly message: ChannelMessage
}

/** The payload of a delivery. An SMS has one for each number, so that a repetition reaches no one twice. */
export const Queued = z.object({
  key: z.string(),
  message: ChannelMessage,
  recipient: z.string().optional(),
})
const Recipients = z.object({ to: z.array(z.string()) })

/**
 * Queues messages in the transaction of the change. Left out are channels that are disabled or deleted, and resolutions where
 * the channel does not want them.
 * @returns the messages that were accepted
 */
export async function sendToChannels(db: Db, messages: readonly ToSend[]): Promise<readonly ToSend[]> {
  if (messages.length === 0) return []
  const channels = await db
    .selectFrom('alertChannels')
    .select(['id', 'type', 'config', 'sendResolved'])
    .where(isOneOf('id', [...new Set(messages.map(({ channelId }) => channelId))]))
    .where('enabled', '=', true)
    .execute()
  const byId = new Map(channels.map((channel) => [channel.id, channel]))
  const accepted = messages.filter(({ channelId, message }) => {
    const channel = byId.get(channelId)
    return channel !== undefined && (message.kind !== 'resolved' || channel.sendResolved)
  })
  const queued = accepted.flatMap(({ channelId, key, message }) => {
    const lane = laneOf(channelId)
    const channel = byId.get(channelId)
    if (channel?.type !== 'sms') return [{ lane, key, payload: { key, message } }]
    const { to } = Recipients.parse(channel.config)
    return to.map((recipient) => ({ lane, key: `${key} ${recipient}`, payload: { key, message, recipient } }))
  })
  await enqueue(db, queued)
  return accepted
}

/** Of `alerts a`: no person acted on it and nothing suppresses it. What ended by itself is still told. */
export const concernsPeople = sql<boolean>`(a.status = 'active' OR a.status = 'resolved' AND a.resolution = 'auto')`

const digestPrefix = 'digest:'
const isUuid = (text: string) => /^[0-9a-f-]{36}$/.test(text)

/** The alerts that a message is about; null for messages about none. */
function alertsOf(channelId: string, { kind, groupKey, alerts, lines }: ChannelMessage) {
  if (kind === 'test') return null
  const ids = alerts.map(({ id }) => id).filter(isUuid)
  if (kind === 'digest') {
    const first = groupKey.replace(digestPrefix, '')
    return isUuid(first)
      ? sql`SELECT g.alert_id FROM alert_messages d JOIN alert_messages m ON m.channel_id = d.channel_id AND m.digest AND m.at = d.at
          JOIN alert_group_members g ON g.group_id = m.group_id WHERE d.channel_id = ${channelId} AND d.id = ${first}`
      : null
  }
  // A long message shows some of its alerts. Its group has all.
  const isCut = lines.length > alerts.length
  return isCut && isUuid(groupKey)
    ? sql`SELECT g.alert_id FROM alert_group_members g WHERE g.group_id = ${groupKey}`
    : sql`SELECT unnest(${ids}::uuid[])`
}

/** Whether the channel got, or still gets, a message about the group. One that took none does not hear of its end. */
async function wasSent(db: Db, channelId: string, groupId: string): Promise<boolean> {
  if (!isUuid(groupId)) return true
  const { rows } = await sql<{ known: boolean; sent: boolean }>`
    SELECT count(*) > 0 AS known, coalesce(bool_or(d.status IN ('pending', 'delivering', 'succeeded')), false) AS sent
    FROM alert_messages m JOIN deliveries d ON d.lane = ${laneOf(channelId)} AND (d.key = m.key OR starts_with(d.key, m.key || ' '))
    WHERE m.group_id = ${groupId} AND m.channel_id = ${channelId} AND m.kind <> 'resolved' AND NOT m.digest`.execute(db)
  const [found] = rows
  return found?.known !== true || found.sent
}

/** PagerDuty opens an incident, which must not follow its own end. */
const opensIncidents = (channelId: string) =>
  sql`EXISTS (SELECT FROM alert_channels c WHERE c.id = ${channelId} AND c.type = 'pagerduty')`

/** Whether a queued message may still leave. Tests may, resolutions where the alert arrived; otherwise one of the alerts must concern people. */
export async function isWanted(db: Db, channelId: string, message: ChannelMessage): Promise<boolean> {
  if (message.kind === 'resolved') return wasSent(db, channelId, message.groupKey)
  const alerts = alertsOf(channelId, message)
  if (alerts === null) return true
  const { rows } = await sql<{ known: boolean; wanted: boolean }>`
    SELECT count(*) > 0 AS known, coalesce(bool_or(${concernsPeople} AND (a.status = 'active' OR NOT ${opensIncidents(channelId)})), false) AS wanted
    FROM alerts a WHERE a.id IN (${alerts})`.execute(db)
  const [found] = rows
  return found?.known !== true || found.wanted
}
