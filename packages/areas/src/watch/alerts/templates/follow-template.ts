// Rules follow their template in the transaction that changes it.
import { AppError, invalid } from '@muster/kit/errors.ts'
import type { Call } from '../../../operation.ts'
import { recordAsSystem } from '../../../platform/audit/index.ts'
import { publishEvents } from '../../../platform/live-events/index.ts'
import { requireNamed } from '../rules/named.ts'
import { requireSound } from '../rules/references.ts'
import type { StoredRule } from '../rules/rule.queries.ts'
import { storeRule } from '../rules/store-rule.ts'
import { type Adopted, follow } from './adopt.ts'
import type { RuleTemplate } from './rule-template.ts'

async function followed(call: Call, template: RuleTemplate, rule: StoredRule): Promise<Adopted> {
  try {
    const adopted = follow(template, rule)
    requireSound(adopted.fields)
    await requireNamed(call, rule, adopted.fields)
    return adopted
  } catch (error) {
    if (error instanceof AppError) throw invalid(`The rule ${rule.name} does not fit: ${error.message}`)
    throw error
  }
}

/** @returns how many rules changed */
export async function followTemplate(call: Call, template: RuleTemplate): Promise<number> {
  const { db, services, afterCommit } = call
  const rules = await db
    .selectFrom('alertRules')
    .selectAll()
    .where('templateId', '=', template.id)
    .orderBy('id')
    .forUpdate()
    .execute()
  const changed: StoredRule[] = []
  for (const rule of rules) {
    const { after, events } = await storeRule(call, rule, await followed(call, template, rule), {}, {})
    if (after.version !== rule.version) changed.push(after)
    afterCommit(() => publishEvents(services.redis, events))
  }
  await recordAsSystem(
    db,
    changed.map(({ id, name, orgId, partnerId, version }) => ({
      ...{ action: 'alert_rule.update' as const, target: id, name, orgId, partnerId },
      details: { reason: 'The template changed', templateId: template.id, version },
    })),
  )
  return changed.length
}
