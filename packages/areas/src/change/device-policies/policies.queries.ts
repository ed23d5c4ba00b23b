import { allOf, type Condition, isNull, isOneOf } from '@muster/db/conditions.ts'
import type { Db } from '@muster/db/database.ts'
import type { Tables } from '@muster/db/tables.ts'
import type { Caller } from '@muster/kit/access.ts'
import { notFound } from '@muster/kit/errors.ts'
import { type Selectable, sql } from 'kysely'
import { visibleDevices } from '../../fleet/devices/index.ts'
import type { Filter } from '../../fleet/filter-language/filter.contract.ts'
import { shownFilters, shownTargets, withTargetsWithinReach } from '../../fleet/targets/index.ts'
import type { Places } from '../../fleet/targets/targets.contract.ts'
import type { Call } from '../../operation.ts'
import { requireWholeOwner, requireWorkingOrganization } from '../../tenancy/tenancy/index.ts'
import { countsByPolicy, noCounts } from './compliance/counts.queries.ts'
import { type Assignment, OsType, type Policy } from './policies.contract.ts'
import { type Rule, Rules } from './rules/rules.contract.ts'
import { Settings } from './settings/settings.contract.ts'

export type StoredPolicy = Selectable<Tables['devicePolicies']> & { readonly everything: boolean }

/** Policies of organizations within reach, and those of the partner that concern devices of the caller. */
export const readablePolicies = (caller: Caller): Condition =>
  allOf(
    isNull('devicePolicies.deletedAt'),
    withTargetsWithinReach(caller, {
      org: 'devicePolicies.orgId',
      partner: 'devicePolicies.partnerId',
      targetSet: 'devicePolicies.targetSetId',
    }),
  )

export const selectPolicies = (db: Db, caller: Caller) =>
  db
    .selectFrom('devicePolicies')
    .innerJoin('targetSets', 'targetSets.id', 'devicePolicies.targetSetId')
    .where(readablePolicies(caller))

/** @throws NOT_FOUND */
export async function storedPolicyById({ db, caller }: Pick<Call, 'db' | 'caller'>, id: string): Promise<StoredPolicy> {
  const found = await selectPolicies(db, caller)
    .selectAll('devicePolicies')
    .select('targetSets.everything')
    .where('devicePolicies.id', '=', id)
    .executeTakeFirst()
  if (found === undefined) throw notFound('Policy')
  return found
}

/** The policy, locked until the transaction ends. @throws NOT_FOUND, FORBIDDEN for callers who may not change it */
export async function changeablePolicy(call: Pick<Call, 'db' | 'caller'>, id: string): Promise<StoredPolicy> {
  const { db, caller } = call
  const seen = await storedPolicyById(call, id)
  requireWholeOwner(caller, seen, 'policy')
  await requireWorkingOrganization(db, caller, seen.orgId)
  await sql`SELECT FROM device_policies WHERE id = ${id}::uuid FOR NO KEY UPDATE`.execute(db)
  return storedPolicyById(call, id)
}

const kinds = [
  ['deviceIds', 'device'],
  ['groupIds', 'group'],
  ['siteIds', 'site'],
  ['orgIds', 'organization'],
] as const

export const placesOf = (assignments: readonly Assignment[]): Places =>
  Object.fromEntries(
    kinds.map(([kind, level]) => [
      kind,
      [...new Set(assignments.flatMap((each) => (each.level === level ? [each.id] : [])))].sort(),
    ]),
  )

export const assignmentsOf = (places: Places): Assignment[] =>
  kinds.flatMap(([kind, level]) => (places[kind] ?? []).map((id) => ({ level, id })))

const filterOf = (rule: Rule): Filter[] => (rule.type === 'filter' ? [rule.filter] : [])

/** Rules without the ids of places in filters that the caller does not see. */
async function shownRules(db: Db, caller: Caller, all: readonly (readonly Rule[])[]): Promise<Rule[][]> {
  const shown = await shownFilters(db, caller, all.flat().flatMap(filterOf))
  const next = shown.values()
  return all.map((rules) =>
    rules.map((rule) => (rule.type === 'filter' ? { ...rule, filter: next.next().value ?? rule.filter } : rule)),
  )
}

type Hold = Policy['held']

/** Why policies repair nothing. */
async function holdsOf(db: Db, ids: readonly string[]): Promise<Map<string, Hold>> {
  const rows = await db
    .selectFrom('devicePolicyEnforcements')
    .select(['policyId', 'held'])
    .where(isOneOf('policyId', ids))
    .execute()
  return new Map(rows.map(({ policyId, held }) => [policyId, held]))
}

/** Stored policies as callers see them, with their counts. */
export async function asPolicies(db: Db, caller: Caller, rows: readonly StoredPolicy[]): Promise<Policy[]> {
  if (rows.length === 0) return []
  const [targets, counts, rules, held] = await Promise.all([
    shownTargets(
      db,
      caller,
      rows.map(({ targetSetId }) => targetSetId),
    ),
    countsByPolicy(
      db,
      rows.map(({ id }) => id),
      visibleDevices(caller),
    ),
    shownRules(
      db,
      caller,
      rows.map((row) => Rules.parse(row.rules)),
    ),
    holdsOf(
      db,
      rows.map(({ id }) => id),
    ),
  ])
  return rows.map((row, index) => {
    const { targets: named = {}, exclude = {} } = targets.get(row.targetSetId) ?? {}
    const everywhere = row.everything ? [{ level: 'partner' as const, id: row.partnerId }] : []
    return {
      id: row.id,
      partnerId: row.partnerId,
      orgId: row.orgId,
      name: row.name,
      description: row.description,
      status: row.status,
      mode: row.mode,
      priority: row.priority,
      assignments: [...assignmentsOf(named), ...everywhere],
      exclude: assignmentsOf(exclude),
      osTypes: OsType.array().parse(row.osTypes),
      filter: named.filter ?? null,
      settings: Settings.parse(row.settings),
      rules: rules[index] ?? [],
      maxRemediationsPerHour: row.maxRemediationsPerHour,
      held: held.get(row.id) ?? null,
      counts: counts.get(row.id) ?? noCounts,
      createdBy: row.createdBy,
      createdAt: row.createdAt,
      updatedAt: row.updatedAt,
    }
  })
}

export async function policyById(call: Pick<Call, 'db' | 'caller'>, id: string): Promise<Policy> {
  const [policy] = await asPolicies(call.db, call.caller, [await storedPolicyById(call, id)])
  if (policy === undefined) throw notFound('Policy')
  return policy
}
