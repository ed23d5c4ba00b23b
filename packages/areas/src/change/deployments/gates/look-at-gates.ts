// Looks at the gates of a batch whose devices have ended and whose soak is over.
import type { Db } from '@muster/db/database.ts'
import { type Expression, type SqlBool, sql } from 'kysely'
import { conditionOf } from '../../../fleet/devices/index.ts'
import { Severity } from '../../../platform/events/severity.contract.ts'
import type { Row } from '../deployments.queries.ts'
import type { Gate, GateState } from './gate.contract.ts'
import { metricWorseBy } from './metric.ts'
import { readGates, storeGates } from './stored-gates.ts'

/** So long a gate is looked at again. After that the deployment halts. A person is waited for until the deadline. */
export const patienceMs = 30 * 60_000

export interface LookedAt {
  readonly areGreen: boolean
  /** One was not green for too long. */
  readonly isOverdue: boolean
  /** The first one that is not green. */
  readonly notGreen: GateState['type'] | null
}

/** What was found; null for `isGreen` while nothing is known. */
interface Look {
  readonly actual: number | null
  readonly isGreen: boolean | null
}

/** Looks at the gates and stores their states. */
export async function lookAtGates(db: Db, row: Row, batch: number, gates: readonly Gate[]): Promise<LookedAt> {
  const nowMs = Date.now()
  const before = await readGates(db, row.id, batch, gates)
  const states: GateState[] = []
  for (const [index, gate] of gates.entries()) {
    const known = before[index]
    if (known === undefined) continue
    states.push(known.passedBy === null ? stateAfter(known, await look(db, row, batch, gate), nowMs) : known)
  }
  await storeGates(db, row.id, batch, states)
  const open = states.filter(({ status }) => status !== 'green')
  return {
    areGreen: open.length === 0,
    isOverdue: open.some(({ type, since }) => type !== 'person' && isLongAgo(since, nowMs)),
    notGreen: open[0]?.type ?? null,
  }
}

const isLongAgo = (since: string | null, nowMs: number) => since !== null && nowMs - Date.parse(since) >= patienceMs

function stateAfter(before: GateState, { actual, isGreen }: Look, nowMs: number): GateState {
  const status = isGreen === null ? 'waiting' : isGreen ? 'green' : 'red'
  const isSame = before.since !== null && (before.status === 'green') === (isGreen === true)
  return { ...before, status, actual, since: isSame ? before.since : new Date(nowMs).toISOString() }
}

async function look(db: Db, row: Row, batch: number, gate: Gate): Promise<Look> {
  switch (gate.type) {
    case 'online':
      return share(db, row, batch, { holds: sql<SqlBool>`state.status = 'online'`, percent: gate.percent })
    case 'filter':
      return share(db, row, batch, { holds: await conditionOf(db, gate.filter, row), percent: gate.percent })
    case 'alerts': {
      const actual = await alertsOn(db, row, batch, gate.severity)
      return { actual, isGreen: actual <= gate.max }
    }
    case 'metric': {
      const actual = await metricWorseBy(db, row.id, batch, gate.field)
      return { actual, isGreen: actual === null ? null : actual <= gate.worseByPercent }
    }
    case 'person':
      return { actual: null, isGreen: null }
  }
}

interface Share {
  readonly holds: Expression<SqlBool>
  readonly percent: number
}

/** Of how many of the devices something holds. */
async function share(db: Db, { id }: Row, batch: number, { holds, percent }: Share): Promise<Look> {
  const { rows } = await sql<{ total: number; good: number }>`
    SELECT count(*) AS total, count(*) FILTER (WHERE ${holds}) AS good
    FROM deployment_devices JOIN devices ON devices.id = deployment_devices.device_id
    LEFT JOIN device_state AS state ON state.device_id = devices.id
    WHERE deployment_devices.deployment_id = ${id}::uuid AND deployment_devices.batch = ${batch} AND deployment_devices.attempt > 0`.execute(
    db,
  )
  const { total = 0, good = 0 } = rows[0] ?? {}
  if (total === 0) return { actual: null, isGreen: null }
  return { actual: Math.floor((1_000 * good) / total) / 10, isGreen: good * 100 >= percent * total }
}

/** Open alerts of the devices that were opened or reopened since the batch began. */
async function alertsOn(db: Db, { id }: Row, batch: number, severity: Severity): Promise<number> {
  const worst = Severity.options.slice(0, Severity.options.indexOf(severity) + 1)
  const { rows } = await sql<{ count: number }>`
    SELECT count(*) AS count FROM deployment_devices device
    JOIN deployment_batches batch ON batch.deployment_id = device.deployment_id AND batch.number = device.batch
    JOIN alerts ON alerts.device_id = device.device_id
    WHERE device.deployment_id = ${id}::uuid AND device.batch = ${batch} AND device.attempt > 0
      AND alerts.status IN ('active', 'acknowledged') AND alerts.severity = ANY (${worst}::text[])
      AND (alerts.opened_at >= batch.began_at OR EXISTS (SELECT FROM alert_timeline entry
        WHERE entry.alert_id = alerts.id AND entry.kind = 'reopened' AND entry.at >= batch.began_at))`.execute(db)
  return rows[0]?.count ?? 0
}
