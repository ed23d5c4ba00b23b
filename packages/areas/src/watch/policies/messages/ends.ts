// Who hears that all alerts of a group have ended: each channel that got a message about them, once.
import type { Db } from '@muster/db/database.ts'
import { sql } from 'kysely'
import { digestPrefix, type GroupMessage, takeTurns } from './messages.ts'

interface Closed {
  readonly id: string
  readonly allIds: readonly string[]
}

interface Hearing {
  readonly groupId: string
  readonly channelId: string
  /** What the message belongs to for PagerDuty, which opened an incident for it. */
  readonly groupKey: string
}

/** The messages about groups that were closed in this transaction. Other messages to the same channels wait for its end. */
export async function endMessages(
  db: Db,
  closed: readonly Closed[],
  otherChannelIds: readonly string[],
): Promise<GroupMessage[]> {
  if (closed.length === 0) return []
  const groupIds = closed.map(({ id }) => id)
  const { rows: channels } = await sql<{ channelId: string }>`SELECT DISTINCT channel_id FROM alert_messages
    WHERE group_id = ANY (${groupIds}::uuid[])`.execute(db)
  // Two workers that close the last groups of a digest must see each other.
  await takeTurns(db, [...otherChannelIds, ...channels.map(({ channelId }) => channelId)])
  const alertIds = new Map(closed.map(({ id, allIds }) => [id, allIds]))
  return (await hearings(db, groupIds)).map(({ groupId, channelId, groupKey }) => ({
    ...{ groupId, groupKey, channelIds: [channelId], key: `end:${groupKey}`, kind: 'resolved', step: null },
    alertIds: alertIds.get(groupId) ?? [],
  }))
}

/**
 * PagerDuty hears of the end of each incident: of the group, and of each digest whose groups have all ended. Other channels
 * hear of the end of an alert through the last group that they got a message about.
 */
async function hearings(db: Db, groupIds: readonly string[]): Promise<Hearing[]> {
  const { rows } = await sql<Hearing>`WITH heard AS MATERIALIZED (
      SELECT m.group_id, m.channel_id, m.at, m.digest, m.held, c.type = 'pagerduty' AS has_incidents, g.opened_at
      FROM alert_messages m JOIN alert_channels c ON c.id = m.channel_id AND c.send_resolved JOIN alert_groups g ON g.id = m.group_id
      WHERE m.group_id = ANY (${[...groupIds]}::uuid[]) AND m.kind <> 'resolved')
    SELECT DISTINCT h.group_id, h.channel_id, h.group_id::text AS group_key FROM heard h
    WHERE CASE WHEN h.has_incidents THEN NOT h.digest AND NOT h.held
      ELSE EXISTS (SELECT FROM alert_group_members x WHERE x.group_id = h.group_id AND NOT EXISTS (
        SELECT FROM alert_group_members y JOIN alert_groups o ON o.id = y.group_id AND o.opened_at > h.opened_at
        JOIN alert_messages m ON m.group_id = o.id AND m.channel_id = h.channel_id AND m.kind <> 'resolved'
        WHERE y.alert_id = x.alert_id)) END
    UNION ALL
    (SELECT DISTINCT ON (h.channel_id, h.at) h.group_id, h.channel_id, ${digestPrefix}::text || (
        SELECT m.id FROM alert_messages m WHERE m.channel_id = h.channel_id AND m.digest AND m.at = h.at ORDER BY m.id LIMIT 1)
    FROM heard h WHERE h.has_incidents AND h.digest AND NOT EXISTS (
      SELECT FROM alert_messages m JOIN alert_groups o ON o.id = m.group_id
      WHERE m.channel_id = h.channel_id AND m.digest AND m.at = h.at AND o.closed_at IS NULL)
    ORDER BY h.channel_id, h.at, h.group_id)`.execute(db)
  return rows
}
