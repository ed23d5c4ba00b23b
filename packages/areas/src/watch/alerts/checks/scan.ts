// Conditions that the database answers: which devices they hold for, compared with the states that are stored.
import type { Db } from '@muster/db/database.ts'
import { sql } from 'kysely'
import { firing, nextPhase, normal, phaseNames } from '../evaluation/evaluate.ts'
import type { Transition } from '../evaluation/transitions.ts'
import {
  type ConditionKind,
  type Conditions,
  ConditionsInput,
  type SingleCondition,
} from '../rules/conditions.contract.ts'

/** A rule whose condition a job looks at. */
export interface ScannedRule {
  readonly id: string
  readonly version: number
  readonly partnerId: string
  readonly conditions: unknown
  readonly conditionSetId: string | null
  readonly targetSetId: string
  readonly forSeconds: number
  readonly clearForSeconds: number
  readonly updatedAt: string
}

/** What was found about a device that may change its phase. */
export interface Found {
  readonly deviceId: string
  readonly holds: boolean
  /** Of the stored state; null if there is none. */
  readonly phase: (typeof phaseNames)[number] | null
  readonly sinceMs: number | null
  readonly context?: Readonly<Record<string, unknown>>
}

export async function enabledRules(db: Db, ...kinds: readonly ConditionKind[]): Promise<ScannedRule[]> {
  const { rows } =
    await sql<ScannedRule>`SELECT id, version, partner_id, conditions, condition_set_id, target_set_id, for_seconds,
      clear_for_seconds, updated_at::text AS updated_at
    FROM alert_rules WHERE kind = ANY (${[...kinds]}::text[]) AND enabled ORDER BY id`.execute(db)
  return rows
}

/** Changes when a rule changes. */
export const markOf = ({ version, updatedAt }: ScannedRule): string => `${version} ${updatedAt}`

/** The condition of a rule; null if it is of another kind. */
export function conditionOfKind<Kind extends SingleCondition['kind']>(
  { conditions }: Pick<ScannedRule, 'conditions'>,
  kind: Kind,
): Extract<SingleCondition, { kind: Kind }> | null {
  const parsed = ConditionsInput.safeParse(conditions)
  return parsed.success && isOfKind(parsed.data, kind) ? parsed.data : null
}

const isOfKind = <Kind extends SingleCondition['kind']>(
  conditions: Conditions,
  kind: Kind,
): conditions is Extract<SingleCondition, { kind: Kind }> => 'kind' in conditions && conditions.kind === kind

/** The changes of phase that follow from what was found. */
export function transitionsOf(rule: ScannedRule, found: readonly Found[], nowMs: number): Transition[] {
  const timing = { forMs: rule.forSeconds * 1_000, clearForMs: rule.clearForSeconds * 1_000 }
  return found.flatMap(({ deviceId, holds, phase, sinceMs, context }): Transition[] => {
    const before = Math.max(normal, phase === null ? normal : phaseNames.indexOf(phase))
    const after = nextPhase(timing, before, sinceMs ?? nowMs, holds ? 1 : 0, nowMs)
    if (after === before) return []
    return [
      {
        deviceId,
        ruleId: rule.id,
        version: rule.version,
        phase: after,
        sinceMs: nowMs,
        fires: after === firing && before < firing,
        clears: after === normal && before >= firing,
        figures: [],
        ...(context === undefined ? {} : { context }),
      },
    ]
  })
}
