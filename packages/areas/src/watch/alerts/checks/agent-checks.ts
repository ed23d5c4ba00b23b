// Conditions that agents check: services, processes, disks, event logs and certificates. Rules become checks of the devices
// that they target, and what agents observe changes the phase of rule and device.
import { asSystem, type Db, handleOn } from '@muster/db/database.ts'
import type { AssignedCheck, Check } from '@muster/wire/messages/assignment.ts'
import { sql } from 'kysely'
import type pg from 'pg'
import { every } from '../../../background/job.ts'
import type { CheckObserver, Observed } from '../../../background/observer.ts'
import { workerPart } from '../../../background/worker-parts.ts'
import { assignChecks } from '../../../control/assignments/index.ts'
import { inTargetsSql } from '../../../fleet/targets/index.ts'
import type { PartnerEvent } from '../../../platform/live-events/index.ts'
import { phaseNames } from '../evaluation/evaluate.ts'
import { changedDevicesMax, type TargetChange, TargetChanges } from '../evaluation/target-changes.ts'
import { applyTransitions, type Transition } from '../evaluation/transitions.ts'
import { behindSavepoint } from '../lifecycle/savepoint.ts'
import { ConditionsInput, type SingleCondition } from '../rules/conditions.contract.ts'
import { enabledRules, type Found, type ScannedRule, transitionsOf } from './scan.ts'

const everySeconds = 30
const timeoutSeconds = 20

/** A condition as a check of the agent; null if agents do not check it. */
function checkOf(condition: SingleCondition): Check | null {
  switch (condition.kind) {
    case 'service':
      return { type: 'service', name: condition.name }
    case 'process': {
      const { name, min = 0, max } = condition
      return { type: 'process', name, min, ...(max === undefined ? {} : { max }) }
    }
    case 'disk':
      return { type: 'disk', mount: condition.mount, freePercent: condition.freePercent }
    case 'eventLog': {
      const { log, text, count, windowSeconds } = condition
      return { type: 'eventLog', log, text, count, windowSeconds }
    }
    case 'certificate': {
      const { host, port, days } = condition
      return { type: 'certificate', host, port, days }
    }
    default:
      return null
  }
}

const agentKinds = ['service', 'process', 'disk', 'eventLog', 'certificate'] as const
const checkedRules = (db: Db) => enabledRules(db, ...agentKinds)

/** A check of a rule. Its id names the version, so that observations of an older one are dropped. */
function assignedCheck({ id, version, conditions }: ScannedRule): AssignedCheck | null {
  const parsed = ConditionsInput.safeParse(conditions)
  if (!parsed.success || !('kind' in parsed.data) || parsed.data.kind === 'metric') return null
  const check = checkOf(parsed.data)
  // A device may look at its own certificates: the rule chose it.
  const own = check?.type === 'certificate' ? { pinned: true } : {}
  return check === null ? null : { id: `${id}:${version}`, everySeconds, timeoutSeconds, ...own, check }
}

/**
 * Assigns devices the checks of the rules that target them, and takes those of rules that no longer do from them.
 * @param among only of these partners, and of these devices
 */
export async function assignRules(
  pool: pg.Pool,
  among?: Pick<TargetChange, 'partnerIds' | 'deviceIds'>,
): Promise<void> {
  const isAmong = (device: string) =>
    among === undefined
      ? sql``
      : sql`AND (partner_id = ANY (${[...among.partnerIds]}::uuid[]) OR ${sql.ref(device)} = ANY (${[...among.deviceIds]}::uuid[]))`
  await asSystem(pool, async (db) => {
    const rules = await checkedRules(db)
    const checks = new Map(rules.map((rule) => [rule.id, assignedCheck(rule)]))
    const { rows } = await sql<{ deviceId: string; ruleIds: string[] | null }>`
      WITH changed AS (
        SELECT id, partner_id, org_id, site_id, tags, lifecycle FROM devices WHERE true ${isAmong('id')}),
      wanted AS (
        SELECT d.id AS device_id, array_agg(r.id ORDER BY r.id) AS rule_ids
        FROM alert_rules r JOIN target_sets t ON t.id = r.target_set_id JOIN changed d ON d.partner_id = r.partner_id
        WHERE r.id = ANY (${rules.map(({ id }) => id)}::uuid[]) AND ${sql.raw(inTargetsSql('t', 'd'))} GROUP BY d.id)
      SELECT coalesce(w.device_id, a.device_id) AS device_id, w.rule_ids
      FROM wanted w FULL JOIN (
        SELECT device_id FROM device_assignments WHERE kind = 'rules' AND items <> '[]' ${isAmong('device_id')}) a ON a.device_id = w.device_id`.execute(
      db,
    )
    await assignChecks(
      db,
      'rules',
      rows.map(({ deviceId, ruleIds }) => ({ deviceId, items: (ruleIds ?? []).flatMap((id) => checks.get(id) ?? []) })),
    )
  })
}

/** Follows the rules that agents check in one worker. Without a change it reads marks only. */
export class CheckAssignments {
  readonly #pool: pg.Pool
  readonly #changes: TargetChanges
  #isComplete = false

  constructor(pool: pg.Pool) {
    this.#pool = pool
    this.#changes = new TargetChanges(pool, agentKinds)
  }

  async follow(): Promise<void> {
    const change = await this.#changes.look()
    const isAll = !this.#isComplete || change.deviceIds.length > changedDevicesMax
    this.#isComplete = false
    if (isAll) await assignRules(this.#pool)
    else if (change.partnerIds.length + change.deviceIds.length > 0) await assignRules(this.#pool, change)
    this.#isComplete = true
  }
}

interface StateRow extends Pick<Found, 'deviceId' | 'phase' | 'sinceMs'> {
  readonly ruleId: string
}

/** The changes of phase that follow from observations, in the order of their times. */
async function transitionsIn(db: Db, observed: readonly Observed[]): Promise<Transition[]> {
  const rules = new Map((await checkedRules(db)).map((rule) => [`${rule.id}:${rule.version}`, rule]))
  const known = observed.filter(({ id, state }) => rules.has(id) && state !== 'unknown')
  if (known.length === 0) return []
  const { rows } =
    await sql<StateRow>`SELECT rule_id, device_id, phase, (extract(epoch FROM since) * 1000)::float8 AS since_ms FROM alert_states
    WHERE device_id = ANY (${[...new Set(known.map(({ deviceId }) => deviceId))]}::uuid[])`.execute(db)
  const states = new Map<string, Pick<Found, 'phase' | 'sinceMs'>>(
    rows.map(({ ruleId, deviceId, phase, sinceMs }) => [`${ruleId} ${deviceId}`, { phase, sinceMs }]),
  )
  return known
    .toSorted((a, b) => a.at - b.at)
    .flatMap(({ id, deviceId, state, at, value, text }) => {
      const rule = rules.get(id)
      if (rule === undefined) return []
      const key = `${rule.id} ${deviceId}`
      const before = states.get(key) ?? { phase: null, sinceMs: null }
      const context = { summary: text ?? 'The check failed', value: value ?? null }
      const found = { deviceId, holds: state === 'failed', ...before, context }
      const [transition] = transitionsOf(rule, [found], at)
      if (transition === undefined) return []
      states.set(key, { phase: phaseNames[transition.phase] ?? null, sinceMs: at })
      return [transition]
    })
}

/** Opens and resolves alerts by what agents observed. */
export async function checkTransitions(client: pg.PoolClient, observed: readonly Observed[]): Promise<PartnerEvent[]> {
  const db = handleOn(client)
  return applyTransitions(db, await transitionsIn(db, observed))
}

export const ruleObserver: CheckObserver = {
  kind: 'rules',
  store: async (client, observed, { log }) => ({
    events: await behindSavepoint(handleOn(client), log, () => checkTransitions(client, observed)),
  }),
}

const assignmentsOf = workerPart(({ pool }) => new CheckAssignments(pool))

export const ruleChecks = every(3_000, 'alert-checks', (parts) => assignmentsOf(parts).follow())
