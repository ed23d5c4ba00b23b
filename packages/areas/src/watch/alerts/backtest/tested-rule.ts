import type { Db } from '@muster/db/database.ts'
import { sql } from 'kysely'
import type { Conditions } from '../rules/conditions.contract.ts'

/** A rule with the condition and the times to test. */
export interface TestedRule<Condition extends Conditions = Conditions> {
  /** Null for a rule that is not saved. */
  readonly id: string | null
  readonly partnerId: string
  readonly orgId: string | null
  readonly conditions: Condition
  readonly forSeconds: number
  readonly clearForSeconds: number
  readonly reopenSeconds: number
  readonly policyId: string | null
}

/** A stored rule that asks the same. */
export interface AskingRule {
  readonly id: string
  readonly name: string
  readonly enabled: boolean
  /** It has not been changed since. */
  readonly updatedAt: string
}

/** The rule itself, or one of its partner with the same condition. Null if none asks this. */
export async function askingRuleOf(db: Db, { id, partnerId, conditions }: TestedRule): Promise<AskingRule | null> {
  const { rows } = await sql<AskingRule>`SELECT id, name, enabled, updated_at FROM alert_rules
    WHERE partner_id = ${partnerId} AND conditions = ${JSON.stringify(conditions)}::jsonb
    ORDER BY id IS NOT DISTINCT FROM ${id}::uuid DESC, enabled DESC, created_at LIMIT 1`.execute(db)
  return rows[0] ?? null
}
