import { always, isNullOr, isOneOf } from '@muster/db/conditions.ts'
import { paged } from '@muster/db/page.ts'
import type { Tables } from '@muster/db/tables.ts'
import { conflict, invalid, notFound } from '@muster/kit/errors.ts'
import { type Selectable, sql } from 'kysely'
import { deviceById } from '../../fleet/devices/index.ts'
import { seenAmong } from '../../fleet/targets/index.ts'
import { type Call, implement } from '../../operation.ts'
import {
  reachesWholePartner,
  requireLocation,
  requireWholeOrganization,
  requireWholeOwner,
  requireWorkingOrganization,
  requireWorkingTenant,
  tenantOf,
} from '../../tenancy/tenancy/index.ts'
import { lockPolicy, readablePolicies, readableRules, requireRecipients } from '../alerts/index.ts'
import { setChannelUses } from '../channels/index.ts'
import { isBusinessHour } from './hours.rules.ts'
import { type AlertPolicy, policies as contract, GroupKey, Match, Step } from './policies.contract.ts'
import { routedNow, routePolicies } from './routing.queries.ts'
import { routesOf } from './routing.rules.ts'

type Stored = Selectable<Tables['alertPolicies']>

/** Maps a database row to a policy of the contract. */
const asPolicy = ({ position, continues, groupBy, ...row }: Stored): AlertPolicy => ({
  ...row,
  groupBy: GroupKey.array().parse(groupBy),
  match: Match.parse(row.match),
  steps: Step.array().parse(row.steps),
  order: position,
  continue: continues,
})

const matchedIds = ['orgIds', 'siteIds', 'groupIds', 'ruleIds'] as const

/** Policies without organizations, sites, groups and rules that the caller does not see. */
async function shown({ db, caller }: Pick<Call, 'db' | 'caller'>, rows: readonly Stored[]): Promise<AlertPolicy[]> {
  const all = rows.map(asPolicy)
  if (reachesWholePartner(caller)) return all
  const named = (kind: (typeof matchedIds)[number]) => all.flatMap(({ match }) => match[kind] ?? [])
  const [seen, seenRules] = await Promise.all([
    seenAmong(db, caller, { orgIds: named('orgIds'), siteIds: named('siteIds'), groupIds: named('groupIds') }),
    db
      .selectFrom('alertRules')
      .select('alertRules.id')
      .where(isOneOf('alertRules.id', named('ruleIds')))
      .where(readableRules(db, caller))
      .execute(),
  ])
  const visible = new Set([...seen, ...seenRules.map(({ id }) => id)])
  return all.map((policy) => {
    const match = { ...policy.match }
    for (const kind of matchedIds)
      if (match[kind] !== undefined) match[kind] = match[kind].filter((id) => visible.has(id))
    return { ...policy, match }
  })
}

async function shownOne(call: Pick<Call, 'db' | 'caller'>, row: Stored): Promise<AlertPolicy> {
  const [policy] = await shown(call, [row])
  if (policy === undefined) throw notFound('Alert policy')
  return policy
}

/** Policies name sites, groups and people of the whole tenant, so members limited to a part of it do not change them. */
async function changeable(call: Pick<Call, 'db' | 'caller'>, id: string): Promise<Stored> {
  const { db, caller } = call
  requireWholeOrganization(caller)
  const found = await db
    .selectFrom('alertPolicies')
    .selectAll()
    .where('id', '=', id)
    .where(readablePolicies(caller))
    .executeTakeFirst()
  if (found === undefined) throw notFound('Alert policy')
  requireWholeOwner(caller, found, 'policy')
  await requireWorkingOrganization(db, caller, found.orgId)
  return found
}

interface Changes {
  readonly match?: Match | undefined
  readonly steps?: readonly Step[] | undefined
  readonly groupBy?: readonly string[] | undefined
}

/** @throws VALIDATION_ERROR for channels, people, roles and organizations that the owner does not have */
async function requireKnown(
  call: Pick<Call, 'db' | 'caller'>,
  owner: { partnerId: string; orgId: string | null },
  { match, steps = [] }: Changes,
) {
  await requireRecipients(call, owner, { channelIds: steps.flatMap(({ channelIds }) => channelIds) })
  const userIds = [...new Set(steps.flatMap((step) => step.userIds))]
  const roleIds = [...new Set(steps.flatMap((step) => step.roleIds))]
  const ofOrg = sql`org_id = coalesce(${owner.orgId}::uuid, org_id)`
  const { rows } = await sql<{ field: string; id: string }>`
    SELECT 'userIds' AS field, u.id::text FROM unnest(${userIds}::uuid[]) AS u(id) WHERE NOT EXISTS (
      SELECT FROM partner_users p WHERE p.user_id = u.id AND p.partner_id = ${owner.partnerId}
      UNION ALL SELECT FROM organization_users o WHERE o.user_id = u.id AND o.partner_id = ${owner.partnerId} AND ${ofOrg})
    UNION ALL SELECT 'roleIds', r.id::text FROM unnest(${roleIds}::uuid[]) AS r(id) WHERE NOT EXISTS (
      SELECT FROM roles o WHERE o.id = r.id AND (o.is_system OR o.partner_id = ${owner.partnerId} AND (o.org_id IS NULL OR o.org_id = coalesce(${owner.orgId}::uuid, o.org_id))))
    UNION ALL SELECT 'match.orgIds', g.id::text FROM unnest(${[...(match?.orgIds ?? [])]}::uuid[]) AS g(id) WHERE NOT EXISTS (
      SELECT FROM organizations o WHERE o.id = g.id AND o.partner_id = ${owner.partnerId} AND o.id = coalesce(${owner.orgId}::uuid, o.id))
    UNION ALL SELECT 'match.siteIds', s.id::text FROM unnest(${[...(match?.siteIds ?? [])]}::uuid[]) AS s(id) WHERE NOT EXISTS (
      SELECT FROM sites i WHERE i.id = s.id AND i.partner_id = ${owner.partnerId} AND i.${ofOrg})
    UNION ALL SELECT 'match.groupIds', d.id::text FROM unnest(${[...(match?.groupIds ?? [])]}::uuid[]) AS d(id) WHERE NOT EXISTS (
      SELECT FROM device_groups g WHERE g.id = d.id AND g.partner_id = ${owner.partnerId} AND g.${ofOrg})
    UNION ALL SELECT 'match.ruleIds', a.id::text FROM unnest(${[...(match?.ruleIds ?? [])]}::uuid[]) AS a(id) WHERE NOT EXISTS (
      SELECT FROM alert_rules r WHERE r.id = a.id AND r.partner_id = ${owner.partnerId})`.execute(call.db)
  const [unknown] = rows
  if (unknown !== undefined) throw invalid(`${unknown.field}: ${unknown.id} does not exist`)
}

/** @throws VALIDATION_ERROR for steps and groups that cannot act as they stand */
function requireActing({ steps = [], groupBy = [] }: Changes): void {
  for (const [index, { channelIds, userIds, roleIds, afterMinutes }] of steps.entries()) {
    if (channelIds.length + userIds.length + roleIds.length === 0)
      throw invalid(`steps.${index}: needs a channel, a person or a role`)
    if (afterMinutes < (steps[index - 1]?.afterMinutes ?? 0))
      throw invalid(`steps.${index}.afterMinutes: must not be before the step above`)
  }
  if (new Set(groupBy).size < groupBy.length) throw invalid('groupBy: must name each field once')
}

/** A channel that a policy names cannot be deleted. */
const noteUses = (db: Call['db'], { id, partnerId, orgId, steps }: Stored): Promise<void> => {
  const channelIds = Step.array()
    .parse(steps)
    .flatMap((step) => step.channelIds)
  return setChannelUses(db, { usedBy: `policy:${id}`, partnerId, orgId }, channelIds)
}

/** @throws CONFLICT while a rule, a template or a monitor names the policy */
async function requireUnnamed(db: Call['db'], id: string): Promise<void> {
  const { rows } = await sql<{ one: string; more: string; named: number }>`
    SELECT 'rule names' AS one, 'rules name' AS more, count(*)::int AS named FROM alert_rules WHERE policy_id = ${id}
    UNION ALL SELECT 'template names', 'templates name', count(*)::int FROM alert_templates WHERE policy_id = ${id}
    UNION ALL SELECT 'monitor alert names', 'monitor alerts name', count(*)::int FROM monitor_alerts WHERE policy_id = ${id}`.execute(
    db,
  )
  const user = rows.find(({ named }) => named > 0)
  if (user === undefined) return
  throw conflict(`${user.named} ${user.named === 1 ? user.one : user.more} the policy. Change them first`)
}

const stored = ({
  order,
  match,
  steps,
  continue: continues,
  ...fields
}: Partial<Omit<AlertPolicy, 'id' | 'partnerId' | 'orgId' | 'createdAt' | 'updatedAt'>>) => ({
  ...fields,
  ...(order === undefined ? {} : { position: order }),
  ...(match === undefined ? {} : { match: JSON.stringify(match) }),
  ...(steps === undefined ? {} : { steps: JSON.stringify(steps) }),
  ...(continues === undefined ? {} : { continues }),
})

export default implement(contract, {
  async list({ caller, input: { page, limit, orgId }, db }) {
    requireWholeOrganization(caller)
    const found = db
      .selectFrom('alertPolicies')
      .where(readablePolicies(caller))
      .where(orgId === undefined ? always : isNullOr('orgId', orgId))
    const ordered = found.selectAll().orderBy(sql`org_id IS NULL`).orderBy('position').orderBy('id')
    const { data, pagination } = await paged(ordered, { page, limit })
    return { data: await shown({ db, caller }, data), pagination }
  },

  async create(call) {
    const { caller, input, db, audit } = call
    const { orgId, partnerId, name, ...fields } = input
    const tenant = await tenantOf(db, caller, { partnerId, orgId })
    requireWholeOwner(caller, tenant, 'policy')
    await requireWorkingTenant(db, caller, tenant)
    const owner = { partnerId: tenant.partnerId, orgId: tenant.orgId }
    requireActing(input)
    await requireKnown(call, owner, input)
    const made = await db
      .insertInto('alertPolicies')
      .values({ ...owner, ...stored(fields), name })
      .returningAll()
      .executeTakeFirstOrThrow()
    await noteUses(db, made)
    audit({ target: made.id, name: made.name, ...owner, after: made })
    return shownOne(call, made)
  },

  async preview({ caller, input, db, services }) {
    requireWholeOrganization(caller)
    const { orgId, siteId, deviceId, ruleId, severity, source } = input
    const { partnerId } = await requireLocation(db, caller, { orgId, siteId })
    if (deviceId !== null) await deviceById(db, caller, deviceId, services.clock.now())
    const place = { partnerId, orgId, siteId, deviceId, ruleId, severity, source }
    const alert = await routedNow(db, place)
    const { policies, settings } = await routePolicies(db, [partnerId])
    const isBusiness = isBusinessHour(settings.get(partnerId), services.clock.now())
    const routes = routesOf(alert, policies, isBusiness)
    return {
      routes: routes.map(({ id, name, orgId: of, steps, loops }) => ({
        policyId: id,
        name,
        orgId: of,
        steps: [...steps],
        loops,
      })),
    }
  },

  async reorder(call) {
    const { db, audit, input } = call
    const [first] = input.ids
    if (first === undefined || new Set(input.ids).size < input.ids.length)
      throw invalid('ids: must name each policy once')
    const { partnerId, orgId } = await changeable(call, first)
    const rows = await db
      .selectFrom('alertPolicies')
      .selectAll()
      .where('partnerId', '=', partnerId)
      .where('orgId', 'is not distinct from', orgId)
      .orderBy('id')
      .forUpdate()
      .execute()
    const byId = new Map(rows.map((row) => [row.id, row]))
    const unknown = input.ids.find((id) => !byId.has(id))
    if (unknown !== undefined) throw invalid(`ids: ${unknown} does not exist, or belongs to another owner`)
    const rest = rows.filter(({ id }) => !input.ids.includes(id)).toSorted((a, b) => a.position - b.position)
    const ordered: Stored[] = []
    for (const [position, id] of [...input.ids, ...rest.map(({ id }) => id)].entries()) {
      const before = byId.get(id)
      const after = await db
        .updateTable('alertPolicies')
        .set({ position, updatedAt: sql<string>`now()` })
        .where('id', '=', id)
        .where('position', '!=', position)
        .returningAll()
        .executeTakeFirst()
      if (after !== undefined) audit({ target: id, name: after.name, orgId, partnerId, before, after })
      const row = after ?? before
      if (row !== undefined) ordered.push(row)
    }
    return { data: await shown(call, ordered) }
  },

  async update(call) {
    const { db, audit } = call
    const { id, ...changes } = call.input
    const before = await changeable(call, id)
    requireActing(changes)
    await requireKnown(call, before, changes)
    const after = await db
      .updateTable('alertPolicies')
      .set({ ...stored(changes), updatedAt: sql<string>`now()` })
      .where('id', '=', id)
      .returningAll()
      .executeTakeFirstOrThrow()
    await noteUses(db, after)
    audit({ target: id, name: after.name, orgId: after.orgId, partnerId: after.partnerId, before, after })
    return shownOne(call, after)
  },

  async remove(call) {
    const { db, audit } = call
    const before = await changeable(call, call.input.id)
    await lockPolicy(db, before.id, 'deleting')
    await requireUnnamed(db, before.id)
    const { numDeletedRows } = await db.deleteFrom('alertPolicies').where('id', '=', before.id).executeTakeFirst()
    if (numDeletedRows === 0n) throw notFound('Alert policy')
    await setChannelUses(db, { ...before, usedBy: `policy:${before.id}` }, [])
    audit({ target: before.id, name: before.name, orgId: before.orgId, partnerId: before.partnerId, before })
    return { success: true as const }
  },
})
