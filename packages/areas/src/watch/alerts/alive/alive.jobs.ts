// A dead man's switch: each minute a canary goes through evaluation, alerts and events to the webhooks that asked for it.
import { asSystem, type Db } from '@muster/db/database.ts'
import { sql } from 'kysely'
import { counter } from '../../../background/counter.ts'
import { gauge } from '../../../background/gauge.ts'
import { every } from '../../../background/job.ts'
import type { WorkerParts } from '../../../background/worker-parts.ts'
import { emitAll, eventOf } from '../../../platform/events/index.ts'
import { compileRules } from '../evaluation/compile.ts'
import { firing, nextPhase, normal, truthOf } from '../evaluation/evaluate.ts'
import { createValues, takeSample } from '../evaluation/sample.ts'
import { watch } from '../evaluation/watched.ts'
import { raiseAlerts } from '../lifecycle/raise.ts'
import { systemAlive } from './alive-events.contract.ts'

export const aliveAt = gauge(
  'alive_timestamp_seconds',
  'When a canary last passed the evaluation and storing of alerts',
)
export const aliveFailures = counter(
  'alive_failures_total',
  'Canaries that did not pass the evaluation and storing of alerts',
  [],
)

const conditions = { kind: 'metric', metric: 'cpuPercent', operator: 'gt', threshold: 90, aggregate: 'last' } as const

/** @throws when a sample above a threshold does not fire */
export function evaluateCanary(cpuPercent = 100): void {
  const rules = compileRules([{ id: 'canary', version: 1, conditions, forSeconds: 0, clearForSeconds: 0 }])
  const [rule] = rules.rules
  const watched = watch(0, rules)
  const values = createValues()
  takeSample(values, [Float64Array.of(cpuPercent)], 0, watched, 1)
  const phase =
    rule === undefined ? normal : nextPhase(rule, normal, 0, truthOf(rule.root, watched, values, 1, false), 1)
  if (phase !== firing) throw new Error('The canary did not fire')
}

/** Stores an alert as rules do, and takes it back. @throws when it was not stored */
async function raiseCanary(db: Db): Promise<void> {
  const { rows } = await sql<{
    id: string
    partnerId: string
  }>`SELECT id, partner_id FROM organizations WHERE deleted_at IS NULL LIMIT 1`.execute(db)
  const [place] = rows
  if (place === undefined) return
  await sql`SAVEPOINT canary`.execute(db)
  const about = { source: 'system', key: 'canary', severity: 'info', title: 'Canary', message: '' } as const
  const { ids } = await raiseAlerts(db, [{ ...about, partnerId: place.partnerId, orgId: place.id }])
  await sql`ROLLBACK TO SAVEPOINT canary`.execute(db)
  if (!ids.has(about.key)) throw new Error('The alert of the canary was not stored')
}

/** Only webhooks that name it get it, so that a subscription to all events has no message each minute. */
async function emitAlive(db: Db, durationMs: number): Promise<void> {
  const { rows } = await sql<{
    partnerId: string
    orgId: string | null
  }>`SELECT DISTINCT partner_id, org_id FROM webhooks
    WHERE status = 'active' AND events && ARRAY['system.*', ${systemAlive.name}::text]`.execute(db)
  await emitAll(
    db,
    rows.map((place) => eventOf(systemAlive, { ...place, data: { durationMs } })),
  )
}

export async function sendCanary(parts: Pick<WorkerParts, 'pool' | 'count' | 'set'>): Promise<void> {
  const beganMs = performance.now()
  try {
    evaluateCanary()
    await asSystem(parts.pool, async (db) => {
      await raiseCanary(db)
      await emitAlive(db, Math.round(performance.now() - beganMs))
    })
    parts.set(aliveAt, Math.floor(Date.now() / 1_000))
  } catch (error) {
    parts.count(aliveFailures, {})
    throw error
  }
}

export const systemCanary = every(60_000, 'system-alive', sendCanary)
