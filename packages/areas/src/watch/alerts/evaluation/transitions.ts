// Writes what changed for rules and devices: the state rows, and the alerts that open or end.
import { type Db, handleOn } from '@muster/db/database.ts'
import { sql } from 'kysely'
import type pg from 'pg'
import type { Stored } from '../../../background/record.ts'
import type { WorkerParts } from '../../../background/worker-parts.ts'
import type { PartnerEvent } from '../../../platform/live-events/index.ts'
import { clearAlerts, raiseAlerts } from '../lifecycle/raise.ts'
import { behindSavepoint } from '../lifecycle/savepoint.ts'
import { type RaisingRule, raisesOf } from '../rules/rule-alerts.ts'
import { normal, phaseNames } from './evaluate.ts'

/** The phase of a rule for a device changed. */
export interface Transition {
  readonly deviceId: string
  readonly ruleId: string
  readonly version: number
  readonly phase: number
  readonly sinceMs: number
  /** The alert opens. */
  readonly fires: boolean
  /** The condition became false. */
  readonly clears: boolean
  /** What the condition compared. */
  readonly figures: readonly { readonly metric: string; readonly threshold: number; readonly value: number | null }[]
  /** What else the alert says. */
  readonly context?: Readonly<Record<string, unknown>>
}

/** The rules as they are now. They stay so until the transaction ends. */
export async function lockRules(db: Db, ruleIds: readonly string[]): Promise<Map<string, RaisingRule>> {
  const { rows } =
    await sql<RaisingRule>`SELECT id, partner_id, name, severity, version, conditions, auto_resolve, reopen_seconds, title,
      message, channel_ids, policy_id, depends_on_rule_ids, snoozed_until
    FROM alert_rules WHERE id = ANY (${[...new Set(ruleIds)].sort()}::uuid[]) AND enabled ORDER BY id FOR SHARE`.execute(
      db,
    )
  return new Map(rows.map((row) => [row.id, row]))
}

export const alertKey = (ruleId: string, subjectId: string): string => `${ruleId}:${subjectId}`

/**
 * Stores transitions in the open transaction. Those of rules that were changed or deleted meanwhile are dropped, because the
 * workers learn the rules again then.
 */
export async function applyTransitions(db: Db, transitions: readonly Transition[]): Promise<PartnerEvent[]> {
  const rules = await lockRules(
    db,
    transitions.map(({ ruleId }) => ruleId),
  )
  const valid = transitions.filter(({ ruleId, version }) => rules.get(ruleId)?.version === version)
  // A device may pass several phases in one read: the last one is its state.
  const last = new Map(valid.map((each) => [`${each.ruleId} ${each.deviceId}`, each]))
  const states = [...last.values()]
  await storeStates(
    db,
    states.filter(({ phase }) => phase !== normal),
  )
  await dropStates(
    db,
    states.filter(({ phase }) => phase === normal),
  )
  const events: PartnerEvent[] = []
  for (const round of rounds(valid)) {
    const raises = await raisesOf(
      db,
      rules,
      round.filter(({ fires }) => fires),
    )
    events.push(...(await raiseAlerts(db, raises)).events)
    const ended = round.filter(({ clears }) => clears)
    const clears = ended.map(({ ruleId, deviceId }) => ({ source: 'rule' as const, key: alertKey(ruleId, deviceId) }))
    events.push(...(await clearAlerts(db, clears)))
  }
  return events
}

/** Alerts open and end in order: the transitions of one rule and device are in rounds of their own. */
function rounds(transitions: readonly Transition[]): Transition[][] {
  const list: Transition[][] = []
  const count = new Map<string, number>()
  for (const transition of transitions) {
    if (!transition.fires && !transition.clears) continue
    const key = alertKey(transition.ruleId, transition.deviceId)
    const round = count.get(key) ?? 0
    count.set(key, round + 1)
    const own = list[round] ?? []
    own.push(transition)
    list[round] = own
  }
  return list
}

async function storeStates(db: Db, states: readonly Transition[]): Promise<void> {
  if (states.length === 0) return
  await sql`INSERT INTO alert_states (rule_id, device_id, partner_id, org_id, phase, since)
    SELECT u.rule_id, d.id, d.partner_id, d.org_id, u.phase, to_timestamp(u.since_ms / 1000)
    FROM unnest(${states.map(({ ruleId }) => ruleId)}::uuid[], ${states.map(({ deviceId }) => deviceId)}::uuid[],
      ${states.map(({ phase }) => phaseNames[phase] ?? 'pending')}::text[], ${states.map(({ sinceMs }) => sinceMs)}::float8[])
      AS u(rule_id, device_id, phase, since_ms) JOIN devices d ON d.id = u.device_id
    ON CONFLICT (rule_id, device_id) DO UPDATE SET phase = excluded.phase, since = excluded.since`.execute(db)
}

async function dropStates(db: Db, states: readonly Transition[]): Promise<void> {
  if (states.length === 0) return
  await sql`DELETE FROM alert_states s USING unnest(${states.map(({ ruleId }) => ruleId)}::uuid[],
      ${states.map(({ deviceId }) => deviceId)}::uuid[]) AS u(rule_id, device_id)
    WHERE s.rule_id = u.rule_id AND s.device_id = u.device_id`.execute(db)
}

/**
 * The same behind a savepoint: heartbeats are stored even if alerts cannot be.
 * @param forget called after the commit if they were not stored, so that the next heartbeats are evaluated from what is stored
 */
export async function storeTransitions(
  client: pg.PoolClient,
  transitions: readonly Transition[],
  { log }: Pick<WorkerParts, 'log'>,
  forget: () => void,
): Promise<Stored> {
  const db = handleOn(client)
  let isStored = false
  const events = await behindSavepoint(db, log, async () => {
    const live = await applyTransitions(db, transitions)
    isStored = true
    return live
  })
  return { events, ...(!isStored && { afterCommit: forget }) }
}
