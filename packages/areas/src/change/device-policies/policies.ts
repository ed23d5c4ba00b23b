import { always, isNullOr, isOneOf } from '@muster/db/conditions.ts'
import { paged } from '@muster/db/page.ts'
import { conflict, invalid, notFound } from '@muster/kit/errors.ts'
import { sql } from 'kysely'
import type { ApprovalSummary } from '../../control/commands/approvals/approval-summary.contract.ts'
import { ownerOf } from '../../control/commands/index.ts'
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
import { endEnforcement, judgeEnforcement, startEnforcement, stopEnforcement } from './remediation/enforcement.ts'
import { worksOf } from './remediation/orders.ts'
import { type Given, savePlaces, saveRuleFilters } from './stored-policies.ts'

/** Counts change by themselves. */
const audited = ({ counts: _counts, held: _held, ...policy }: Policy) => policy

const given = (policy: Policy): Given => {
  const { name, description, mode, priority, assignments, exclude, osTypes, filter, settings, rules } = policy
  const { maxRemediationsPerHour } = policy
  return {
    ...{ name, description, mode, priority, assignments, exclude, osTypes, filter, settings, rules },
    maxRemediationsPerHour,
  }
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

const columnsOf = ({ name, description, mode, priority, osTypes, settings, rules, maxRemediationsPerHour }: Given) => ({
  ...{ name, description, mode, priority, maxRemediationsPerHour },
  osTypes: [...new Set(osTypes)].sort(),
  settings: JSON.stringify(settings),
  rules: JSON.stringify(rules),
})

/** @throws VALIDATION_ERROR for a policy that does nothing while it is active */
function requireContent({ rules, settings }: Pick<Policy, 'rules' | 'settings'>): void {
  if (rules.length === 0 && Object.keys(settings).length === 0)
    throw invalid('rules: an active policy needs a rule or a setting')
}

/** Stores another content. Devices are evaluated for it if the policy is active. */
async function store(call: Call, before: StoredPolicy, wanted: Given): Promise<Enforced> {
  const { db, caller, audit } = call
  const [shown] = await asPolicies(db, caller, [before])
  if (shown === undefined) throw notFound('Policy')
  if (normal(given(shown)) === normal(wanted)) {
    audit({ action: 'policy.update', target: shown.id, before: {}, after: {} })
    return { ...shown, approval: null }
  }
  const isOn = before.status === 'active' || before.status === 'awaiting_approval'
  if (isOn) requireContent(wanted)
  const plan = { ...before, ...wanted }
  const judged = isOn && wanted.mode === 'enforce' ? await judgeEnforcement(call, plan, before.revision + 1) : null
  if (judged === null) await worksOf({ db, caller, owner: before }, wanted.rules)
  await savePlaces(call, before, wanted, before.targetSetId)
  await saveRuleFilters(call, before, wanted.rules)
  await db
    .updateTable('devicePolicies')
    .set(columnsOf(wanted))
    .$if(isOn, (query) => query.set({ revision: sql<number>`revision + 1`, status: statusOf(judged) }))
    .where('id', '=', before.id)
    .execute()
  if (isOn) await followPlan(call, before, judged)
  const after = await policyById(call, before.id)
  const { id, name, orgId, partnerId } = after
  const states = { before: audited(shown), after: audited(after) }
  audit({ action: 'policy.update', target: id, name, orgId, partnerId, ...states })
  return { ...after, approval: judged?.approval ?? null }
}

type Enforced = Policy & { approval: ApprovalSummary | null }
type Judged = Awaited<ReturnType<typeof judgeEnforcement>> | null

const statusOf = (judged: Judged) => ((judged?.approval ?? null) === null ? 'active' : 'awaiting_approval')

/** Starts or ends what an active policy does by itself. */
async function followPlan(call: Call, policy: StoredPolicy, judged: Judged): Promise<void> {
  if (judged === null) await endEnforcement(call, policy.id, 'The policy enforces no more')
  else if (judged.approval === null) await startEnforcement(call, policy, judged.works, ownerOf(call.caller))
  else await stopEnforcement(call.db, policy.id)
}

/** Sets the status. Devices are evaluated with the policy or without it. */
async function setStatus(
  call: Pick<Call, 'db' | 'caller' | 'audit'>,
  { id, status: before }: StoredPolicy,
  status: 'active' | 'inactive' | 'awaiting_approval',
): Promise<Policy> {
  await call.db
    .updateTable('devicePolicies')
    .set({ status, revision: sql<number>`revision + 1` })
    .where('id', '=', id)
    .execute()
  const after = await policyById(call, id)
  const { name, orgId, partnerId } = after
  const action = status === 'inactive' ? 'policy.deactivate' : 'policy.activate'
  call.audit({ action, target: id, name, orgId, partnerId, before: { status: before }, after: { status } })
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
    await worksOf({ db, caller, owner }, wanted.rules)
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
    await endEnforcement(call, id, 'The policy was deleted')
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
    if (before.status === 'awaiting_approval') throw conflict('The policy waits for a second person')
    const policy = await policyById(call, before.id)
    requireContent(policy)
    const judged = policy.mode === 'enforce' ? await judgeEnforcement(call, policy, before.revision + 1) : null
    const after = await setStatus(call, before, statusOf(judged))
    if (judged !== null) await followPlan(call, before, judged)
    return { ...after, approval: judged?.approval ?? null }
  },

  async deactivate(call) {
    const before = await changeablePolicy(call, call.input.id)
    if (before.status !== 'active' && before.status !== 'awaiting_approval') throw conflict('The policy is not active')
    await endEnforcement(call, before.id, 'The policy was deactivated')
    return setStatus(call, before, 'inactive')
  },
})
