// The violations that policies can repair.
import type { Db } from '@muster/db/database.ts'
import { type RawBuilder, sql } from 'kysely'

/** Rows of rules that devices do not keep and that no exception covers, for FROM: `policy_id, device_id, rule_key`. */
export const violations = (where: RawBuilder<unknown>): RawBuilder<unknown> => sql`
  SELECT r.policy_id, r.device_id, r.org_id, r.partner_id, f.key AS rule_key
  FROM device_policies p JOIN device_policy_results r ON r.policy_id = p.id AND r.status = 'non_compliant'
  CROSS JOIN LATERAL jsonb_to_recordset(r.findings) AS f (key text, status text)
  WHERE f.status = 'non_compliant' AND p.status = 'active' AND p.deleted_at IS NULL AND ${where}
    AND NOT EXISTS (SELECT FROM device_policy_exceptions x
      WHERE x.policy_id = r.policy_id AND (x.rule_key IS NULL OR x.rule_key = f.key)
        AND (x.expires_at IS NULL OR x.expires_at > now())
        AND (x.device_id = r.device_id
          OR x.group_id IN (SELECT m.group_id FROM device_group_members m WHERE m.device_id = r.device_id)))`

/** Those of the devices that do not keep a rule of a policy. */
export async function violatorsOf(
  db: Db,
  { policyId, ruleKey }: { readonly policyId: string; readonly ruleKey: string },
  deviceIds: readonly string[],
): Promise<Set<string>> {
  const found = violations(sql`p.id = ${policyId}::uuid AND r.device_id = ANY (${[...deviceIds]}::uuid[])`)
  const { rows } = await sql<{ deviceId: string }>`SELECT v.device_id FROM (${found}) v
    WHERE v.rule_key = ${ruleKey}`.execute(db)
  return new Set(rows.map(({ deviceId }) => deviceId))
}
