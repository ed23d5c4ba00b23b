// Devices for which the condition of a rule holds now.
import { rowsWithin } from '@muster/db/time-limit.ts'
import { type SqlBool, sql } from 'kysely'
import { conditionOf } from '../../../fleet/devices/index.ts'
import { lookBackOf, reaches } from '../checks/forecast-lines.ts'
import { cutoffOf } from '../checks/listening.ts'
import { restarts } from '../checks/restarts.ts'
import type { SingleCondition } from '../rules/conditions.contract.ts'
import { type Looked, type Looking, type Match, matchesMax } from './looking.ts'
import { metricMatches } from './metric-matches.ts'
import { pointsOf } from './points.ts'
import { atOnceFor, type Device, idsOf, inParts, msLeft } from './reading.ts'
import type { TestedRule } from './tested-rule.ts'
import { TrailingLine } from './trailing-line.ts'

interface Seen {
  readonly deviceId: string
  readonly holds: boolean
  readonly value: number | null
  /** Since when it holds; null if history does not say. */
  readonly sinceMs: number | null
}

/** What is known about a rule and device, from the evaluation of this rule or of one with the same condition. */
interface State {
  readonly deviceId: string
  readonly phase: 'pending' | 'firing' | 'clearing'
  readonly sinceMs: number
  readonly value: number | null
}

const epochMs = (column: string) => sql`(extract(epoch FROM ${sql.ref(column)}) * 1000)::float8`
const isAmong = (column: string, devices: readonly Device[]) =>
  sql<SqlBool>`${sql.ref(column)} = ANY (${idsOf(devices)}::uuid[])`

export async function matchesOf(looking: Looking, rule: TestedRule): Promise<Looked> {
  const { conditions } = rule
  if (!('kind' in conditions) || conditions.kind === 'metric') return metricMatches(looking, rule, conditions)
  const single = { ...rule, conditions }
  const states = await statesOf(looking, single)
  if (states === null) return { matches: [], devices: 0 }
  const matches: Match[] = []
  const read = await inParts(looking, looking.devices, atOnceOf(single), async (part) => {
    const seen = await seenOf(looking, single, part, states)
    for (const each of seen ?? []) {
      if (!each.holds && !looking.isOne) continue
      const would = each.holds ? wouldOf(rule, each, states.get(each.deviceId), looking.nowMs) : 'clear'
      matches.push({ deviceId: each.deviceId, value: each.value, would })
    }
    return seen !== null
  })
  const [only] = looking.devices
  if (looking.isOne && read > 0 && only !== undefined && matches.length === 0 && isKnown(looking, single))
    matches.push({ deviceId: only.id, value: null, would: 'clear' })
  return { matches: matches.slice(0, matchesMax), devices: read }
}

const agentChecks: readonly SingleCondition['kind'][] = ['service', 'process', 'disk', 'eventLog', 'certificate']

/** Whether the condition could be looked at. Agents check only what a rule asks. */
export const isKnown = ({ asking }: Pick<Looking, 'asking'>, { conditions }: TestedRule<SingleCondition>): boolean =>
  asking?.enabled === true || !agentChecks.includes(conditions.kind)

function atOnceOf({ conditions }: TestedRule<SingleCondition>): number {
  if (conditions.kind === 'forecast') return atOnceFor(12 * lookBackOf(conditions.withinHours))
  // Whether a site is offline is decided by all of its devices.
  return conditions.kind === 'siteOffline' ? Number.MAX_SAFE_INTEGER : 2_000
}

function wouldOf({ forSeconds }: TestedRule, seen: Seen, state: State | undefined, nowMs: number): 'fire' | 'pending' {
  if (forSeconds === 0 || (state !== undefined && state.phase !== 'pending')) return 'fire'
  const sinceMs = seen.sinceMs ?? state?.sinceMs ?? nowMs
  return nowMs - sinceMs >= forSeconds * 1_000 ? 'fire' : 'pending'
}

async function statesOf(looking: Looking, rule: TestedRule): Promise<ReadonlyMap<string, State> | null> {
  const rows = await rowsWithin(
    looking.db,
    msLeft(looking),
    sql<State>`SELECT DISTINCT ON (s.device_id) s.device_id, s.phase, ${epochMs('s.since')} AS since_ms,
      CASE WHEN jsonb_typeof(a.context -> 'value') = 'number' THEN (a.context ->> 'value')::float8 END AS value
    FROM alert_states s JOIN alert_rules r ON r.id = s.rule_id
    LEFT JOIN alerts a ON a.rule_id = s.rule_id AND a.device_id = s.device_id AND a.status <> 'resolved'
    WHERE ${isAmong('s.deviceId', looking.devices)} AND r.partner_id = ${rule.partnerId}
      AND r.conditions = ${JSON.stringify(rule.conditions)}::jsonb
    ORDER BY s.device_id, r.id IS NOT DISTINCT FROM ${rule.id}::uuid DESC, s.since`,
  )
  return rows === null ? null : new Map(rows.map((row) => [row.deviceId, row]))
}

type Of<Kind extends SingleCondition['kind']> = TestedRule<Extract<SingleCondition, { kind: Kind }>>

const isOfKind = <Kind extends SingleCondition['kind']>(
  rule: TestedRule<SingleCondition>,
  kind: Kind,
): rule is Of<Kind> => rule.conditions.kind === kind

/** Null if the time was over. */
async function seenOf(
  looking: Looking,
  rule: TestedRule<SingleCondition>,
  part: readonly Device[],
  states: ReadonlyMap<string, State>,
): Promise<Seen[] | null> {
  if (isOfKind(rule, 'offline')) return offlineDevices(looking, rule, part)
  if (isOfKind(rule, 'siteOffline')) return devicesOfDarkSites(looking, rule, part)
  if (isOfKind(rule, 'filter')) return matchingDevices(looking, rule, part)
  if (isOfKind(rule, 'forecast')) return forecasts(looking, rule, part)
  if (isOfKind(rule, 'event')) return devicesWithEvents(looking, rule, part)
  return part.flatMap(({ id }) => {
    const state = states.get(id)
    return state === undefined ? [] : [{ deviceId: id, holds: true, value: state.value, sinceMs: state.sinceMs }]
  })
}

function offlineDevices(looking: Looking, { conditions }: Of<'offline'>, part: readonly Device[]) {
  const { db, outages, nowMs } = looking
  const cutoffMs = cutoffOf(conditions.seconds, outages, nowMs)
  return rowsWithin(
    db,
    msLeft(looking),
    sql<Seen>`SELECT d.id AS device_id, ${nowMs - cutoffMs} + ${epochMs('s.status_at')} AS since_ms,
      extract(epoch FROM now() - s.status_at)::float8 AS value,
      s.status_at <= to_timestamp(${cutoffMs}::float8 / 1000) AND NOT ${restarts('d')} AS holds
    FROM devices d JOIN device_state s ON s.device_id = d.id
    WHERE ${isAmong('d.id', part)} AND d.lifecycle = 'active' AND s.status = 'offline' AND s.last_seen_at IS NOT NULL
    ORDER BY s.status_at`,
  )
}

/** The devices that are offline at sites of which too many are, with the percentage of the site. */
async function devicesOfDarkSites(
  looking: Looking,
  { conditions }: Of<'siteOffline'>,
  part: readonly Device[],
): Promise<Seen[] | null> {
  const cutoffMs = cutoffOf(conditions.seconds, looking.outages, looking.nowMs)
  const rows = await rowsWithin(
    looking.db,
    msLeft(looking),
    sql<{ deviceId: string; value: number }>`WITH ours AS (
      SELECT d.id, d.site_id, s.status = 'offline' AND s.status_at <= to_timestamp(${cutoffMs}::float8 / 1000) AS is_down
      FROM devices d JOIN device_state s ON s.device_id = d.id
      WHERE ${isAmong('d.id', part)} AND d.site_id IS NOT NULL AND d.lifecycle = 'active' AND s.last_seen_at IS NOT NULL),
    counted AS (SELECT id, is_down, count(*) OVER here AS total, count(*) FILTER (WHERE is_down) OVER here AS down
      FROM ours WINDOW here AS (PARTITION BY site_id))
    SELECT id AS device_id, round(100.0 * down / total, 1)::float8 AS value FROM counted
    WHERE is_down AND total >= ${conditions.minDevices} AND 100.0 * down / total >= ${conditions.percent} ORDER BY id`,
  )
  // Such a rule does not wait beyond the time of its condition.
  return rows?.map((row) => ({ ...row, holds: true, sinceMs: 0 })) ?? null
}

async function matchingDevices(looking: Looking, rule: Of<'filter'>, part: readonly Device[]): Promise<Seen[] | null> {
  const condition = await conditionOf(looking.db, rule.conditions.filter, rule)
  const rows = await rowsWithin(
    looking.db,
    msLeft(looking),
    sql<{ deviceId: string }>`SELECT devices.id AS device_id
    FROM devices LEFT JOIN device_state AS state ON state.device_id = devices.id
    WHERE ${isAmong('devices.id', part)} AND ${condition} ORDER BY devices.id`,
  )
  return rows?.map(({ deviceId }) => ({ deviceId, holds: true, value: null, sinceMs: null })) ?? null
}

/** With the value that the metric is going to have. */
async function forecasts(looking: Looking, rule: Of<'forecast'>, part: readonly Device[]): Promise<Seen[] | null> {
  const { metric, threshold, withinHours } = rule.conditions
  const lookBack = lookBackOf(withinHours)
  const points = await pointsOf(looking.db, msLeft(looking), idsOf(part), metric, lookBack)
  if (points === null) return null
  return [...Map.groupBy(points, ({ deviceId }) => deviceId)].map(([deviceId, ofDevice]) => {
    const line = new TrailingLine(lookBack)
    for (const { atMs, value } of ofDevice) if (value !== null) line.add(atMs, value)
    const drawn = line.at(looking.nowMs, withinHours)
    const value = drawn.atEnd === null ? null : Math.round(drawn.atEnd * 10) / 10
    return { deviceId, holds: reaches(metric, threshold, drawn), value, sinceMs: null }
  })
}

/** An event is over at once: devices with one during the hours of the test, and how many there were. */
async function devicesWithEvents(
  looking: Looking,
  { conditions }: Of<'event'>,
  part: readonly Device[],
): Promise<Seen[] | null> {
  const rows = await rowsWithin(
    looking.db,
    msLeft(looking),
    sql<{ deviceId: string; value: number }>`SELECT e.device_id, count(*)::int AS value FROM events e
    WHERE ${isAmong('e.deviceId', part)} AND e.type = ${conditions.type} AND e.data @> ${JSON.stringify(conditions.where ?? {})}::jsonb
      AND e.stored_at > now() - make_interval(secs => ${looking.hours * 3_600}) GROUP BY e.device_id ORDER BY e.device_id`,
  )
  return rows?.map((row) => ({ ...row, holds: true, sinceMs: 0 })) ?? null
}
