// Stores requests for an approval, and what becomes of them.
import type { Db } from '@muster/db/database.ts'
import { conflict, invariant } from '@muster/kit/errors.ts'
import { sql } from 'kysely'
import { z } from 'zod'
import type { Call } from '../../../operation.ts'
import type { Target } from '../commands.queries.ts'
import type { CommandOrder } from '../orders/validate-order.ts'
import { placeOf } from '../plans/owner.ts'
import type { PlanSubject } from '../plans/plan.contract.ts'
import type { Plan } from '../plans/plan.ts'
import { approvalById, type Bound, hashOf, type StoredApproval } from './approval.queries.ts'

const openMs = 3_600_000
const JsonObject = z.record(z.string(), z.json())

/** Stores the request. A repeated request returns the stored one. @throws CONFLICT if the key was used for another request */
export async function askForApproval(
  call: Call,
  order: CommandOrder,
  targets: readonly Target[],
): Promise<StoredApproval> {
  const { type, payload, timeoutMs, respectMaintenance, requestKey = null, subject = null } = order
  const bound = {
    ...{ type, payload: JsonObject.parse(payload), timeoutMs, respectMaintenance, subject, plan: null },
    expiresInSeconds: Math.round((Date.parse(order.expiresAt) - call.services.clock.now()) / 1_000),
    deviceIds: targets.map(({ id }) => id),
    deviceEnv: order.deviceEnv === undefined ? null : Object.fromEntries(order.deviceEnv),
  }
  const known = requestKey === null ? undefined : await approvalOfRequest(call.db, requestKey)
  if (known !== undefined && known.hash !== hashOf(bound))
    throw conflict('The idempotency key was used for another request')
  if (known !== undefined) return approvalById(call.db, call.caller, known.id)
  return insertApproval(call, bound, ownerOfTargets(targets), requestKey)
}

const approvalOfRequest = (db: Db, requestKey: string) =>
  db.selectFrom('commandApprovals').select(['id', 'hash']).where('requestKey', '=', requestKey).executeTakeFirst()

interface Owner {
  readonly orgId: string | null
  readonly partnerId: string | null
}

/** The organization and partner of all devices; null if they differ. */
export const ownerOfTargets = (targets: readonly Pick<Target, 'orgId' | 'partnerId'>[]): Owner => ({
  orgId: common(targets.map((target) => target.orgId)),
  partnerId: common(targets.map((target) => target.partnerId)),
})

/** The common value; null if they differ. */
const common = (values: readonly string[]): string | null => {
  const [first] = values
  return first !== undefined && values.every((value) => value === first) ? first : null
}

/** Stores a request, which stays open for an hour. */
export async function insertApproval(
  { db, caller, services }: Call,
  bound: Bound,
  owner: Owner,
  requestKey: string | null,
): Promise<StoredApproval> {
  const { payload, subject, deviceEnv, plan, ...columns } = bound
  const json = (value: object | null) => (value === null ? null : JSON.stringify(value))
  const { id } = await db
    .insertInto('commandApprovals')
    .values({
      ...columns,
      ...owner,
      requestedBy: caller.userId,
      requestedAs: JSON.stringify(placeOf(caller)),
      payload: JSON.stringify(payload),
      subject: json(subject),
      deviceEnv: json(deviceEnv),
      plan: json(plan),
      hash: hashOf(bound),
      requestKey,
      expiresAt: new Date(services.clock.now() + openMs).toISOString(),
    })
    .returning('id')
    .executeTakeFirstOrThrow()
  return approvalById(db, caller, id)
}

/** Stores the request for a plan. */
export function askForPlan(call: Call, { subject, types, reach, content }: Plan): Promise<StoredApproval> {
  const named = 'targets' in reach
  const devices = named ? reach.targets.length : reach.devices
  const places = named ? {} : { places: { partnerId: reach.partnerId, orgIds: reach.orgIds && [...reach.orgIds] } }
  const only = named || reach.orgIds?.length !== 1 ? null : (reach.orgIds[0] ?? null)
  const bound = {
    ...{ type: subject.kind, payload: content, subject, plan: { types: [...types], devices, ...places } },
    ...{ timeoutMs: null, expiresInSeconds: null, respectMaintenance: true, deviceEnv: null },
    deviceIds: named ? reach.targets.map(({ id }) => id) : [],
  }
  const owner = named ? ownerOfTargets(reach.targets) : { orgId: only, partnerId: reach.partnerId }
  return insertApproval(call, bound, owner, null)
}

/** Withdraws the open request for an object that was changed, canceled or deleted. */
export async function withdrawPlan(
  { db, caller }: Pick<Call, 'db' | 'caller'>,
  { kind, id }: Pick<PlanSubject, 'kind' | 'id'>,
  reason: string,
): Promise<void> {
  await db
    .updateTable('commandApprovals')
    .set({ status: 'withdrawn', decidedBy: caller.userId, decidedAt: sql`now()`, reason })
    .where('status', '=', 'pending')
    .where(sql<boolean>`plan IS NOT NULL AND subject @> ${JSON.stringify({ kind, id })}::jsonb`)
    .execute()
}

/** Stores the decision, which is final. */
export async function decide(
  db: Db,
  { id }: StoredApproval,
  decision: {
    status: 'approved' | 'refused' | 'withdrawn'
    decidedBy: string
    reason?: string | null
    batchId?: string
  },
): Promise<void> {
  const { numUpdatedRows } = await db
    .updateTable('commandApprovals')
    .set({ ...decision, decidedAt: sql`now()` })
    .where('id', '=', id)
    .where('status', '=', 'pending')
    .executeTakeFirst()
  invariant(numUpdatedRows === 1n, 'an approval is decided once, under its lock')
}
