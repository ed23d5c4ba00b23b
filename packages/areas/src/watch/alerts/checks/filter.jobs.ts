// Rules whose condition is a filter over devices, and devices that left the targets of a rule.
import { asSystem, type Db } from '@muster/db/database.ts'
import { sql } from 'kysely'
import { every } from '../../../background/job.ts'
import type { WorkerParts } from '../../../background/worker-parts.ts'
import { inTargetsSql } from '../../../fleet/targets/index.ts'
import { normal } from '../evaluation/evaluate.ts'
import { applyTransitions, type Transition } from '../evaluation/transitions.ts'
import { enabledRules, type Found, type ScannedRule, transitionsOf } from './scan.ts'

const devicesAtOnce = 5_000

/** Matching devices without a firing state, and states of devices that match no longer. */
async function findMatching(db: Db, rule: ScannedRule): Promise<Found[]> {
  const since = sql`(extract(epoch FROM a.since) * 1000)::float8 AS since_ms`
  const { rows } = await sql<Found>`(SELECT d.id AS device_id, true AS holds, a.phase, ${since}
      FROM target_sets t JOIN target_filter_members m ON m.set_id = t.id JOIN devices d ON d.id = m.device_id
      LEFT JOIN alert_states a ON a.rule_id = ${rule.id} AND a.device_id = d.id
      WHERE t.id = ${rule.conditionSetId} AND a.phase IS DISTINCT FROM 'firing' AND ${sql.raw(inTargetsSql('t', 'd'))}
      LIMIT ${devicesAtOnce})
    UNION ALL
    (SELECT a.device_id, false, a.phase, ${since}
      FROM alert_states a JOIN target_sets t ON t.id = ${rule.conditionSetId} JOIN devices d ON d.id = a.device_id
      WHERE a.rule_id = ${rule.id} AND NOT ${sql.raw(inTargetsSql('t', 'd'))}
      LIMIT ${devicesAtOnce})`.execute(db)
  return rows
}

/** All rules in one transaction, whose statements leave together. */
export async function lookForMatches({ pool, publish }: Pick<WorkerParts, 'pool' | 'publish'>): Promise<void> {
  const events = await asSystem(pool, async (db) => {
    const rules = (await enabledRules(db, 'filter')).filter(({ conditionSetId }) => conditionSetId !== null)
    const found = await Promise.all(rules.map((rule) => findMatching(db, rule)))
    const transitions = rules.flatMap((rule, index) => transitionsOf(rule, found[index] ?? [], Date.now()))
    return transitions.length === 0 ? [] : applyTransitions(db, transitions)
  })
  await publish(events)
}

interface Left {
  readonly ruleId: string
  readonly version: number
  readonly deviceId: string
  readonly phase: string
}

/** Ends the states of devices that a rule no longer targets. */
export async function endLeft({ pool, publish }: Pick<WorkerParts, 'pool' | 'publish'>): Promise<void> {
  const events = await asSystem(pool, async (db) => {
    const { rows } = await sql<Left>`SELECT a.rule_id, r.version, a.device_id, a.phase
      FROM alert_states a JOIN alert_rules r ON r.id = a.rule_id JOIN target_sets t ON t.id = r.target_set_id
      JOIN devices d ON d.id = a.device_id
      WHERE r.enabled AND NOT ${sql.raw(inTargetsSql('t', 'd'))} LIMIT ${devicesAtOnce}`.execute(db)
    const transitions = rows.map(
      ({ ruleId, version, deviceId, phase }): Transition => ({
        ruleId,
        version,
        deviceId,
        phase: normal,
        sinceMs: Date.now(),
        fires: false,
        clears: phase !== 'pending',
        figures: [],
      }),
    )
    return applyTransitions(db, transitions)
  })
  await publish(events)
}

export const filterAlerts = every(1_500, 'alert-filters', lookForMatches)
export const leftTargets = every(4_000, 'alert-targets', endLeft)
