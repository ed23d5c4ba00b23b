// Grants of plans: signed when a person starts the plan, stored, and sent by workers with the commands, which cannot sign any.
import { createHash } from 'node:crypto'
import type { Db } from '@muster/db/database.ts'
import { RunScript } from '@muster/wire/commands/scripts.ts'
import { type GrantClaims, grantDevicesMax, workOf } from '@muster/wire/grants.ts'
import canonicalize from 'canonicalize'
import { sql } from 'kysely'
import type { Call } from '../../../operation.ts'
import type { OriginKind } from '../plans/origin.contract.ts'
import { inGroups, namedDevices, signGrants } from './script-grants.ts'

/** How long the scripts of a plan that has no end are allowed. Each edit begins it again. */
export const planGrantMs = 400 * 86_400_000

interface PlanId {
  readonly kind: OriginKind
  readonly id: string
}

/** A script that a plan runs. */
export interface PlannedWork {
  readonly payload: Readonly<Record<string, unknown>>
  readonly timeoutMs: number
  /** Parameters (`PARAM_…`) whose values differ between devices or runs, and so are not signed. */
  readonly perDevice?: readonly string[]
}

export interface PlanToSign {
  readonly origin: PlanId
  /** Null for plans of the whole partner. */
  readonly owner: { readonly partnerId: string; readonly orgId: string | null }
  /** The user in whose name the scripts run. */
  readonly by: string
  readonly work: readonly PlannedWork[]
  /** Named devices, or the devices of organizations; null for all of the partner. */
  readonly scope: { readonly deviceIds: readonly string[] } | { readonly orgIds: readonly string[] | null }
  readonly expiresAtMs: number
}

/** Allows the scripts of a plan, and no longer what it ran before. */
export async function signPlan({ db, services }: Pick<Call, 'db' | 'services'>, plan: PlanToSign): Promise<void> {
  const { origin, owner, by, scope, expiresAtMs } = plan
  await dropGrants(db, origin)
  const common = { iat: Math.floor(services.clock.now() / 1_000), exp: Math.ceil(expiresAtMs / 1_000), by, origin }
  const works = new Map(plan.work.map((one) => [workId(one), claimsOf(one)]))
  const asked = [...works].flatMap(([work, claims]) =>
    scopesOf(scope, owner.partnerId).map((part) => ({ work, part, claims: { ...common, ...claims, scope: part } })),
  )
  const grants = await signGrants(
    services,
    asked.map(({ claims }) => claims),
  )
  const list = (ids: readonly string[]) => (ids.length === 0 ? null : `{${ids.join(',')}}`)
  await sql`INSERT INTO plan_grants (id, partner_id, org_id, kind, plan_id, expires_at, work, device_ids, org_ids, script_grant)
    SELECT gen_random_uuid(), ${owner.partnerId}::uuid, ${owner.orgId}::uuid, ${origin.kind}, ${origin.id}::uuid,
      ${new Date(expiresAtMs).toISOString()}::timestamptz, given.work, given.devices::uuid[], given.orgs::uuid[], given.script_grant
    FROM unnest(${asked.map(({ work }) => work)}::text[], ${asked.map(({ part }) => list(part.deviceIds))}::text[],
      ${asked.map(({ part }) => list(part.orgIds))}::text[], ${grants}::text[]) AS given (work, devices, orgs, script_grant)`.execute(
    db,
  )
}

/** Takes away what a plan was allowed. Commands that were sent already keep their grants. */
export async function dropGrants(db: Db, { kind, id }: PlanId): Promise<void> {
  await sql`DELETE FROM plan_grants WHERE kind = ${kind} AND plan_id = ${id}::uuid OR expires_at <= now()`.execute(db)
}

/** Lets a plan that another plan makes send the same work, until its deadline. Nothing is signed again: the grants stay those of the first. */
export async function handOnGrants(
  db: Db,
  given: {
    readonly from: PlanId
    readonly to: PlanId
    readonly work: PlannedWork & { readonly type: string }
    readonly deadlineAt: string
  },
): Promise<void> {
  const { from, to, work, deadlineAt } = given
  if (work.type !== 'run_script') return
  await sql`INSERT INTO plan_grants (id, partner_id, org_id, kind, plan_id, expires_at, work, device_ids, org_ids, script_grant)
    SELECT gen_random_uuid(), partner_id, org_id, ${to.kind}, ${to.id}::uuid, least(expires_at, ${deadlineAt}::timestamptz), work,
      device_ids, org_ids, script_grant
    FROM plan_grants WHERE kind = ${from.kind} AND plan_id = ${from.id}::uuid AND work = ${workId(work)} AND expires_at > now()`.execute(
    db,
  )
}

type Scope = GrantClaims['scope']

/** A scope holds few devices or organizations. */
function scopesOf(scope: PlanToSign['scope'], partnerId: string): Scope[] {
  if ('deviceIds' in scope) return inGroups([...new Set(scope.deviceIds)]).map(namedDevices)
  if (scope.orgIds === null) return [{ partnerId, orgIds: [], deviceIds: [] }]
  const orgIds = [...new Set(scope.orgIds)]
  const count = Math.ceil(orgIds.length / grantDevicesMax)
  return Array.from({ length: count }, (_, at) => ({
    ...{ partnerId, deviceIds: [] },
    orgIds: orgIds.slice(at * grantDevicesMax, (at + 1) * grantDevicesMax),
  }))
}

function claimsOf({ payload, timeoutMs, perDevice = [] }: PlannedWork) {
  const work = workOf(RunScript.parse(payload), timeoutMs, perDevice)
  return { ...work, ...(perDevice.length === 0 ? {} : { perDevice: [...perDevice].sort() }) }
}

/** Identifies what a grant allows. */
const workId = (work: PlannedWork): string =>
  createHash('sha256')
    .update(canonicalize(claimsOf(work)) ?? '')
    .digest('base64url')

/** The grant of each device for work of a plan. Devices for which it was not signed have none. */
export async function grantsOfPlan(
  db: Db,
  { kind, id }: PlanId,
  work: PlannedWork,
  deviceIds: readonly string[],
): Promise<ReadonlyMap<string, string>> {
  const ids = [...deviceIds]
  const { rows } = await sql<{ deviceId: string; scriptGrant: string }>`
    WITH allowed AS (SELECT * FROM plan_grants
      WHERE plan_id = ${id}::uuid AND kind = ${kind} AND work = ${workId(work)} AND expires_at > now())
    SELECT named.device_id, allowed.script_grant FROM allowed CROSS JOIN LATERAL unnest(allowed.device_ids) AS named (device_id)
    WHERE named.device_id = ANY (${ids}::uuid[])
    UNION ALL
    SELECT devices.id, allowed.script_grant FROM devices JOIN allowed ON allowed.partner_id = devices.partner_id
      AND allowed.device_ids IS NULL AND (allowed.org_ids IS NULL OR devices.org_id = ANY (allowed.org_ids))
    WHERE devices.id = ANY (${ids}::uuid[])`.execute(db)
  return new Map(rows.map(({ deviceId, scriptGrant }) => [deviceId, scriptGrant]))
}
