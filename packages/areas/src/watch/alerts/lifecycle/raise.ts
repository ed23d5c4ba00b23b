// The way in for every alert: from rules, and from other areas through `raiseAlerts` and `clearAlerts`.
import { type Db, planAnew } from '@muster/db/database.ts'
import { sql } from 'kysely'
import type { PartnerEvent } from '../../../platform/live-events/index.ts'
import type { AlertSource } from '../words.contract.ts'
import { flappingKeys, flapsNow } from './flapping.ts'
import { countSuppressed } from './maintenance.ts'
import type { Raise } from './raising.ts'
import type { Changed, StoredAlert } from './stored-alert.ts'
import { type Suppressing, suppressionsOf } from './suppressions.ts'
import { emitSystemChanges } from './system-changes.ts'
import { addToTimeline, type NewEntry } from './timeline.ts'

export interface Raised {
  /** The ids of alerts that were opened or reopened, by key. */
  readonly ids: ReadonlyMap<string, string>
  /** To publish after the commit. */
  readonly events: PartnerEvent[]
}

interface Latest {
  readonly n: number
  readonly id: string
  readonly isOpen: boolean
  readonly holds: boolean
  readonly mayReopen: boolean
}

/** The latest alert of each key, locked until the transaction ends. */
async function latestOf(db: Db, raises: readonly Raise[]): Promise<Map<number, Latest>> {
  const { rows } = await sql<Latest>`SELECT g.n::int AS n, l.id, l.is_open, l.holds, l.may_reopen
    FROM unnest(${raises.map(({ source }) => source)}::text[], ${raises.map(({ key }) => key)}::text[],
      ${raises.map(({ reopenSeconds = reopenSecondsUsual }) => reopenSeconds)}::int[]) WITH ORDINALITY AS g(source, key, reopen, n)
    CROSS JOIN LATERAL (
      SELECT a.id, a.status <> 'resolved' AS is_open, a.holds,
        coalesce(a.resolved_at > now() - make_interval(secs => g.reopen), false) AS may_reopen
      FROM alerts a WHERE a.source = g.source AND a.key = g.key ORDER BY a.opened_at DESC LIMIT 1 FOR UPDATE) l`.execute(
    db,
  )
  return new Map(rows.map((row) => [row.n - 1, row]))
}

const reopenSecondsUsual = 300

/**
 * Opens alerts whose conditions became true, or reopens those that were resolved a moment ago. A condition that is known to
 * be true changes nothing.
 */
export async function raiseAlerts(db: Db, raises: readonly Raise[]): Promise<Raised> {
  const distinct = [...new Map(raises.map((raise) => [`${raise.source} ${raise.key}`, raise])).values()]
  if (distinct.length === 0) return { ids: new Map(), events: [] }
  const [, latest] = await Promise.all([planAnew(db), latestOf(db, distinct)])
  const again: { id: string; raise: Raise }[] = []
  const fresh: Raise[] = []
  const known = new Set<Raise>()
  for (const [index, raise] of distinct.entries()) {
    const last = latest.get(index)
    if (last?.holds === true) continue
    if (last !== undefined) known.add(raise)
    if (last !== undefined && (last.isOpen || last.mayReopen)) again.push({ id: last.id, raise })
    else fresh.push(raise)
  }
  const due = [...again.map(({ raise }) => raise), ...fresh]
  if (due.length === 0) return { ids: new Map(), events: [] }
  const [suppressions, flapping] = await Promise.all([
    suppressionsOf(db, due),
    flappingKeys(
      db,
      due.filter((raise) => known.has(raise)),
    ),
  ])
  const changes: Changed[] = []
  const entries: NewEntry[] = []
  for (const row of await repeat(db, again, suppressions, flapping)) {
    const { before, ...alert } = row
    const isBack = before === 'resolved'
    entries.push({ alert, kind: isBack ? 'reopened' : 'repeated', details: { occurrences: alert.occurrences } })
    if (isBack) changes.push({ change: alert.status === 'suppressed' ? 'suppressed' : 'reopened', alert })
  }
  for (const alert of await open(db, fresh, suppressions, flapping)) {
    entries.push({ alert, kind: 'opened', details: suppressionDetails(alert) })
    changes.push({ change: 'opened', alert })
  }
  const held = [...suppressions.values()].filter(({ kind }) => kind === 'maintenance')
  await countSuppressed(
    db,
    held.map(({ id }) => id),
  )
  await addToTimeline(db, entries)
  const events = await emitSystemChanges(db, changes)
  return { ids: new Map(changes.map(({ alert }) => [alert.key, alert.id])), events }
}

const suppressionDetails = ({ status, suppressionKind, suppressionId, suppressionReason }: StoredAlert) =>
  status === 'suppressed'
    ? { suppression: { kind: suppressionKind, id: suppressionId, reason: suppressionReason } }
    : {}

const columns = (
  raises: readonly Raise[],
  suppressions: ReadonlyMap<Raise, Suppressing>,
  flapping: ReadonlySet<string>,
) => {
  const of = (raise: Raise) => suppressions.get(raise)
  return sql`unnest(${raises.map(({ key }) => key)}::text[], ${raises.map((raise) => (of(raise) === undefined ? 'active' : 'suppressed'))}::text[],
    ${raises.map((raise) => of(raise)?.kind ?? null)}::text[], ${raises.map((raise) => of(raise)?.id ?? null)}::uuid[],
    ${raises.map((raise) => of(raise)?.reason ?? null)}::text[], ${raises.map((raise) => of(raise)?.until ?? null)}::timestamptz[],
    ${raises.map(({ key }) => flapping.has(key))}::boolean[], ${raises.map(({ severity }) => severity)}::text[],
    ${raises.map(({ title }) => title)}::text[], ${raises.map(({ message }) => message)}::text[],
    ${raises.map(({ context = {} }) => JSON.stringify(context))}::jsonb[], ${raises.map(({ ruleVersion }) => ruleVersion ?? null)}::int[],
    ${raises.map(({ autoResolve = true }) => autoResolve)}::boolean[],
    ${raises.map(({ reopenSeconds = reopenSecondsUsual }) => reopenSeconds)}::int[],
    ${raises.map(({ policyId }) => policyId ?? null)}::uuid[], ${raises.map(({ channelIds = [] }) => channelIds.join(','))}::text[])`
}
const columnNames = sql`key, status, suppression_kind, suppression_id, suppression_reason, suppressed_until, flapping, severity, title, message, context,
  rule_version, auto_resolve, reopen_seconds, policy_id, channel_ids`
/** Of the rows of `columns`. */
const givenChannels = sql`coalesce(string_to_array(nullif(g.channel_ids, ''), ',')::uuid[], '{}')`

/** Alerts whose condition is true again: open ones count one more occurrence, resolved ones are reopened, as their rule is now. */
async function repeat(
  db: Db,
  again: readonly { id: string; raise: Raise }[],
  suppressions: ReadonlyMap<Raise, Suppressing>,
  flapping: ReadonlySet<string>,
): Promise<(StoredAlert & { before: string })[]> {
  if (again.length === 0) return []
  const given = columns(
    again.map(({ raise }) => raise),
    suppressions,
    flapping,
  )
  const { rows } = await sql<
    StoredAlert & { before: string }
  >`UPDATE alerts a SET holds = true, occurrences = a.occurrences + 1,
      last_changed_at = now(), flapping = ${flapsNow} OR g.flapping, title = g.title, message = g.message, context = g.context,
      status = CASE WHEN o.before = 'resolved' THEN g.status ELSE a.status END,
      suppression_kind = CASE WHEN o.before = 'resolved' THEN g.suppression_kind ELSE a.suppression_kind END,
      suppression_id = CASE WHEN o.before = 'resolved' THEN g.suppression_id ELSE a.suppression_id END,
      suppression_reason = CASE WHEN o.before = 'resolved' THEN g.suppression_reason ELSE a.suppression_reason END,
      suppressed_until = CASE WHEN o.before = 'resolved' THEN g.suppressed_until ELSE a.suppressed_until END,
      severity = CASE WHEN o.before = 'resolved' THEN g.severity ELSE a.severity END,
      rule_version = CASE WHEN o.before = 'resolved' THEN g.rule_version ELSE a.rule_version END,
      auto_resolve = CASE WHEN o.before = 'resolved' THEN g.auto_resolve ELSE a.auto_resolve END,
      reopen_seconds = CASE WHEN o.before = 'resolved' THEN g.reopen_seconds ELSE a.reopen_seconds END,
      policy_id = CASE WHEN o.before = 'resolved' THEN g.policy_id ELSE a.policy_id END,
      channel_ids = CASE WHEN o.before = 'resolved' THEN ${givenChannels} ELSE a.channel_ids END,
      resolution = CASE WHEN o.before = 'resolved' THEN NULL ELSE a.resolution END,
      resolved_at = NULL, resolved_by = NULL, released_at = NULL,
      acknowledged_at = CASE WHEN o.before = 'resolved' THEN NULL ELSE a.acknowledged_at END,
      acknowledged_by = CASE WHEN o.before = 'resolved' THEN NULL ELSE a.acknowledged_by END,
      acknowledged_until = CASE WHEN o.before = 'resolved' THEN NULL ELSE a.acknowledged_until END
    FROM ${given} WITH ORDINALITY AS g(${columnNames}, n)
    JOIN (SELECT i.n, b.id, b.status AS before FROM unnest(${again.map(({ id }) => id)}::uuid[]) WITH ORDINALITY AS i(id, n) JOIN alerts b ON b.id = i.id) o ON o.n = g.n
    WHERE a.id = o.id RETURNING a.*, o.before`.execute(db)
  return rows
}

/** New alerts. Devices that left meanwhile get none. */
async function open(
  db: Db,
  fresh: readonly Raise[],
  suppressions: ReadonlyMap<Raise, Suppressing>,
  flapping: ReadonlySet<string>,
): Promise<StoredAlert[]> {
  if (fresh.length === 0) return []
  const { rows } =
    await sql<StoredAlert>`INSERT INTO alerts AS a (${columnNames}, source, partner_id, org_id, site_id, device_id, rule_id, monitor_id)
    SELECT g.key, g.status, g.suppression_kind, g.suppression_id, g.suppression_reason, g.suppressed_until, g.flapping, g.severity, g.title,
      g.message, g.context, g.rule_version, g.auto_resolve, g.reopen_seconds, g.policy_id, ${givenChannels},
      p.source, p.partner_id, p.org_id, p.site_id, p.device_id, p.rule_id, p.monitor_id
    FROM ${columns(fresh, suppressions, flapping)} WITH ORDINALITY AS g(${columnNames}, n)
    JOIN unnest(${fresh.map(({ source }) => source)}::text[], ${fresh.map(({ partnerId }) => partnerId)}::uuid[],
      ${fresh.map(({ orgId }) => orgId)}::uuid[], ${fresh.map(({ siteId }) => siteId ?? null)}::uuid[],
      ${fresh.map(({ deviceId }) => deviceId ?? null)}::uuid[], ${fresh.map(({ ruleId }) => ruleId ?? null)}::uuid[],
      ${fresh.map(({ monitorId }) => monitorId ?? null)}::uuid[])
      WITH ORDINALITY AS p(source, partner_id, org_id, site_id, device_id, rule_id, monitor_id, n)
      ON p.n = g.n
    WHERE p.device_id IS NULL
      OR EXISTS (SELECT FROM devices d WHERE d.id = p.device_id AND d.org_id = p.org_id AND d.lifecycle <> 'decommissioned')
    ON CONFLICT (source, key) WHERE status <> 'resolved' DO NOTHING
    RETURNING a.*`.execute(db)
  return rows
}

/** Which condition became false. */
export interface Clear {
  readonly source: AlertSource
  readonly key: string
}

/** Notes that conditions became false. Open alerts are resolved, unless their rule leaves that to people. */
export async function clearAlerts(db: Db, clears: readonly Clear[]): Promise<PartnerEvent[]> {
  if (clears.length === 0) return []
  const { rows } = await sql<StoredAlert & { before: string }>`WITH ended AS MATERIALIZED (
      SELECT a.id, a.status AS before, a.status <> 'resolved' AND a.auto_resolve AS resolves
      FROM unnest(${clears.map(({ source }) => source)}::text[], ${clears.map(({ key }) => key)}::text[]) AS g(source, key)
      JOIN alerts a ON a.source = g.source AND a.key = g.key AND a.holds ORDER BY a.id FOR UPDATE OF a)
    UPDATE alerts a SET holds = false, last_changed_at = CASE WHEN e.before = 'resolved' THEN a.last_changed_at ELSE now() END,
      status = CASE WHEN e.resolves THEN 'resolved' ELSE a.status END,
      resolution = CASE WHEN e.resolves THEN 'auto' ELSE a.resolution END,
      resolved_at = CASE WHEN e.resolves THEN now() ELSE a.resolved_at END,
      suppression_kind = CASE WHEN e.resolves THEN NULL ELSE a.suppression_kind END,
      suppression_id = CASE WHEN e.resolves THEN NULL ELSE a.suppression_id END,
      suppression_reason = CASE WHEN e.resolves THEN NULL ELSE a.suppression_reason END,
      suppressed_until = CASE WHEN e.resolves THEN NULL ELSE a.suppressed_until END
    FROM ended e WHERE a.id = e.id RETURNING a.*, e.before`.execute(db)
  const open = rows.filter(({ before }) => before !== 'resolved')
  await addToTimeline(
    db,
    open.map((alert) => ({ alert, kind: alert.status === 'resolved' ? ('resolved' as const) : ('cleared' as const) })),
  )
  return emitSystemChanges(
    db,
    open.flatMap(({ before: _, ...alert }) =>
      alert.status === 'resolved' ? [{ change: 'resolved' as const, alert }] : [],
    ),
  )
}
