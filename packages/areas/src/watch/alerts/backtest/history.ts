// The alerts that a rule would have opened over stored history.
import { rowsWithin } from '@muster/db/time-limit.ts'
import { type RawBuilder, type SqlBool, sql } from 'kysely'
import { conditionOf } from '../../../fleet/devices/index.ts'
import { lookBackOf, reaches } from '../checks/forecast-lines.ts'
import type { Outage } from '../checks/listening.ts'
import type { MetricTree, SingleCondition } from '../rules/conditions.contract.ts'
import type { Backtest } from './backtest.ts'
import { historyOf } from './filter-history.ts'
import { heartbeatsOf, pointsOf } from './points.ts'
import { atOnceFor, type Device, idsOf, inParts, msLeft, type Reading } from './reading.ts'
import type { AskingRule, TestedRule } from './tested-rule.ts'
import { TrailingLine } from './trailing-line.ts'

export interface Replaying extends Reading {
  readonly backtest: Backtest
  readonly nowMs: number
  readonly outages: readonly Outage[]
  /** The stored rule that asks the same. */
  readonly asking: AskingRule | null
}

/** What figures are based on. `alerts`: what the condition asks is not stored, so the alerts of a rule that asks it count. */
export type Basis = 'history' | 'alerts' | 'none'

export interface Replayed {
  readonly basis: Basis
  /** Devices whose history was read in time. */
  readonly devices: number
  readonly notes: readonly string[]
}

const history = (devices: number, ...notes: string[]): Replayed => ({ basis: 'history', devices, notes })

const timingOf = ({ forSeconds, clearForSeconds }: TestedRule) => ({
  forMs: forSeconds * 1_000,
  clearForMs: clearForSeconds * 1_000,
})

const since = (column: string, hours: number) =>
  sql<SqlBool>`${sql.ref(column)} > now() - make_interval(secs => ${hours * 3_600})`

type Of<Kind extends SingleCondition['kind']> = Extract<SingleCondition, { kind: Kind }>

export async function replayHistory(replaying: Replaying, rule: TestedRule): Promise<Replayed> {
  const { conditions } = rule
  if (!('kind' in conditions) || conditions.kind === 'metric') return replayHeartbeats(replaying, rule, conditions)
  switch (conditions.kind) {
    case 'offline':
      return replayGaps(replaying, conditions)
    case 'siteOffline':
      return replaySites(replaying, conditions)
    case 'event':
      return replayEvents(replaying, conditions, rule.reopenSeconds)
    case 'forecast':
      return replayForecast(replaying, rule, conditions)
    case 'filter':
      return replayFilter(replaying, rule, conditions)
    default:
      return replayAlerts(replaying, rule, 'What agents find with their checks is not stored.')
  }
}

/** Evaluates stored heartbeats in their order. */
async function replayHeartbeats(
  replaying: Replaying,
  rule: TestedRule,
  conditions: MetricTree,
  devices: readonly Device[] = replaying.devices,
): Promise<Replayed> {
  const { db, hours, backtest } = replaying
  const tested = { ...rule, id: '', version: 0, conditions }
  const done = await inParts(replaying, devices, atOnceFor(60 * hours), async (part) => {
    const heartbeats = await heartbeatsOf(db, msLeft(replaying), idsOf(part), hours * 3_600)
    if (heartbeats === null) return false
    for (const [deviceId, samples] of Map.groupBy(heartbeats, (each) => each.deviceId))
      backtest.replay(deviceId, tested, samples)
    return true
  })
  return history(done)
}

/** Times without heartbeats that were longer than the rule allows. While Muster did not listen, silence does not count. */
async function replayGaps(replaying: Replaying, { seconds }: Of<'offline'>): Promise<Replayed> {
  const { db, devices, hours, backtest, outages } = replaying
  const done = await inParts(replaying, devices, atOnceFor(60 * hours), async (part) => {
    const gaps = await rowsWithin(
      db,
      msLeft(replaying),
      sql<{
        deviceId: string
        atMs: number
        untilMs: number
      }>`SELECT g.device_id, (extract(epoch FROM g.at) * 1000)::float8 AS at_ms, (extract(epoch FROM g.until) * 1000)::float8 AS until_ms
      FROM (SELECT m.device_id, m.at, coalesce(lead(m.at) OVER (PARTITION BY m.device_id ORDER BY m.at), now()) AS until,
          lag(m.at) OVER (PARTITION BY m.device_id ORDER BY m.at) IS NULL AS is_first FROM device_metrics m
        WHERE m.device_id = ANY (${idsOf(part)}::uuid[]) AND ${since('m.at', hours)}) g
      WHERE g.is_first OR g.until - g.at > make_interval(secs => ${seconds}) ORDER BY g.at`,
    )
    if (gaps === null) return false
    for (const { deviceId, atMs, untilMs } of gaps) {
      backtest.covers(atMs)
      const silentMs = untilMs - atMs - outages.reduce((sum, each) => sum + overlapMs(each, atMs, untilMs), 0)
      if (silentMs > seconds * 1_000) backtest.alert(deviceId, atMs + seconds * 1_000)
    }
    return true
  })
  return history(done)
}

const overlapMs = ({ beganMs, endedMs }: Outage, fromMs: number, untilMs: number): number =>
  Math.max(0, Math.min(endedMs, untilMs) - Math.max(beganMs, fromMs))

interface Turn {
  readonly siteId: string
  readonly total: number
  readonly atMs: number
  readonly change: 1 | -1
}

/** Follows how many devices of each site were offline for long enough at a time. */
async function replaySites(
  replaying: Replaying,
  { seconds, percent, minDevices }: Of<'siteOffline'>,
): Promise<Replayed> {
  const { devices, backtest, nowMs, hours } = replaying
  const sites = [...Map.groupBy(devices, ({ siteId }) => siteId)].flatMap(([siteId, all]) =>
    siteId === null || all.length < minDevices ? [] : [all],
  )
  let read = devices.length - sites.reduce((sum, all) => sum + all.length, 0)
  while (sites.length > 0) {
    // A site is read as a whole.
    const part: Device[] = []
    while (sites[0] !== undefined && (part.length === 0 || part.length + sites[0].length <= 1_000)) {
      part.push(...sites[0])
      sites.shift()
    }
    const turns = await rowsWithin(replaying.db, msLeft(replaying), turnsOf(part, seconds, hours))
    if (turns === null) break
    read += part.length
    for (const [siteId, ofSite] of Map.groupBy(turns, (turn) => turn.siteId)) {
      const one = part.find((device) => device.siteId === siteId)
      let down = 0
      for (const { atMs, change, total } of ofSite) {
        const wasDark = (100 * down) / total >= percent
        down += change
        if (!wasDark && (100 * down) / total >= percent) backtest.alert(one?.id ?? siteId, atMs)
      }
    }
  }
  backtest.covers(nowMs - hours * 3_600_000)
  return history(read)
}

const turnsOf = (devices: readonly Device[], seconds: number, hours: number): RawBuilder<Turn> =>
  sql`WITH ours AS (
      SELECT d.id, d.site_id, count(*) OVER (PARTITION BY d.site_id)::int AS total FROM devices d
      WHERE d.id = ANY (${idsOf(devices)}::uuid[]) AND d.site_id IS NOT NULL),
    turns AS (
      SELECT o.site_id, o.total, e.type, e.at, lead(e.at) OVER (PARTITION BY o.id ORDER BY e.stored_at, e.seq) AS until
      FROM ours o JOIN events e ON e.device_id = o.id
      WHERE e.type IN ('device.offline', 'device.online') AND ${since('e.stored_at', hours)}),
    silences AS (
      SELECT site_id, total, at + make_interval(secs => ${seconds}) AS at, coalesce(until, now()) AS until, until IS NULL AS lasts FROM turns
      WHERE type = 'device.offline')
    SELECT site_id, total, (extract(epoch FROM t.at) * 1000)::float8 AS at_ms, t.change
    FROM silences s CROSS JOIN LATERAL (VALUES (s.at, 1), (CASE WHEN s.lasts THEN NULL ELSE s.until END, -1)) AS t(at, change)
    WHERE s.until > s.at AND t.at IS NOT NULL ORDER BY t.at, t.change`

/** An event opens an alert; another one within the time in which it reopens counts as a flap. */
async function replayEvents(
  replaying: Replaying,
  { type, where = {} }: Of<'event'>,
  reopenSeconds: number,
): Promise<Replayed> {
  const { db, devices, hours, backtest, nowMs } = replaying
  const done = await inParts(replaying, devices, 1_000, async (part) => {
    const found = await rowsWithin(
      db,
      msLeft(replaying),
      sql<{
        deviceId: string
        atMs: number
        isAgain: boolean
      }>`SELECT e.device_id, (extract(epoch FROM e.at) * 1000)::float8 AS at_ms,
      coalesce(e.at - lag(e.at) OVER (PARTITION BY e.device_id ORDER BY e.at) <= make_interval(secs => ${reopenSeconds}), false) AS is_again
    FROM events e WHERE e.device_id = ANY (${idsOf(part)}::uuid[]) AND e.type = ${type} AND e.data @> ${JSON.stringify(where)}::jsonb
      AND ${since('e.stored_at', hours)} ORDER BY e.at LIMIT 500000`,
    )
    for (const { deviceId, atMs, isAgain } of found ?? []) {
      if (isAgain) backtest.flap()
      else backtest.alert(deviceId, atMs)
    }
    return found !== null
  })
  backtest.covers(nowMs - hours * 3_600_000)
  return history(done)
}

/** Draws a line at each stored average, through the averages up to then, as the job did at that time. */
async function replayForecast(
  replaying: Replaying,
  rule: TestedRule,
  { metric, threshold, withinHours }: Of<'forecast'>,
): Promise<Replayed> {
  const { db, devices, hours, backtest, nowMs } = replaying
  const lookBack = lookBackOf(withinHours)
  const fromMs = nowMs - hours * 3_600_000
  const done = await inParts(replaying, devices, atOnceFor(12 * (hours + lookBack)), async (part) => {
    const points = await pointsOf(db, msLeft(replaying), idsOf(part), metric, hours + lookBack)
    if (points === null) return false
    for (const [deviceId, ofDevice] of Map.groupBy(points, (point) => point.deviceId)) {
      const line = new TrailingLine(lookBack)
      const isBefore = ofDevice.findIndex(({ atMs }) => atMs >= fromMs)
      const before = isBefore < 0 ? ofDevice : ofDevice.slice(0, isBefore)
      for (const { atMs, value } of before) if (value !== null) line.add(atMs, value)
      backtest.follow(deviceId, timingOf(rule), ofDevice.slice(before.length), ({ atMs, value }) => {
        if (value !== null) line.add(atMs, value)
        return reaches(metric, threshold, line.at(atMs, withinHours)) ? 1 : 0
      })
    }
    return true
  })
  return history(done)
}

/** Metrics have a history. Other fields are taken as they are now, if they can be told apart. */
async function replayFilter(replaying: Replaying, rule: TestedRule, { filter }: Of<'filter'>): Promise<Replayed> {
  const parts = historyOf(filter)
  if (parts === null) return replayAlerts(replaying, rule, 'Which devices matched this filter is not stored.')
  const { tree, rest } = parts
  if (rest === null) return replayHeartbeats(replaying, rule, tree)
  const matches = await conditionOf(replaying.db, rest, rule)
  const rows = await rowsWithin(
    replaying.db,
    msLeft(replaying),
    sql<{ id: string }>`SELECT devices.id FROM devices LEFT JOIN device_state AS state ON state.device_id = devices.id
      WHERE devices.id = ANY (${idsOf(replaying.devices)}::uuid[]) AND ${matches}`,
  )
  if (rows === null) return history(0)
  const ids = new Set(rows.map(({ id }) => id))
  const [matching, others] = [
    replaying.devices.filter(({ id }) => ids.has(id)),
    replaying.devices.filter(({ id }) => !ids.has(id)),
  ]
  const { devices } = await replayHeartbeats(replaying, rule, tree, matching)
  return history(
    devices + others.length,
    'Only metrics of the filter have a history. Its other fields count as they are now.',
  )
}

/** The alerts of a stored rule that asks the same, where what it asks is not stored. */
async function replayAlerts(replaying: Replaying, rule: TestedRule, why: string): Promise<Replayed> {
  const { db, devices, hours, backtest, asking, nowMs } = replaying
  const none = { basis: 'none', devices: 0 } as const
  if (asking === null)
    return { ...none, notes: [`${why} No rule with this condition exists, so there are no figures.`] }
  const rows = await rowsWithin(
    db,
    msLeft(replaying),
    sql<{
      deviceId: string
      atMs: number
      occurrences: number
    }>`SELECT a.device_id, (extract(epoch FROM a.opened_at) * 1000)::float8 AS at_ms, a.occurrences
    FROM alerts a WHERE a.rule_id = ${asking.id} AND a.device_id = ANY (${idsOf(devices)}::uuid[]) AND ${since('a.opened_at', hours)}
      AND a.context -> 'conditions' = ${JSON.stringify(rule.conditions)}::jsonb ORDER BY a.opened_at`,
  )
  if (rows === null) return { ...none, notes: [] }
  for (const { deviceId, atMs, occurrences } of rows) {
    backtest.alert(deviceId, atMs)
    for (let again = 1; again < occurrences; again++) backtest.flap()
  }
  const sinceMs = Math.min(Date.parse(asking.updatedAt), rows[0]?.atMs ?? Number.POSITIVE_INFINITY)
  backtest.covers(Math.max(sinceMs, nowMs - hours * 3_600_000))
  return {
    basis: 'alerts',
    devices: devices.length,
    notes: [`${why} The figures are the alerts that the rule ${asking.name} opened.`],
  }
}
