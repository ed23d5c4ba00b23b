import { createHash } from 'node:crypto'
import type { Db } from '@muster/db/database.ts'
import { type Page, type Paged, paged } from '@muster/db/page.ts'
import type { Tables } from '@muster/db/tables.ts'
import type { Caller } from '@muster/kit/access.ts'
import { conflict, invariant, notFound } from '@muster/kit/errors.ts'
import canonicalize from 'canonicalize'
import { type ExpressionBuilder, type SqlBool, sql } from 'kysely'
import { z } from 'zod'
import { visibleDevices } from '../../../fleet/devices/index.ts'
import type { Call } from '../../../operation.ts'
import { isLimited, type Reach, within } from '../../../tenancy/tenancy/index.ts'
import { QueuedCommand } from '../commands.contract.ts'
import type { Target } from '../commands.queries.ts'
import type { CommandOrder } from '../orders/validate-order.ts'
import { ApprovalStatus, type ApprovalSummary } from './approval-summary.contract.ts'
import type { Approval } from './approvals.contract.ts'

const openMs = 3_600_000

/** The scope of the requester: enough to find the membership again. */
const Place = z.object({
  scope: z.enum(['system', 'partner', 'organization']),
  partnerId: z.string().nullable(),
  orgId: z.string().nullable(),
})

const placeOf = ({ scope, partnerId, orgId }: Reach): z.infer<typeof Place> => ({ scope, partnerId, orgId })

/** An approval of a known type, with the scope of the requester. */
export interface StoredApproval extends Approval {
  readonly type: QueuedCommand
  readonly payload: NonNullable<Approval['payload']>
  readonly requestedAs: z.infer<typeof Place>
  readonly requestKey: string | null
}

/** The form of the hashed text (RFC 8785). Hashes without it have an earlier form, which was ambiguous. */
const hashForm = 'jcs:'

function hashOf(
  { type, payload, timeoutMs }: Pick<CommandOrder, 'type' | 'payload' | 'timeoutMs'>,
  seconds: number,
  deviceIds: readonly string[],
): string {
  const text = canonicalize([type, payload, timeoutMs, seconds, [...deviceIds].sort()]) ?? ''
  return `${hashForm}${createHash('sha256').update(text).digest('base64url')}`
}

/** Every device that the command is for is in the caller's sight. */
const reachesAllTargets = (caller: Reach) => (eb: ExpressionBuilder<Tables, 'commandApprovals'>) =>
  sql<SqlBool>`NOT EXISTS (SELECT FROM unnest(command_approvals.device_ids) AS target (id)
    WHERE NOT EXISTS (${eb.selectFrom('devices').select('devices.id').where(sql<SqlBool>`devices.id = target.id`).where(visibleDevices(caller))}))`

/** The caller's own requests in this scope, and those that concern only devices in the caller's reach. */
const visible = (caller: Reach & Pick<Caller, 'userId'>) => (eb: ExpressionBuilder<Tables, 'commandApprovals'>) =>
  eb.or([
    eb.and([
      eb('requestedBy', '=', caller.userId),
      sql<SqlBool>`command_approvals.requested_as = ${JSON.stringify(placeOf(caller))}::jsonb`,
    ]),
    eb.and([
      within(caller, 'commandApprovals.orgId', 'commandApprovals.partnerId')(eb),
      ...(isLimited(caller) ? [reachesAllTargets(caller)(eb)] : []),
    ]),
  ])

const columns = [
  'commandApprovals.id',
  'commandApprovals.orgId',
  'commandApprovals.partnerId',
  'commandApprovals.type',
  'requestedBy',
  'decidedBy',
  'decidedAt',
  'reason',
  'batchId',
  'commandApprovals.createdAt',
  'commandApprovals.expiresAt',
] as const
const status = sql<ApprovalStatus>`CASE WHEN command_approvals.status = 'pending' AND command_approvals.expires_at <= now()
  THEN 'expired' ELSE command_approvals.status END`

const approvalsOf = (db: Db, caller: Caller) =>
  db
    .selectFrom('commandApprovals')
    // An organization does not see the users of its partner, but it sees what they request for its devices.
    .leftJoin('users', 'users.id', 'commandApprovals.requestedBy')
    .where(visible(caller))
    .select(columns)
    .select([
      status.as('status'),
      sql<number>`cardinality(device_ids)`.as('devices'),
      'users.email as requestedByEmail',
    ])

/** A page of them, newest first. */
export function listApprovals(
  db: Db,
  caller: Caller,
  wanted: ApprovalStatus | undefined,
  page: Page,
): Promise<Paged<ApprovalSummary>> {
  const chosen = approvalsOf(db, caller).$if(wanted !== undefined, (query) =>
    query.where(status, '=', wanted ?? 'pending'),
  )
  return paged(chosen.orderBy('commandApprovals.createdAt', 'desc').orderBy('commandApprovals.id'), page)
}

/** @throws NOT_FOUND */
export async function approvalById(
  db: Db,
  caller: Caller,
  id: string,
  why: 'to read' | 'to decide' = 'to read',
): Promise<StoredApproval> {
  const found = await approvalsOf(db, caller)
    .select(['payload', 'timeoutMs', 'expiresInSeconds', 'deviceIds', 'hash', 'requestedAs', 'requestKey'])
    .where('commandApprovals.id', '=', id)
    .$if(why === 'to decide', (query) => query.forUpdate('commandApprovals'))
    .executeTakeFirst()
  if (found === undefined) throw notFound('Approval')
  const { type, requestedAs, ...row } = found
  const isWhole = hashOf({ ...row, type: QueuedCommand.parse(type) }, row.expiresInSeconds, row.deviceIds) === row.hash
  const isEarlier = !row.hash.startsWith(hashForm)
  if (isEarlier && why === 'to decide') throw conflict('The request is from before an upgrade. Send the command again')
  invariant(isWhole || isEarlier, 'what is stored of an approval is what was asked for')
  return { ...row, type: QueuedCommand.parse(type), requestedAs: Place.parse(requestedAs) }
}

/** Stores the request. A repeated request returns the stored one. @throws CONFLICT if the key was used for another request */
export async function askForApproval(
  { db, caller, services }: Call,
  order: CommandOrder,
  targets: readonly Target[],
): Promise<StoredApproval> {
  const nowMs = services.clock.now()
  const expiresInSeconds = Math.round((Date.parse(order.expiresAt) - nowMs) / 1_000)
  const deviceIds = targets.map(({ id }) => id)
  const hash = hashOf(order, expiresInSeconds, deviceIds)
  const { type, payload, timeoutMs, requestKey = null } = order
  const known = requestKey === null ? undefined : await approvalOfRequest(db, requestKey)
  if (known !== undefined && known.hash !== hash) throw conflict('The idempotency key was used for another request')
  if (known !== undefined) return approvalById(db, caller, known.id)
  const { id } = await db
    .insertInto('commandApprovals')
    .values({
      orgId: common(targets.map((target) => target.orgId)),
      partnerId: common(targets.map((target) => target.partnerId)),
      requestedBy: caller.userId,
      requestedAs: JSON.stringify(placeOf(caller)),
      type,
      payload: JSON.stringify(payload),
      timeoutMs,
      expiresInSeconds,
      deviceIds,
      hash,
      requestKey,
      expiresAt: new Date(nowMs + openMs).toISOString(),
    })
    .returning('id')
    .executeTakeFirstOrThrow()
  return approvalById(db, caller, id)
}

const approvalOfRequest = (db: Db, requestKey: string) =>
  db.selectFrom('commandApprovals').select(['id', 'hash']).where('requestKey', '=', requestKey).executeTakeFirst()

/** The common value; null if they differ. */
const common = (values: readonly string[]): string | null => {
  const [first] = values
  return first !== undefined && values.every((value) => value === first) ? first : null
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

/** Withdraws the open requests for a device that changed its organization. */
export async function withdrawApprovals(db: Db, caller: Caller, deviceId: string, reason: string): Promise<void> {
  await db
    .updateTable('commandApprovals')
    .set({ status: 'withdrawn', decidedBy: caller.userId, decidedAt: sql`now()`, reason })
    .where('status', '=', 'pending')
    .where(sql<boolean>`${deviceId}::uuid = ANY (device_ids)`)
    .execute()
}

/** @throws CONFLICT with its status */
export function requireOpen({ status: is }: StoredApproval): void {
  if (is !== ApprovalStatus.enum.pending) throw conflict(`The request is not open any more: ${is}`)
}
