// Queues messages to channels. Too many groups for one channel within a minute become one digest.
import { isOneOf } from '@muster/db/conditions.ts'
import type { Db } from '@muster/db/database.ts'
import { sql } from 'kysely'
import type { Severity } from '../../../platform/events/severity.contract.ts'
import { type ChannelMessage, concernsPeople, sendToChannels } from '../../channels/index.ts'
import {
  type About,
  digestAlertsMax,
  digestOf,
  linesMax,
  type MessageAlert,
  messageOf,
  severities,
} from './channel-message.ts'

/** More groups for a channel within the window are one digest. */
const groupsMax = 5
const windowSeconds = 60

export const digestPrefix = 'digest:'
/** The first message of the digest with this key; null for other messages. */
export const digestIdOf = (key: string): string | null =>
  key.startsWith(digestPrefix) ? key.slice(digestPrefix.length) : null

/** A message to be, about alerts of one group. */
export interface GroupMessage {
  readonly groupId: string
  /** The incident that it belongs to, if not the one of its group. */
  readonly groupKey?: string
  readonly channelIds: readonly string[]
  /** Unique for the channel, so that a repetition queues nothing. */
  readonly key: string
  readonly kind: 'alert' | 'escalation' | 'resolved' | 'repeat'
  readonly step: number | null
  readonly alertIds: readonly string[]
}

interface Row {
  readonly channelId: string
  readonly message: GroupMessage
  readonly content: ChannelMessage
}

/** What each message is about: the first alerts, and figures of all. Deleted alerts are left out. */
async function aboutOf(db: Db, messages: readonly GroupMessage[]): Promise<About[]> {
  const given = messages.flatMap(({ alertIds }, n) => [...new Set(alertIds)].map((id) => ({ id, n })))
  const columns = sql`unnest(${given.map(({ id }) => id)}::uuid[], ${given.map(({ n }) => n)}::int[]) WITH ORDINALITY AS u(id, n, place)`
  const [figures, shown] = await Promise.all([
    sql<{ n: number; count: number; worst: number; allFlap: boolean }>`SELECT u.n, count(*)::int AS count,
        min(array_position(${[...severities]}::text[], a.severity)) AS worst, bool_and(a.flapping) AS all_flap
      FROM ${columns} JOIN alerts a ON a.id = u.id GROUP BY u.n`.execute(db),
    sql<
      MessageAlert & { n: number }
    >`SELECT f.n, a.id, a.title, a.message, a.severity, a.status, a.flapping, a.opened_at,
        coalesce(d.display_name, d.hostname) AS device, o.name AS organization
      FROM (SELECT u.id, u.n, u.place, row_number() OVER (PARTITION BY u.n ORDER BY u.place) AS nth
        FROM ${columns} JOIN alerts a ON a.id = u.id) f
      JOIN alerts a ON a.id = f.id JOIN organizations o ON o.id = a.org_id LEFT JOIN devices d ON d.id = a.device_id
      WHERE f.nth <= ${linesMax} ORDER BY f.place`.execute(db),
  ])
  const byMessage = Map.groupBy(shown.rows, ({ n }) => n)
  const figuresOf = new Map(figures.rows.map((row) => [row.n, row]))
  return messages.map((_, n) => {
    const { count = 0, worst = severities.length, allFlap = false } = figuresOf.get(n) ?? {}
    const alerts = (byMessage.get(n) ?? []).map(({ n: _n, ...alert }) => alert)
    return { count, severity: severities[worst - 1] ?? 'info', allFlap, shown: alerts }
  })
}

/** The alerts of each group that are active or have ended, the first ones. */
async function alertsOfGroups(db: Db, groupIds: readonly string[]): Promise<Map<string, MessageAlert[]>> {
  const { rows } = await sql<MessageAlert & { groupId: string }>`SELECT g.id AS group_id, l.*
    FROM unnest(${[...new Set(groupIds)]}::uuid[]) AS g(id) CROSS JOIN LATERAL (
      SELECT a.id, a.title, a.message, a.severity, a.status, a.flapping, a.opened_at, coalesce(d.display_name, d.hostname) AS device, o.name AS organization
      FROM alert_group_members m JOIN alerts a ON a.id = m.alert_id JOIN organizations o ON o.id = a.org_id LEFT JOIN devices d ON d.id = a.device_id
      WHERE m.group_id = g.id AND a.status IN ('active', 'resolved') ORDER BY a.opened_at, a.id LIMIT ${digestAlertsMax}) l`.execute(
    db,
  )
  return Map.groupBy(rows, ({ groupId }) => groupId)
}

/** Queues messages, or holds them for a digest. */
export async function queueMessages(db: Db, messages: readonly GroupMessage[], publicUrl: string): Promise<void> {
  const wanted = messages.filter(({ channelIds, alertIds }) => channelIds.length > 0 && alertIds.length > 0)
  if (wanted.length === 0) return
  const abouts = await aboutOf(db, wanted)
  const rows = wanted.flatMap((message, index): Row[] => {
    const about = abouts[index]
    if (about === undefined) return []
    const { kind, groupId, groupKey = groupId } = message
    const content = { ...messageOf(kind === 'repeat' ? 'alert' : kind, groupId, about, publicUrl), groupKey }
    return [...new Set(message.channelIds)].map((channelId) => ({ channelId, message, content }))
  })
  const channels = await channelsOf(db, rows)
  const endsIncident = ({ channelId, message: { kind } }: Row) =>
    kind === 'resolved' && channels.get(channelId)?.type === 'pagerduty'
  const crowded = await crowdedChannels(
    db,
    rows.filter((row) => !endsIncident(row)),
  )
  const isHeld = (row: Row) => crowded.has(row.channelId) && !endsIncident(row)
  const nameOf = ({ channelId }: Row) => channels.get(channelId)?.name ?? 'a deleted channel'
  const sending = (await store(db, rows, { isHeld, nameOf })).filter((row) => !isHeld(row))
  const accepted = await sendToChannels(
    db,
    sending.map(({ channelId, message, content }) => ({ channelId, key: message.key, message: content })),
  )
  const queued = new Set(accepted.map(({ channelId, key }) => `${channelId} ${key}`))
  await skip(
    db,
    sending.filter(({ channelId, message }) => !queued.has(`${channelId} ${message.key}`)),
  )
}

/** Notes that a channel took no message. */
async function skip(db: Db, rows: readonly Row[]): Promise<void> {
  if (rows.length === 0) return
  await sql`UPDATE alert_messages m SET skipped = true
    FROM unnest(${rows.map(({ channelId }) => channelId)}::uuid[], ${rows.map(({ message }) => message.key)}::text[]) AS u(channel_id, key)
    WHERE m.channel_id = u.channel_id AND m.key = u.key`.execute(db)
}

async function channelsOf(db: Db, rows: readonly Row[]) {
  const ids = [...new Set(rows.map(({ channelId }) => channelId))]
  const found = await db.selectFrom('alertChannels').select(['id', 'name', 'type']).where(isOneOf('id', ids)).execute()
  return new Map(found.map((channel) => [channel.id, channel]))
}

/** Workers that send to the same channel take turns until their transactions end, so that each sees what the other sent. */
export async function takeTurns(db: Db, channelIds: readonly string[]): Promise<void> {
  await sql`SELECT pg_advisory_xact_lock(hashtextextended('alert channel ' || c.id, 0))
    FROM unnest(${[...new Set(channelIds)].sort()}::text[]) AS c(id)`.execute(db)
}

/** Channels that get too many groups within the window. What follows a held message waits for the same digest. */
async function crowdedChannels(db: Db, rows: readonly Row[]): Promise<ReadonlySet<string>> {
  const channelIds = [...new Set(rows.map(({ channelId }) => channelId))]
  await takeTurns(db, channelIds)
  const { rows: counts } = await sql<{ channelId: string; groups: number; waits: boolean }>`
    SELECT m.channel_id, bool_or(m.held) AS waits, (count(DISTINCT m.group_id) FILTER (
      WHERE m.at > now() - make_interval(secs => ${windowSeconds}) AND NOT (m.kind = 'resolved' AND c.type = 'pagerduty')))::int AS groups
    FROM alert_messages m JOIN alert_channels c ON c.id = m.channel_id WHERE m.channel_id = ANY (${channelIds}::uuid[])
      AND (m.held OR m.at > now() - make_interval(secs => ${windowSeconds})) GROUP BY m.channel_id`.execute(db)
  const recent = new Map(counts.map((each) => [each.channelId, each]))
  const crowded = new Set<string>()
  for (const [channelId, own] of Map.groupBy(rows, (row) => row.channelId)) {
    const groups = new Set(own.map(({ message }) => message.groupId)).size
    const { groups: before, waits } = recent.get(channelId) ?? { groups: 0, waits: false }
    if (waits || before + groups > groupsMax) crowded.add(channelId)
  }
  return crowded
}

interface Noted {
  isHeld(row: Row): boolean
  nameOf(row: Row): string
}

/** @returns the messages that were not stored before */
async function store(db: Db, rows: readonly Row[], { isHeld, nameOf }: Noted): Promise<Row[]> {
  const { rows: stored } = await sql<{ n: number }>`WITH given AS (
      SELECT * FROM unnest(${rows.map(({ message }) => message.groupId)}::uuid[], ${rows.map(({ channelId }) => channelId)}::uuid[],
        ${rows.map(({ message }) => message.key)}::text[], ${rows.map(({ message }) => message.kind)}::text[],
        ${rows.map(({ message }) => message.step)}::int[], ${rows.map(({ content }) => content.title)}::text[],
        ${rows.map(({ content }) => content.severity)}::text[], ${rows.map(isHeld)}::boolean[], ${rows.map(nameOf)}::text[],
        ${rows.map(({ message }) => message.alertIds.join(','))}::text[])
        WITH ORDINALITY AS u(group_id, channel_id, key, kind, step, title, severity, held, recipient, alert_ids, n)
    ), made AS (
      INSERT INTO alert_messages (partner_id, org_id, group_id, channel_id, key, kind, step, title, severity, held, recipient, alert_ids, at)
      SELECT g.partner_id, g.org_id, g.id, u.channel_id, u.key, u.kind, u.step, u.title, u.severity, u.held, u.recipient,
        string_to_array(u.alert_ids, ',')::uuid[], clock_timestamp()
      FROM given u JOIN alert_groups g ON g.id = u.group_id ON CONFLICT (channel_id, key) DO NOTHING RETURNING channel_id, key)
    SELECT u.n::int AS n FROM given u JOIN made m ON m.channel_id = u.channel_id AND m.key = u.key`.execute(db)
  return stored.flatMap(({ n }) => rows[n - 1] ?? [])
}

interface Held {
  readonly id: string
  readonly channelId: string
  readonly title: string
  readonly severity: Severity
  readonly kind: GroupMessage['kind']
  readonly digest: boolean
  readonly groupId: string
}

/** Of the group of `alert_messages m`: an alert concerns people. PagerDuty opens no incident for what has ended. */
const isWorthTelling = sql`EXISTS (SELECT FROM alert_group_members x JOIN alerts a ON a.id = x.alert_id WHERE x.group_id = m.group_id AND ${concernsPeople})
  AND NOT EXISTS (SELECT FROM alert_groups g JOIN alert_channels c ON c.id = m.channel_id AND c.type = 'pagerduty'
    WHERE g.id = m.group_id AND g.closed_at IS NOT NULL)`
/** The end is told where the beginning was, or is now. */
const isTold = sql`EXISTS (SELECT FROM alert_messages o WHERE o.group_id = m.group_id AND o.channel_id = m.channel_id AND o.kind <> 'resolved'
  AND (NOT o.held OR ${isWorthTelling}))`

/** Sends what was held and still concerns people, as one digest per channel and window. */
export async function sendDigests(db: Db, publicUrl: string): Promise<void> {
  const { rows: waiting } = await sql<{
    channelId: string
  }>`SELECT DISTINCT channel_id FROM alert_messages WHERE held`.execute(db)
  if (waiting.length === 0) return
  const channelIds = waiting.map(({ channelId }) => channelId)
  await takeTurns(db, channelIds)
  const { rows } = await sql<Held>`UPDATE alert_messages m SET held = false, at = now(),
      digest = CASE WHEN m.kind = 'resolved' THEN ${isTold} ELSE ${isWorthTelling} END
    WHERE m.channel_id = ANY (${channelIds}::uuid[]) AND m.held AND NOT EXISTS (
      SELECT FROM alert_messages d WHERE d.channel_id = m.channel_id AND d.digest AND d.at > now() - make_interval(secs => ${windowSeconds}))
    RETURNING m.id, m.channel_id, m.group_id, m.title, m.severity, m.kind, m.digest`.execute(db)
  const [left, dropped] = [rows.filter(({ digest }) => digest), rows.filter(({ digest }) => !digest)]
  await db
    .deleteFrom('alertMessages')
    .where(
      isOneOf(
        'id',
        dropped.map(({ id }) => id),
      ),
    )
    .execute()
  // The first id names the digest.
  const digests = [
    ...Map.groupBy(
      left.toSorted((a, b) => (a.id < b.id ? -1 : 1)),
      ({ channelId }) => channelId,
    ),
  ]
  const alerts = await alertsOfGroups(
    db,
    left.map(({ groupId }) => groupId),
  )
  await sendToChannels(
    db,
    digests.map(([channelId, held]) => ({
      channelId,
      key: `${digestPrefix}${held[0]?.id ?? ''}`,
      message: digestOf(held, alerts, publicUrl),
    })),
  )
}
