// Sends the order to the devices whose turn it is.
import type { Db } from '@muster/db/database.ts'
import { invariant } from '@muster/kit/errors.ts'
import { sql } from 'kysely'
import type { CommandedKind, DeploymentKind, DeploymentWork, StoredWork } from '../../../background/deployment-kind.ts'
import type { WorkerParts } from '../../../background/worker-parts.ts'
import { type BackgroundSkip, issueInBackground, reachOfOwner } from '../../../control/commands/index.ts'
import type { PlanOwner } from '../../../control/commands/plans/owner.contract.ts'
import { visibleDevices } from '../../../fleet/devices/index.ts'
import type { Strategy } from '../batches/strategy.contract.ts'
import { DeploymentOrigin } from '../deployment-origin.contract.ts'
import type { Row } from '../deployments.queries.ts'
import { type Change, leave } from './leave-devices.ts'
import { offerToDevices } from './offer-to-devices.ts'

/** Devices that are looked at together. */
const devicesAtOnce = 500
const roundsMax = 20

/** These pass by time. */
const passing: readonly BackgroundSkip[] = ['maintenance', 'organization_suspended', 'already_pending']
/** These stop the whole deployment for the time being, or until a person starts it again. */
const stops = ['commands_stopped', 'no_grant', 'owner_not_permitted'] as const
type CommandStop = (typeof stops)[number]
export type Stop = CommandStop | 'updates_stopped'

export interface Issuing {
  readonly row: Row
  readonly batch: number
  readonly kind: DeploymentKind
  readonly work: StoredWork
  readonly strategy: Strategy
  readonly owner: PlanOwner
  readonly deadlineAt: string
}

export interface IssuedDevices {
  readonly issued: number
  /** How many were held, skipped or failed at once. */
  readonly left: number
  readonly stop: Stop | null
  readonly afterCommit: readonly (() => Promise<void>)[]
}

interface Candidate {
  readonly id: string
  readonly batch: number
  readonly attempt: number
  readonly osType: string | null
  readonly isOnline: boolean
  /** It moved to an organization that is not the deployment's, or its organization was deleted. */
  readonly isGone: boolean
}

const candidatesOf = async (db: Db, { row, batch }: Issuing, most: number): Promise<Candidate[]> => {
  const { rows } = await sql<Candidate>`
    SELECT device.device_id AS id, device.batch, device.attempt, devices.os_type, coalesce(state.status = 'online', false) AS is_online,
      devices.partner_id <> ${row.partnerId}::uuid OR devices.org_id <> coalesce(${row.orgId}::uuid, devices.org_id)
        OR organizations.deleted_at IS NOT NULL AS is_gone
    FROM deployment_devices device JOIN devices ON devices.id = device.device_id
    JOIN organizations ON organizations.id = devices.org_id
    LEFT JOIN device_state state ON state.device_id = device.device_id
    WHERE device.deployment_id = ${row.id}::uuid AND device.batch <= ${batch} AND device.status IN ('pending', 'held')
      AND (device.not_before IS NULL OR device.not_before <= now())
      AND (device.status = 'pending' OR device.reason IS DISTINCT FROM 'offline' OR state.status = 'online')
    ORDER BY device.batch, device.place LIMIT ${most}`.execute(db)
  return rows
}

async function noteIssued(
  db: Db,
  deploymentId: string,
  attempt: number,
  commands: readonly { readonly id: string; readonly deviceId: string }[],
): Promise<void> {
  if (commands.length === 0) return
  await sql`UPDATE deployment_devices device SET status = 'queued', reason = NULL, exit_code = NULL, error = NULL, not_before = NULL,
      accepted = false, attempt = ${attempt}, command_id = given.command_id, issued_at = now()
    FROM unnest(${commands.map(({ deviceId }) => deviceId)}::uuid[], ${commands.map(({ id }) => id)}::uuid[]) AS given (device_id, command_id)
    WHERE device.deployment_id = ${deploymentId}::uuid AND device.device_id = given.device_id`.execute(db)
}

/**
 * Sends the order to at most so many devices, in the transaction of the turn. The row of the deployment is locked, so that
 * no other worker counts the same free places.
 */
export async function issueDevices(
  db: Db,
  parts: WorkerParts,
  issuing: Issuing,
  slots: number,
): Promise<IssuedDevices> {
  const afterCommit: (() => Promise<void>)[] = []
  let [issued, left] = [0, 0]
  for (let round = 0; round < roundsMax && issued < slots; round++) {
    const candidates = await candidatesOf(db, issuing, devicesAtOnce)
    if (candidates.length === 0) break
    if (round === 0 && !(await ownerReachesAny(db, issuing)))
      return { issued, left, stop: 'owner_not_permitted', afterCommit }
    const able = await withoutAbsent(db, issuing, candidates)
    left += candidates.length - able.length
    const chosen = able.slice(0, slots - issued)
    if (chosen.length === 0) continue
    const sent = await issueTo(db, parts, issuing, chosen)
    issued += sent.issued
    left += sent.left
    afterCommit.push(...sent.afterCommit)
    if (sent.stop !== null) return { issued, left, stop: sent.stop, afterCommit }
  }
  return { issued, left, stop: null, afterCommit }
}

/** Whether the owner holds the permissions and reaches a device of the deployment. Single ones out of reach are skipped one by one. */
async function ownerReachesAny(db: Db, { row, kind, owner }: Issuing): Promise<boolean> {
  const reach = await reachOfOwner(db, owner, ['automations:write', ...kind.permissions(row.ordered)])
  if (reach === null) return false
  const { rows } = await sql`SELECT FROM deployment_devices device JOIN devices ON devices.id = device.device_id
    WHERE device.deployment_id = ${row.id}::uuid AND ${visibleDevices(reach)} LIMIT 1`.execute(db)
  return rows.length > 0
}

/** The devices that are there. Others are held or skipped. */
async function withoutAbsent(
  db: Db,
  { row, strategy }: Issuing,
  candidates: readonly Candidate[],
): Promise<Candidate[]> {
  const offline = strategy.offline === 'wait' ? 'held' : 'skipped'
  await leave(db, row.id, [
    ...candidates.flatMap(({ id, isGone }): Change[] =>
      isGone ? [{ deviceId: id, status: 'skipped', reason: 'out_of_reach' }] : [],
    ),
    ...candidates.flatMap(({ id, isGone, isOnline }): Change[] =>
      isGone || isOnline ? [] : [{ deviceId: id, status: offline, reason: 'offline' }],
    ),
  ])
  return candidates.filter(({ isGone, isOnline }) => isOnline && !isGone)
}

async function issueTo(
  db: Db,
  parts: WorkerParts,
  issuing: Issuing,
  chosen: readonly Candidate[],
): Promise<IssuedDevices> {
  const { row, kind, work, strategy } = issuing
  if (kind.by === 'commands' && 'type' in work) return commandTo(db, parts, { ...issuing, kind, work }, chosen)
  invariant(kind.by === 'offers' && 'agentVersion' in work, 'the work of a deployment is of its kind')
  const { respectMaintenance } = strategy
  const deviceIds = chosen.map(({ id }) => id)
  return offerToDevices(db, parts, kind, { deploymentId: row.id, work, deviceIds, respectMaintenance })
}

interface Commanding extends Issuing {
  readonly kind: CommandedKind
  readonly work: DeploymentWork
}

async function commandTo(
  db: Db,
  parts: WorkerParts,
  issuing: Commanding,
  chosen: readonly Candidate[],
): Promise<IssuedDevices> {
  const { row, kind, work } = issuing
  const { deviceEnv, left: unable } = await kind.forDevices(db, work, chosen)
  await leave(db, row.id, unable)
  const without = new Set(unable.map(({ deviceId }) => deviceId))
  const sendable = chosen.filter(({ id }) => !without.has(id))
  const afterCommit: (() => Promise<void>)[] = []
  const cause = DeploymentOrigin.nullable().parse(row.origin)?.cause
  let [issued, left] = [0, unable.length]
  for (const alike of Map.groupBy(sendable, ({ batch, attempt }) => `${batch}:${attempt}`).values()) {
    const [first] = alike
    if (first === undefined) continue
    const origin = {
      ...{ kind: 'deployment' as const, id: row.id, step: first.batch, attempt: first.attempt + 1 },
      ...(cause === undefined ? {} : { cause }),
    }
    const sent = await issueInBackground(
      db,
      parts,
      { ...orderOf(issuing), origin, ...(deviceEnv === undefined ? {} : { deviceEnv }) },
      alike.map(({ id }) => id),
    )
    await noteIssued(db, row.id, origin.attempt, sent.commands)
    issued += sent.commands.length
    afterCommit.push(sent.afterCommit)
    const stop = sent.skipped
      .map(({ reason }) => reason)
      .find((reason): reason is CommandStop => stops.some((stop) => stop === reason))
    if (stop !== undefined) return { issued, left, stop, afterCommit }
    left += sent.skipped.length
    await leave(db, row.id, sent.skipped.map(changeOf))
  }
  return { issued, left, stop: null, afterCommit }
}

const changeOf = ({ deviceId, reason }: { readonly deviceId: string; readonly reason: BackgroundSkip }): Change => ({
  deviceId,
  reason,
  status: passing.includes(reason) ? 'held' : reason === 'too_large' ? 'failed' : 'skipped',
})

function orderOf({ row, work, strategy, owner, deadlineAt }: Commanding) {
  const { type, payload, timeoutMs, subject, perDevice, expiresInSeconds } = work
  const expiresAtMs = Math.min(Date.now() + expiresInSeconds * 1_000, Date.parse(deadlineAt))
  return {
    ...{ type, payload, timeoutMs, owner, perDevice, batchId: row.id },
    ...(subject === null ? {} : { subject }),
    respectMaintenance: strategy.respectMaintenance,
    expiresAt: new Date(expiresAtMs).toISOString(),
  }
}
