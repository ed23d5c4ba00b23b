import { isOneOf } from '@muster/db/conditions.ts'
import { asSystem, type Db } from '@muster/db/database.ts'
import { sql } from 'kysely'
import type {
  DeliveryKind,
  EndedDelivery,
  FailedTry,
  NotDelivered,
  SendResult,
} from '../../background/delivery-kind.ts'
import type { WorkerParts } from '../../background/worker-parts.ts'
import type { PartnerEvent } from '../live-events/index.ts'
import { type Claimed, probeMs, probesFrom } from './claim.ts'

/** A try of a claimed delivery and its result. */
export interface Tried {
  readonly claimed: Claimed
  readonly startedMs: number
  readonly durationMs: number
  readonly result: SendResult
}

/** What becomes of a delivery. */
interface Decision extends Tried {
  readonly status: 'pending' | 'succeeded' | 'failed' | 'canceled'
  /** Before the next try; null for deliveries that have ended. */
  readonly waitMs: number | null
}

const retryAfterMaxMs = 3_600_000
const attemptsMax = 40
const bodyMax = 1_000

export const decide = (kind: DeliveryKind, tried: Tried, random = Math.random()): Decision => {
  const { claimed, result, startedMs, durationMs } = tried
  if (result.delivered) return { ...tried, status: 'succeeded', waitMs: null }
  if (result.canceled === true) return { ...tried, status: 'canceled', waitMs: null }
  const wait = waitAfter(kind, claimed)
  if (wait === null || result.isFinal === true) return { ...tried, status: 'failed', waitMs: null }
  const asked = Math.min(result.retryAfterMs ?? 0, retryAfterMaxMs)
  const waitMs = Math.max(wait * (0.9 + 0.2 * random), asked)
  const isOver = claimed.lastsUntilMs !== null && startedMs + durationMs + waitMs > claimed.lastsUntilMs
  return isOver ? { ...tried, status: 'failed', waitMs: null } : { ...tried, status: 'pending', waitMs }
}

function waitAfter({ waitsMs }: DeliveryKind, { tries, lastsUntilMs }: Claimed): number | null {
  return waitsMs[tries - 1] ?? (lastsUntilMs === null ? null : (waitsMs.at(-1) ?? null))
}

/** Stores the results of tries. A delivery that another worker has taken over meanwhile is left to it. */
export async function settle(
  parts: WorkerParts,
  kinds: ReadonlyMap<string, DeliveryKind>,
  tried: readonly Tried[],
): Promise<void> {
  const events = await asSystem(parts.pool, async (db) => {
    const decisions = tried.flatMap((each) => {
      const kind = kinds.get(each.claimed.kind)
      return kind === undefined ? [] : [decide(kind, each)]
    })
    const ours = await storeTries(db, decisions)
    const lanes = await lanesAfter(db, ours)
    const events: PartnerEvent[] = []
    for (const [name, own] of Map.groupBy(ours, ({ claimed }) => claimed.kind))
      events.push(...(await tell(db, kinds.get(name), own, lanes, parts)))
    await storeLanes(db, [...lanes.values()])
    return events
  })
  if (events.length > 0) await publishLater(parts, events)
}

/** Live events may be missed: the state is stored. */
export const publishLater = (parts: WorkerParts, events: readonly PartnerEvent[]): Promise<void> =>
  parts.publish(events).catch((error: unknown) => parts.log.warn({ err: error }, 'Live events were not published'))

async function storeTries(db: Db, decisions: readonly Decision[]): Promise<Decision[]> {
  const attempts = decisions.map(({ startedMs, durationMs, result }) =>
    JSON.stringify({
      at: new Date(startedMs).toISOString(),
      status: result.status ?? null,
      durationMs: Math.round(durationMs),
      error: result.delivered ? null : result.error.slice(0, bodyMax),
      body: result.body?.slice(0, bodyMax).replaceAll('\u0000', '') ?? null,
    }),
  )
  const { rows } = await sql<{ id: string }>`
    UPDATE deliveries d SET status = u.status, attempts = CASE WHEN jsonb_array_length(d.attempts) < ${attemptsMax} THEN d.attempts ELSE d.attempts - 0 END || u.attempt,
      next_attempt_at = clock_timestamp() + make_interval(secs => u.wait / 1000),
      ended_at = CASE WHEN u.wait IS NULL THEN clock_timestamp() END
    FROM unnest(${decisions.map(({ claimed }) => claimed.id)}::uuid[], ${decisions.map(({ claimed }) => claimed.tries)}::integer[],
      ${decisions.map(({ status }) => status)}::text[], ${decisions.map(({ waitMs }) => waitMs)}::float8[], ${attempts}::jsonb[])
      AS u(id, tries, status, wait, attempt)
    WHERE d.id = u.id AND d.tries = u.tries AND d.status = 'delivering' RETURNING d.id`.execute(db)
  const stored = new Set(rows.map(({ id }) => id))
  return decisions.filter(({ claimed }) => stored.has(claimed.id))
}

/** A lane after the tries, which change it in the order in which they ended. */
interface LaneAfter {
  readonly lane: string
  failures: number
  failingSinceMs: number | null
  lastError: string | null
  succeeded: boolean
  /** From the endpoint's own wish, and the wait between probes. */
  waitMs: number
  readonly failed: FailedTry[]
}

async function lanesAfter(db: Db, decisions: readonly Decision[]): Promise<Map<string, LaneAfter>> {
  const rows = await db
    .selectFrom('deliveryLanes')
    .select(['lane', 'failures', 'failingSince', 'lastError'])
    .where(isOneOf('lane', [...new Set(decisions.map(({ claimed }) => claimed.lane))]))
    .execute()
  const lanes = new Map(
    rows.map(({ failingSince, ...row }): [string, LaneAfter] => {
      const failingSinceMs = failingSince === null ? null : Date.parse(failingSince)
      return [row.lane, { ...row, failingSinceMs, succeeded: false, waitMs: 0, failed: [] }]
    }),
  )
  for (const { claimed, result, startedMs, durationMs } of decisions) {
    const lane = lanes.get(claimed.lane)
    if (lane === undefined) continue
    if (!result.delivered && result.canceled === true) continue
    if (result.delivered) {
      Object.assign(lane, { failures: 0, failingSinceMs: null, lastError: null, succeeded: true, waitMs: 0 })
      continue
    }
    lane.failures += 1
    lane.failingSinceMs ??= startedMs
    lane.lastError = result.error
    lane.waitMs = Math.max(lane.waitMs, waitOf(result, lane.failures, durationMs))
    lane.failed.push({ delivery: claimed, result, failures: lane.failures, failingSinceMs: lane.failingSinceMs })
  }
  return lanes
}

/** The first of the probes comes one interval after the failure that made them necessary began. */
function waitOf({ retryAfterMs }: NotDelivered, failures: number, durationMs: number): number {
  const untilProbe = failures >= probesFrom ? Math.max(0, probeMs - durationMs) : 0
  return Math.max(untilProbe, Math.min(retryAfterMs ?? 0, retryAfterMaxMs))
}

async function tell(
  db: Db,
  kind: DeliveryKind | undefined,
  decisions: readonly Decision[],
  lanes: ReadonlyMap<string, LaneAfter>,
  parts: WorkerParts,
): Promise<readonly PartnerEvent[]> {
  const ids = new Set(decisions.map(({ claimed }) => claimed.id))
  const failed = [...lanes.values()].flatMap((lane) => lane.failed.filter(({ delivery }) => ids.has(delivery.id)))
  const afterFailures = failed.length > 0 ? await kind?.failed?.(db, failed, parts) : undefined
  const ended = decisions.flatMap(({ claimed, status, result }): EndedDelivery[] =>
    status === 'pending' || status === 'canceled'
      ? []
      : [{ delivery: claimed, status, error: result.delivered ? null : result.error }],
  )
  const afterEnds = ended.length > 0 ? await kind?.ended?.(db, ended, parts) : undefined
  return [...(afterFailures?.events ?? []), ...(afterEnds?.events ?? [])]
}

/** Makes the lanes due: there is room again. Comes last, so that lanes are locked after the rows of their areas, as when messages are queued. */
async function storeLanes(db: Db, lanes: readonly LaneAfter[]): Promise<void> {
  const since = lanes.map(({ failingSinceMs }) =>
    failingSinceMs === null ? null : new Date(failingSinceMs).toISOString(),
  )
  await sql`WITH locked AS MATERIALIZED (
      SELECT lane FROM delivery_lanes WHERE lane = ANY (${lanes.map(({ lane }) => lane)}::text[]) ORDER BY lane FOR NO KEY UPDATE)
    UPDATE delivery_lanes l SET failures = u.failures, failing_since = u.since, last_error = left(u.error, 1000),
      due_at = least(l.due_at, clock_timestamp()),
      last_success_at = CASE WHEN u.succeeded THEN clock_timestamp() ELSE l.last_success_at END,
      not_before = CASE
        WHEN u.wait > 0 THEN greatest(l.not_before, clock_timestamp() + make_interval(secs => u.wait / 1000))
        WHEN u.succeeded AND l.failures >= ${probesFrom} AND l.not_before < 'infinity' THEN '-infinity'
        ELSE l.not_before END
    FROM locked, unnest(${lanes.map(({ lane }) => lane)}::text[], ${lanes.map(({ failures }) => failures)}::integer[], ${since}::timestamptz[],
      ${lanes.map(({ lastError }) => lastError)}::text[], ${lanes.map(({ succeeded }) => succeeded)}::boolean[], ${lanes.map(({ waitMs }) => waitMs)}::float8[])
      AS u(lane, failures, since, error, succeeded, wait)
    WHERE l.lane = locked.lane AND u.lane = l.lane`.execute(db)
}
