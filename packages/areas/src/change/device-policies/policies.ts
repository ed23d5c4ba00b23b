import { always, isNullOr, isOneOf } from '@muster/db/conditions.ts'
import { paged } from '@muster/db/page.ts'
import { conflict, invalid, notFound } from '@muster/kit/errors.ts'
import { sql } from 'kysely'
import { type Call, implement } from '../../operation.ts'
import { requireWholeOwner, requireWorkingTenant, tenantOf } from '../../tenancy/tenancy/index.ts'
import { policies as contract, type Policy } from './policies.contract.ts'
import {
  asPolicies,
  changeablePolicy,
  placesOf,
  policyById,
  type StoredPolicy,
  selectPolicies,
} from './policies.queries.ts'
import { type Given, savePlaces, saveRuleFilters } from './stored-policies.ts'

/** Counts change by themselves. */
const audited = ({ counts: _counts, ...policy }: Policy) => policy

const given = (policy: Policy): Given => {
  const { name, description, mode, priority, assignments, exclude, osTypes, filter, settings, rules } = policy
  return { name, description, mode, priority, assignments, exclude, osTypes, filter, settings, rules }
}

/** In a form in which equal policies are equal texts. */
const normal = ({ assignments, exclude, osTypes, settings, ...rest }: Given): string =>
  JSON.stringify([
    rest,
    Object.entries(settings).sort(),
    placesOf(assignments),
    assignments.some(({ level }) => level === 'partner'),
    placesOf(exclude),
    [...new Set(osTypes)].sort(),
  ])

const columnsOf = ({ name, description, mode, priority, osTypes, settings, rules }: Given) => ({
  ...{ name, description, mode, priority },
  osTypes: [...new Set(osTypes)].sort(),
  settings: JSON.stringify(settings),
  rules: JSON.stringify(rules),
})

/** @throws VALIDATION_ERROR for a policy that does nothing while it is active */
function requireContent({ rules, settings }: Given): void {
  if (rules.length === 0 && Object.keys(settings).length === 0)
    throw invalid('rules: an active policy needs a rule or a setting')
}

/** Stores another content. Devices are evaluated for it if the policy is active. */
async function store(
  call: Pick<Call, 'db' | 'caller' | 'audit'>,
  before: StoredPolicy,
  wanted: Given,
): Promise<Policy> {
  const { db, caller, audit } = call
  const [shown] = await asPolicies(db, caller, [before])
  if (shown === undefined) throw notFound('Policy')
  if (normal(given(shown)) === normal(wanted)) {
    audit({ target: shown.id, before: {}, after: {} })
    return shown
  }
  if (before.status === 'active') requireContent(wanted)
  await savePlaces(call, before, wanted, before.targetSetId)
  await saveRuleFilters(call, before, wanted.rules)
  await db
    .updateTable('devicePolicies')
    .set(columnsOf(wanted))
    .$if(before.status === 'active', (query) => query.set({ revision: sql<number>`revision + 1` }))
    .where('id', '=', before.id)
    .execute()
  const after = await policyById(call, before.id)
  const { id, name, orgId, partnerId } = after
  audit({ target: id, name, orgId, partnerId, before: audited(shown), after: audited(after) })
  return after
}

/** Sets the status. Devices are evaluated with the policy or without it. */
async function setStatus(
  call: Pick<Call, 'db' | 'caller' | 'audit'>,
  { id, status: before }: StoredPolicy,
  status: 'active' | 'inactive',
): Promise<Policy> {
  await call.db
    .updateTable('devicePolicies')
    .set({ status, revision: sql<number>`revision + 1` })
    .where('id', '=', id)
    .execute()
  const after = await policyById(call, id)
  const { name, orgId, partnerId } = after
  call.audit({ target: id, name, orgId, partnerId, before: { status: before }, after: { status } })
  return after
}

export default implement(contract, {
  async list({ caller, db, input: { page, limit, search, status, mode, orgId } }) {
    const found = selectPolicies(db, caller)
      .selectAll('devicePolicies')
      .select('targetSets.everything')
      .where(orgId === undefined ? always : isNullOr('devicePolicies.orgId', orgId))
      .where(status === undefined ? always : isOneOf('devicePolicies.status', status))
      .where(mode === undefined ? always : isOneOf('devicePolicies.mode', mode))
      .$if(search !== undefined, (query) =>
        query.where(
          sql<boolean>`strpos(lower(device_policies.name || ' ' || coalesce(device_policies.description, '')), lower(${search}::text)) > 0`,
        ),
      )
      .orderBy('devicePolicies.name')
      .orderBy('devicePolicies.id')
    const { data, pagination } = await paged(found, { page, limit })
    return { data: await asPolicies(db, caller, data), pagination }
  },

  async create(call) {
    const { caller, db, input, audit } = call
    const { orgId, partnerId, ...wanted } = input
    const tenant = await tenantOf(db, caller, { orgId, partnerId })
    requireWholeOwner(caller, tenant, 'policy')
    await requireWorkingTenant(db, caller, tenant)
    const owner = { partnerId: tenant.partnerId, orgId: tenant.orgId }
    const targetSetId = await savePlaces(call, owner, wanted)
    const { id } = await db
      .insertInto('devicePolicies')
      .values({ ...owner, ...columnsOf(wanted), targetSetId, createdBy: caller.userId })
      .returning('id')
      .executeTakeFirstOrThrow()
    await saveRuleFilters(call, { ...owner, id }, wanted.rules)
    const made = await policyById(call, id)
    audit({ target: id, name: made.name, ...owner, after: audited(made) })
    return made
  },

  async get(call) {
    return policyById(call, call.input.id)
  },

  async replace(call) {
    const { id, ...wanted } = call.input
    return store(call, await changeablePolicy(call, id), wanted)
  },

  async update(call) {
    const { id, ...changes } = call.input
    const before = await changeablePolicy(call, id)
    const kept = given(await policyById(call, id))
    const changed = Object.fromEntries(Object.entries(changes).filter(([, value]) => value !== undefined))
    return store(call, before, { ...kept, ...changed })
  },

  async remove(call) {
    const { db, audit } = call
    const { id } = await changeablePolicy(call, call.input.id)
    const before = await policyById(call, id)
    await db
      .updateTable('devicePolicies')
      .set({ deletedAt: sql<string>`now()`, status: 'inactive', revision: sql<number>`revision + 1` })
      .where('id', '=', id)
      .execute()
    const { name, orgId, partnerId } = before
    audit({ target: id, name, orgId, partnerId, before: audited(before) })
    return { success: true as const }
  },

  async activate(call) {
    const before = await changeablePolicy(call, call.input.id)
    if (before.status === 'active') throw conflict('The policy is active already')
    requireContent(given(await policyById(call, before.id)))
    return setStatus(call, before, 'active')
  },

  async deactivate(call) {
    const before = await changeablePolicy(call, call.input.id)
    if (before.status !== 'active') throw conflict('The policy is not active')
    return setStatus(call, before, 'inactive')
  },
})
