import { asSystem } from '@muster/db/database.ts'
import type pg from 'pg'
import { firing } from '../evaluation/evaluate.ts'
import { applyTransitions, type Transition } from '../evaluation/transitions.ts'

/** Lets a rule fire for a device, as a worker would. @returns the id of the alert */
export async function firedFor(
  system: pg.Pool,
  ruleId: string,
  deviceId: string,
  figures: Transition['figures'] = [],
): Promise<string> {
  const { rows: found } = await system.query<{ version: number }>('SELECT version FROM alert_rules WHERE id = $1', [
    ruleId,
  ])
  const version = found[0]?.version ?? 0
  const sinceMs = Date.now()
  await asSystem(system, (db) =>
    applyTransitions(db, [{ deviceId, ruleId, version, phase: firing, sinceMs, fires: true, clears: false, figures }]),
  )
  const { rows } = await system.query<{ id: string }>('SELECT id FROM alerts WHERE rule_id = $1 AND device_id = $2', [
    ruleId,
    deviceId,
  ])
  return rows[0]?.id ?? ''
}

/** How many states a rule has. */
export async function statesOf(system: pg.Pool, ruleId: string): Promise<number> {
  const { rows } = await system.query<{ count: number }>(
    'SELECT count(*)::int AS count FROM alert_states WHERE rule_id = $1',
    [ruleId],
  )
  return rows[0]?.count ?? 0
}
