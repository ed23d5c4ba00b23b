// Channels, a policy and rules that a rule names, itself or through its template.
import { invalid } from '@muster/kit/errors.ts'
import { sql } from 'kysely'
import type { Owner } from '../../../fleet/targets/index.ts'
import type { Call } from '../../../operation.ts'
import type { TemplateFields } from '../templates/rule-template.ts'
import { requireRecipients } from './recipients.ts'
import { requireDependencies } from './references.ts'
import type { StoredRule } from './rule.queries.ts'

type Named = Pick<TemplateFields, 'channelIds' | 'policyId' | 'dependsOnRuleIds'>
type Stored = Pick<StoredRule, 'id' | 'partnerId' | 'orgId' | 'channelIds' | 'policyId' | 'dependsOnRuleIds'>

const isSame = (a: readonly string[], b: readonly string[]) => a.length === b.length && a.every((id) => b.includes(id))

/** What a rule names besides what it named before. @throws VALIDATION_ERROR for what its owner does not have */
export async function requireNamed(call: Pick<Call, 'db' | 'caller'>, rule: Stored, named: Named): Promise<void> {
  const { channelIds, policyId, dependsOnRuleIds } = named
  await requireRecipients(call, rule, {
    channelIds: isSame(channelIds, rule.channelIds) ? [] : channelIds,
    policyId: policyId === rule.policyId ? null : policyId,
  })
  if (!isSame(dependsOnRuleIds, rule.dependsOnRuleIds))
    await requireDependencies(call.db, call.caller, rule, rule.id, dependsOnRuleIds)
}

/** What a template names. One of the whole partner names nothing of a single organization, which other rules could not use. */
export async function requireSharable(
  { db, caller }: Pick<Call, 'db' | 'caller'>,
  owner: Owner,
  { channelIds, policyId, dependsOnRuleIds }: Named,
): Promise<void> {
  await requireRecipients({ db, caller }, owner, { channelIds, policyId })
  await requireDependencies(db, caller, owner, null, dependsOnRuleIds)
  if (owner.orgId !== null) return
  const policyIds = policyId === null ? [] : [policyId]
  const { rows } = await sql<{ field: string; id: string }>`
    SELECT 'channelIds' AS field, id FROM alert_channels WHERE id = ANY (${[...channelIds]}::uuid[]) AND org_id IS NOT NULL
    UNION ALL SELECT 'policyId', id FROM alert_policies WHERE id = ANY (${policyIds}::uuid[]) AND org_id IS NOT NULL
    UNION ALL SELECT 'dependsOnRuleIds', id FROM alert_rules WHERE id = ANY (${[...dependsOnRuleIds]}::uuid[]) AND org_id IS NOT NULL`.execute(
    db,
  )
  const [of] = rows
  if (of !== undefined)
    throw invalid(`${of.field}: ${of.id} belongs to one organization, and the template to all of them`)
}
