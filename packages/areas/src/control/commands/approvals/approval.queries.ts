import { createHash } from 'node:crypto'
import { allOf, anyOf, type Condition, equals } from '@muster/db/conditions.ts'
import type { Db } from '@muster/db/database.ts'
import { type Page, type Paged, paged } from '@muster/db/page.ts'
import type { Caller } from '@muster/kit/access.ts'
import { conflict, invariant, notFound } from '@muster/kit/errors.ts'
import canonicalize from 'canonicalize'
import { sql } from 'kysely'
import { z } from 'zod'
import { visibleDevices } from '../../../fleet/devices/index.ts'
import { isLimited, type Reach, within } from '../../../tenancy/tenancy/index.ts'
import { Place } from '../plans/owner.contract.ts'
import { placeOf } from '../plans/owner.ts'
import { PlannedReach } from '../plans/plan.contract.ts'
import { CommandSubject } from '../subject.contract.ts'
import { ApprovalStatus, type ApprovalSummary } from './approval-summary.contract.ts'
import type { Approval } from './approvals.contract.ts'

/** An approval with what is not shown. */
export interface StoredApproval extends Approval {
  readonly payload: NonNullable<Approval['payload']>
  readonly requestedAs: Place
  readonly requestKey: string | null
  /** Variables of single devices. */
  readonly deviceEnv: DeviceEnv | null
  /** What a plan may do; null for a command. */
  readonly plan: PlannedReach | null
}

const Subject = CommandSubject.nullable()
const Plan = PlannedReach.nullable()
const DeviceEnv = z.record(z.string(), z.record(z.string(), z.string()))
type DeviceEnv = z.infer<typeof DeviceEnv>

/** The form of the hashed text (RFC 8785). Hashes without it have an earlier form, which was ambiguous. */
const hashForm = 'jcs:'

/** What the second person approves. */
export type Bound = Pick<
  StoredApproval,
  | 'type'
  | 'payload'
  | 'timeoutMs'
  | 'respectMaintenance'
  | 'expiresInSeconds'
  | 'deviceIds'
  | 'subject'
  | 'deviceEnv'
  | 'plan'
>

export function hashOf({
  type,
  payload,
  timeoutMs,
  respectMaintenance,
  subject,
  deviceEnv,
  plan,
  ...given
}: Bound): string {
  const text =
    canonicalize([
      type,
      payload,
      timeoutMs,
      given.expiresInSeconds,
      [...given.deviceIds].sort(),
      ...(respectMaintenance ? [] : [{ respectMaintenance }]),
      ...(subject === null ? [] : [{ subject, deviceEnv }]),
      ...(plan === null ? [] : [{ plan }]),
    ]) ?? ''
  return `${hashForm}${createHash('sha256').update(text).digest('base64url')}`
}

/** Every device that the command is for is in the caller's sight, and no device is found later. */
const reachesAllTargets = (caller: Reach): Condition =>
  sql`(command_approvals.plan -> 'places') IS NULL AND NOT EXISTS (SELECT FROM unnest(command_approvals.device_ids) AS target (id)
    WHERE NOT EXISTS (SELECT FROM devices WHERE devices.id = target.id AND ${visibleDevices(caller)}))`

/** The caller's own requests in this scope, and those that concern only devices in the caller's reach. */
export const visibleApprovals = (caller: Reach & Pick<Caller, 'userId'>): Condition =>
  anyOf(
    allOf(
      equals('requestedBy', caller.userId),
      sql`command_approvals.requested_as = ${JSON.stringify(placeOf(caller))}::jsonb`,
    ),
    allOf(
      within(caller, 'commandApprovals.orgId', 'commandApprovals.partnerId'),
      ...(isLimited(caller) ? [reachesAllTargets(caller)] : []),
    ),
  )

const columns = [
  'commandApprovals.id',
  'commandApprovals.orgId',
  'commandApprovals.partnerId',
  'commandApprovals.type',
  'commandApprovals.subject',
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
    .where(visibleApprovals(caller))
    .select(columns)
    .select([
      status.as('status'),
      sql<number>`coalesce((command_approvals.plan ->> 'devices')::int, cardinality(device_ids))`.as('devices'),
      'users.email as requestedByEmail',
    ])

/** A page of them, newest first. */
export async function listApprovals(
  db: Db,
  caller: Caller,
  wanted: ApprovalStatus | undefined,
  page: Page,
): Promise<Paged<ApprovalSummary>> {
  const chosen = approvalsOf(db, caller).$if(wanted !== undefined, (query) =>
    query.where(status, '=', wanted ?? 'pending'),
  )
  const rows = chosen.orderBy('commandApprovals.createdAt', 'desc').orderBy('commandApprovals.id')
  const { data, pagination } = await paged(rows, page)
  return { data: data.map((row) => ({ ...row, subject: Subject.parse(row.subject) })), pagination }
}

/** @throws NOT_FOUND */
export async function approvalById(
  db: Db,
  caller: Caller,
  id: string,
  why: 'to read' | 'to decide' = 'to read',
): Promise<StoredApproval> {
  const found = await approvalsOf(db, caller)
    .select([
      'payload',
      'respectMaintenance',
      'timeoutMs',
      'expiresInSeconds',
      'deviceIds',
      'hash',
      'requestedAs',
      'requestKey',
      'deviceEnv',
      'plan',
    ])
    .where('commandApprovals.id', '=', id)
    .$if(why === 'to decide', (query) => query.forUpdate('commandApprovals'))
    .executeTakeFirst()
  if (found === undefined) throw notFound('Approval')
  const { requestedAs, ...stored } = found
  const { deviceEnv, subject, plan } = stored
  const row = {
    ...stored,
    deviceEnv: DeviceEnv.nullable().parse(deviceEnv),
    subject: Subject.parse(subject),
    plan: Plan.parse(plan),
  }
  const isWhole = hashOf(row) === row.hash
  const isEarlier = !row.hash.startsWith(hashForm)
  if (isEarlier && why === 'to decide') throw conflict('The request is from before an upgrade. Send the command again')
  invariant(isWhole || isEarlier, 'what is stored of an approval is what was asked for')
  return { ...row, requestedAs: Place.parse(requestedAs) }
}

/** @throws CONFLICT with its status */
export function requireOpen({ status: is }: StoredApproval): void {
  if (is !== ApprovalStatus.enum.pending) throw conflict(`The request is not open any more: ${is}`)
}
