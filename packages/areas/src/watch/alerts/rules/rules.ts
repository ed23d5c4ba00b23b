import { always, isNullOr, isOneOf } from '@muster/db/conditions.ts'
import { emptyPage, paged } from '@muster/db/page.ts'
import { notFound } from '@muster/kit/errors.ts'
import { sql } from 'kysely'
import { conditionOfTargets, dropTargets, saveTargets } from '../../../fleet/targets/index.ts'
import { type Call, implement } from '../../../operation.ts'
import { publishEvents } from '../../../platform/live-events/index.ts'
import { reachesNothing, requireOwner, requireWorkingTenant, tenantOf } from '../../../tenancy/tenancy/index.ts'
import { setChannelUses } from '../../channels/index.ts'
import { testFor, testRule } from '../backtest/rule-test.ts'
import { nameOf } from '../lifecycle/actions.ts'
import { endAlertsOf } from '../lifecycle/end.ts'
import { adopt } from '../templates/adopt.ts'
import { requireNamed } from './named.ts'
import { requireRecipients } from './recipients.ts'
import { requireDependencies, requireLater, requireSound } from './references.ts'
import { asRules, changeableRule, readableRules, storedRuleById } from './rule.queries.ts'
import { rules as contract } from './rules.contract.ts'
import { columnsOf, saveConditionSet, storeRule } from './store-rule.ts'

async function ruleById(call: Pick<Call, 'db' | 'caller'>, id: string) {
  const [rule] = await asRules(call.db, call.caller, [await storedRuleById(call, id)])
  if (rule === undefined) throw notFound('Alert rule')
  return rule
}

export default implement(contract, {
  async list({ caller, input: { page, limit, orgId, enabled, severity, search }, db }) {
    if (reachesNothing(caller)) return emptyPage({ page, limit })
    const found = db
      .selectFrom('alertRules')
      .where(readableRules(db, caller))
      .where(orgId === undefined ? always : isNullOr('alertRules.orgId', orgId))
      .$if(enabled !== undefined, (query) => query.where('alertRules.enabled', '=', enabled ?? true))
      .$if(severity !== undefined, (query) => query.where(isOneOf('alertRules.severity', severity ?? [])))
      .$if(search !== undefined, (query) =>
        query.where(sql<boolean>`strpos(lower(alert_rules.name), lower(${search}::text)) > 0`),
      )
    const ordered = found.selectAll('alertRules').orderBy('alertRules.name').orderBy('alertRules.id')
    const { data, pagination } = await paged(ordered, { page, limit })
    return { data: await asRules(db, caller, data), pagination }
  },

  async create(call) {
    const { caller, db, audit } = call
    const { targets, exclude, partnerId, orgId, enabled, snoozedUntil } = call.input
    const tenant = await tenantOf(db, caller, { partnerId, orgId })
    requireOwner(caller, tenant, 'rule')
    await requireWorkingTenant(db, caller, tenant)
    const owner = { partnerId: tenant.partnerId, orgId: tenant.orgId }
    const adopted = await adopt(db, owner, call.input, null)
    const { conditions, dependsOnRuleIds } = adopted.fields
    requireSound(adopted.fields)
    requireLater(snoozedUntil, null, call.services.clock.now())
    await requireDependencies(db, caller, owner, null, dependsOnRuleIds)
    await requireRecipients(call, owner, adopted.fields)
    const targetSetId = await saveTargets(call, owner, { targets, exclude })
    const made = await db
      .insertInto('alertRules')
      .values({
        ...owner,
        ...columnsOf(adopted),
        enabled,
        snoozedUntil,
        targetSetId,
        conditionSetId: await saveConditionSet(call, owner, { targets, exclude }, conditions, null),
        createdBy: caller.userId,
      })
      .returningAll()
      .executeTakeFirstOrThrow()
    await setChannelUses(db, { ...owner, usedBy: `rule:${made.id}` }, made.channelIds)
    audit({ target: made.id, name: made.name, ...owner, after: { ...made, targets, exclude } })
    return ruleById(call, made.id)
  },

  async get(call) {
    return ruleById(call, call.input.id)
  },

  async update(call) {
    const { db, audit, services, afterCommit } = call
    const { id, targets, exclude, enabled, snoozedUntil } = call.input
    const before = await changeableRule(call, id)
    const adopted = await adopt(db, before, call.input, before)
    requireSound(adopted.fields)
    requireLater(snoozedUntil, before.snoozedUntil, services.clock.now())
    await requireNamed(call, before, adopted.fields)
    const own = { enabled, snoozedUntil }
    const { after, stored, wanted, events } = await storeRule(call, before, adopted, own, { targets, exclude })
    afterCommit(() => publishEvents(services.redis, events))
    audit({
      target: id,
      name: after.name,
      orgId: after.orgId,
      partnerId: after.partnerId,
      before: { ...before, ...stored },
      after: { ...after, ...wanted },
    })
    return ruleById(call, id)
  },

  async remove(call) {
    const { db, caller, audit, services, afterCommit } = call
    const before = await changeableRule(call, call.input.id)
    const actor = { id: caller.userId, name: await nameOf(db, caller.userId) }
    const { numDeletedRows } = await db.deleteFrom('alertRules').where('id', '=', before.id).executeTakeFirst()
    if (numDeletedRows === 0n) throw notFound('Alert rule')
    const events = await endAlertsOf(db, before.id, 'rule_deleted', actor)
    await setChannelUses(db, { ...before, usedBy: `rule:${before.id}` }, [])
    await dropTargets(db, before.targetSetId)
    if (before.conditionSetId !== null) await dropTargets(db, before.conditionSetId)
    for (const table of ['alertRules', 'alertTemplates'] as const)
      await db
        .updateTable(table)
        .set({ dependsOnRuleIds: sql`array_remove(depends_on_rule_ids, ${before.id}::uuid)` })
        .where('partnerId', '=', before.partnerId)
        .where(sql<boolean>`${before.id}::uuid = ANY (depends_on_rule_ids)`)
        .execute()
    afterCommit(() => publishEvents(services.redis, events))
    audit({ target: before.id, name: before.name, orgId: before.orgId, partnerId: before.partnerId, before })
    return { success: true as const }
  },

  async test(call) {
    return testRule(call, await storedRuleById(call, call.input.id), call.input)
  },

  async preview(call) {
    const { caller, db, input } = call
    const tenant = await tenantOf(db, caller, input)
    requireOwner(caller, tenant, 'rule')
    const owner = { partnerId: tenant.partnerId, orgId: tenant.orgId }
    const { fields } = await adopt(db, owner, { name: 'Preview', severity: 'info', ...input }, null)
    requireSound(fields)
    await requireRecipients(call, owner, { policyId: input.policyId })
    const named = await conditionOfTargets(call, owner, input)
    return testFor(call, { id: null, ...owner, ...fields }, named, input)
  },
})
