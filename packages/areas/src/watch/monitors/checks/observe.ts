// Takes in what probes observed: results, their sums, the state of each probe, the status of the monitor, and its alerts.
import type { Db } from '@muster/db/database.ts'
import type { Log } from '@muster/kit/log.ts'
import { sql } from 'kysely'
import type { Observed } from '../../../background/observer.ts'
import type { PartnerEvent } from '../../../platform/live-events/index.ts'
import { behindSavepoint } from '../../alerts/index.ts'
import { judgeAlerts, type Looked } from '../alerts/judge-alerts.ts'
import type { StoredMonitor } from '../monitor.queries.ts'
import { changeStatuses, type StatusChange } from './change-status.ts'
import { storeResults } from './results.ts'
import { judge, type ProbeState, probeAfter, type Verdict } from './status.rules.ts'

/** An agent that cannot do a check is not chosen for it again before this. */
const unableMinutes = 10

interface ProbeRow {
  readonly monitorId: string
  readonly deviceId: string
  readonly verdict: Verdict
  readonly failing: number
  readonly reason: string | null
  readonly observedMs: number
  readonly unable: boolean
}

interface Probe {
  readonly deviceId: string
  state: ProbeState
  observedMs: number
  unable: boolean
  isChanged: boolean
}

const uuid = /^[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}$/

/** Stores observations of monitors, in the open transaction. Those of devices that are no probes any more are dropped. */
export async function observe(db: Db, observed: readonly Observed[], log: Log): Promise<PartnerEvent[]> {
  const ids = [...new Set(observed.map(({ id }) => id).filter((id) => uuid.test(id)))].sort()
  if (ids.length === 0) return []
  const { rows: monitors } =
    await sql<StoredMonitor>`SELECT * FROM monitors WHERE id = ANY (${ids}::uuid[]) AND enabled ORDER BY id FOR NO KEY UPDATE`.execute(
      db,
    )
  const { rows } = await sql<ProbeRow>`SELECT monitor_id, device_id, verdict, failing, reason,
      coalesce(extract(epoch FROM observed_at) * 1000, 0)::float8 AS observed_ms, unable_until IS NOT NULL AS unable
    FROM monitor_probes WHERE monitor_id = ANY (${ids}::uuid[]) ORDER BY monitor_id, device_id FOR NO KEY UPDATE`.execute(
    db,
  )
  const probesOf = Map.groupBy(rows, ({ monitorId }) => monitorId)
  const byId = new Map(monitors.map((monitor) => [monitor.id, monitor]))
  const accepted = observed.filter(
    ({ id, deviceId }) => byId.has(id) && probesOf.get(id)?.some((probe) => probe.deviceId === deviceId),
  )
  const fresh = await storeResults(db, accepted, byId)
  const looked: Looked[] = []
  const changes: StatusChange[] = []
  const probes: { monitorId: string; probe: Probe }[] = []
  for (const [id, own] of Map.groupBy(fresh, (each) => each.id)) {
    const monitor = byId.get(id)
    if (monitor === undefined) continue
    const states = (probesOf.get(id) ?? []).map(probeOf)
    follow(monitor, states, own)
    const judged = statusAfter(states)
    if (judged !== null && (judged.status !== monitor.status || judged.reason !== monitor.statusReason))
      changes.push({ monitor, ...judged })
    probes.push(...states.filter(({ isChanged }) => isChanged).map((probe) => ({ monitorId: id, probe })))
    looked.push({ monitor, ...(judged ?? { status: monitor.status, reason: monitor.statusReason }), observed: own })
  }
  await storeProbes(db, probes)
  await storeLooks(db, looked)
  await changeStatuses(db, changes)
  return behindSavepoint(db, log, () => judgeAlerts(db, looked))
}

const probeOf = ({ deviceId, verdict, failing, reason, observedMs, unable }: ProbeRow): Probe => ({
  deviceId,
  state: { verdict, failing, reason },
  observedMs,
  unable,
  isChanged: false,
})

/** Applies observations to the probes, oldest first. One that is older than what is known changes nothing. */
function follow(monitor: StoredMonitor, probes: readonly Probe[], observed: readonly Observed[]): void {
  const { certificateDays = null } = monitor.config
  const rule = { retries: monitor.retries, certificateDays: certificateDays === null ? null : Number(certificateDays) }
  for (const observation of [...observed].sort((a, b) => a.at - b.at)) {
    const probe = probes.find(({ deviceId }) => deviceId === observation.deviceId)
    if (probe === undefined || probe.observedMs >= observation.at) continue
    probe.state = probeAfter(probe.state, observation, rule)
    probe.observedMs = observation.at
    // A pinned device is the only one that may check.
    probe.unable = observation.state === 'unknown' && monitor.deviceId === null
    probe.isChanged = true
  }
}

function statusAfter(probes: readonly Probe[]): Omit<StatusChange, 'monitor'> | null {
  const able = probes.filter(({ unable, state, observedMs }) => !unable && !(observedMs > 0 && isUnknown(state)))
  if (able.length > 0) return judge(able.map(({ state }) => state))
  const reason = probes.find(({ state }) => state.reason !== null)?.state.reason ?? 'no_probe'
  return { status: 'unknown', reason }
}

/** A failing round of a probe that has no verdict yet is no inability. */
const isUnknown = ({ verdict, failing }: ProbeState): boolean => verdict === 'unknown' && failing === 0

async function storeProbes(db: Db, changed: readonly { monitorId: string; probe: Probe }[]): Promise<void> {
  if (changed.length === 0) return
  const column = <Value>(of: (probe: Probe) => Value) => changed.map(({ probe }) => of(probe))
  await sql`UPDATE monitor_probes p SET verdict = u.verdict, failing = u.failing, reason = left(u.reason, 500),
      observed_at = to_timestamp(u.at / 1000),
      unable_until = CASE WHEN u.unable THEN now() + make_interval(mins => ${unableMinutes}) END
    FROM unnest(${changed.map(({ monitorId }) => monitorId)}::uuid[], ${column(({ deviceId }) => deviceId)}::uuid[],
      ${column(({ state }) => state.verdict)}::text[], ${column(({ state }) => Math.min(state.failing, 1_000_000))}::int[],
      ${column(({ state }) => state.reason)}::text[], ${column(({ observedMs }) => observedMs)}::float8[],
      ${column(({ unable }) => unable)}::boolean[]) AS u(monitor_id, device_id, verdict, failing, reason, at, unable)
    WHERE p.monitor_id = u.monitor_id AND p.device_id = u.device_id`.execute(db)
}

/** What lists show of the last check. */
async function storeLooks(db: Db, looked: readonly Looked[]): Promise<void> {
  if (looked.length === 0) return
  const latest = looked.map(({ observed }) => {
    const last = observed.reduce((a, b) => (b.at > a.at ? b : a))
    return { at: last.at, ms: averageMs(last), expires: last.certificateExpiresAt ?? null }
  })
  await sql`UPDATE monitors m SET last_check_at = greatest(m.last_check_at, to_timestamp(u.at / 1000)),
      last_response_ms = coalesce(round(u.ms::numeric, 3)::float8, m.last_response_ms),
      certificate_expires_at = coalesce(to_timestamp(u.expires / 1000), m.certificate_expires_at)
    FROM unnest(${looked.map(({ monitor }) => monitor.id)}::uuid[], ${latest.map(({ at }) => at)}::float8[],
      ${latest.map(({ ms }) => ms)}::float8[], ${latest.map(({ expires }) => expires)}::float8[]) AS u(id, at, ms, expires)
    WHERE m.id = u.id`.execute(db)
}

/** The average of the rounds that were answered. */
export const averageMs = ({ sumMs, rounds, failed }: Pick<Observed, 'sumMs' | 'rounds' | 'failed'>): number | null =>
  sumMs === undefined ? null : sumMs / Math.max(1, rounds - failed)
