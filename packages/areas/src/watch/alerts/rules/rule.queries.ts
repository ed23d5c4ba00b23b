import { allOf, type Condition, isOneOf } from '@muster/db/conditions.ts'
import type { Db } from '@muster/db/database.ts'
import type { Tables } from '@muster/db/tables.ts'
import type { Caller } from '@muster/kit/access.ts'
import { notFound } from '@muster/kit/errors.ts'
import { type Selectable, type SqlBool, sql } from 'kysely'
import { z } from 'zod'
import { visibleDevices } from '../../../fleet/devices/index.ts'
import { shownFilters, shownTargets, withTargetsWithinReach } from '../../../fleet/targets/index.ts'
import type { Call } from '../../../operation.ts'
import { isLimited, requireOwner, requireWorkingOrganization } from '../../../tenancy/tenancy/index.ts'
import { visibleAlerts } from '../alerts.queries.ts'
import { filterOf } from './conditions.contract.ts'
import type { AlertRule } from './rules.contract.ts'

const json = z.json()
export type StoredRule = Selectable<Tables['alertRules']>

/** Members limited to sites or groups see the rules that name nothing else. */
function withinLimits(db: Db, caller: Caller): Condition {
  const sites = [...(caller.siteIds ?? [])]
  const groups = [...(caller.deviceGroupIds ?? [])]
  const unseen = db
    .selectFrom('devices')
    .select('devices.id')
    .where(sql<SqlBool>`devices.id = ANY (t.device_ids || t.exclude_device_ids)`)
    .where(({ not }) => not(visibleDevices(caller)))
  return sql<SqlBool>`EXISTS (SELECT FROM target_sets t WHERE t.id = alert_rules.target_set_id AND NOT t.everything
    AND t.org_ids || t.exclude_org_ids = '{}' AND t.tags || t.exclude_tags = '{}'
    AND t.site_ids || t.exclude_site_ids <@ ${sites}::uuid[] AND t.group_ids || t.exclude_group_ids <@ ${groups}::uuid[]
    AND NOT EXISTS (${unseen}))`
}

/** Rules within the caller's reach. */
export const readableRules = (db: Db, caller: Caller): Condition =>
  allOf(
    withTargetsWithinReach(caller, {
      org: 'alertRules.orgId',
      partner: 'alertRules.partnerId',
      targetSet: 'alertRules.targetSetId',
    }),
    ...(isLimited(caller) ? [withinLimits(db, caller)] : []),
  )

/** The conditions of rules on filters, without places that the caller does not see. */
async function shownConditions(
  db: Db,
  caller: Caller,
  rows: readonly StoredRule[],
): Promise<Map<string, StoredRule['conditions']>> {
  const onFilters = rows.flatMap(({ id, conditions }) => {
    const filter = filterOf(conditions)
    return filter === null ? [] : [{ id, filter }]
  })
  const shown = await shownFilters(
    db,
    caller,
    onFilters.map(({ filter }) => filter),
  )
  return new Map(onFilters.map(({ id }, index) => [id, { kind: 'filter', filter: json.parse(shown[index]) }]))
}

/** The rules that others depend on, as far as the caller sees them. */
async function seenDependencies(db: Db, caller: Caller, rows: readonly StoredRule[]): Promise<ReadonlySet<string>> {
  const ids = [...new Set(rows.flatMap(({ dependsOnRuleIds }) => dependsOnRuleIds))]
  if (ids.length === 0) return new Set()
  const seen = db.selectFrom('alertRules').select('alertRules.id').where(isOneOf('alertRules.id', ids))
  return new Set((await seen.where(readableRules(db, caller)).execute()).map(({ id }) => id))
}

/** Maps rows to rules of the contract, with their targets and open alerts. */
export async function asRules(db: Db, caller: Caller, rows: readonly StoredRule[]): Promise<AlertRule[]> {
  if (rows.length === 0) return []
  const [conditions, seen, targets, counts] = await Promise.all([
    shownConditions(db, caller, rows),
    seenDependencies(db, caller, rows),
    shownTargets(
      db,
      caller,
      rows.map(({ targetSetId }) => targetSetId),
    ),
    db
      .selectFrom('alerts')
      .where(
        isOneOf(
          'alerts.ruleId',
          rows.map(({ id }) => id),
        ),
      )
      .where('alerts.status', '!=', 'resolved')
      .where(visibleAlerts(caller))
      .select(['alerts.ruleId', sql<number>`count(*)::int`.as('open')])
      .groupBy('alerts.ruleId')
      .execute(),
  ])
  const openOf = new Map(counts.map(({ ruleId, open }) => [ruleId, open]))
  return rows.map(({ targetSetId, conditionSetId: _, kind: __, createdBy: ___, ...row }) => ({
    ...row,
    conditions: conditions.get(row.id) ?? row.conditions,
    dependsOnRuleIds: row.dependsOnRuleIds.filter((id) => seen.has(id)),
    ...(targets.get(targetSetId) ?? { targets: {}, exclude: {} }),
    openAlerts: openOf.get(row.id) ?? 0,
  }))
}

/** A rule within reach. @throws NOT_FOUND */
export async function storedRuleById(
  { db, caller }: Pick<Call, 'db' | 'caller'>,
  id: string,
  lock = false,
): Promise<StoredRule> {
  const found = await db
    .selectFrom('alertRules')
    .selectAll('alertRules')
    .where('alertRules.id', '=', id)
    .where(readableRules(db, caller))
    .$if(lock, (query) => query.forNoKeyUpdate('alertRules'))
    .executeTakeFirst()
  if (found === undefined) throw notFound('Alert rule')
  return found
}

/** A rule that the caller may change, locked until the transaction ends. Rules of the partner are changed by its people with access to all organizations. */
export async function changeableRule(call: Pick<Call, 'db' | 'caller'>, id: string): Promise<StoredRule> {
  const rule = await storedRuleById(call, id)
  requireOwner(call.caller, rule, 'rule')
  await requireWorkingOrganization(call.db, call.caller, rule.orgId)
  return storedRuleById(call, id, true)
}
