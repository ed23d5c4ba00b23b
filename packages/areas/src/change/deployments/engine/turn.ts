// One turn of the engine: a transaction that reads the ends of commands, judges the deployment and sends the order to further
// devices. The lock of the deployment's row makes turns and requests follow each other.
import { asSystem, type Db } from '@muster/db/database.ts'
import { invariant } from '@muster/kit/errors.ts'
import { sql } from 'kysely'
import { StoredWork } from '../../../background/deployment-kind.ts'
import { isHalted } from '../../../background/staged-work.rules.ts'
import type { WorkerParts } from '../../../background/worker-parts.ts'
import { recordAsSystem } from '../../../platform/audit/index.ts'
import { causedBy, emit } from '../../../platform/events/index.ts'
import type { PartnerEvent } from '../../../platform/live-events/index.ts'
import { Strategy } from '../batches/strategy.contract.ts'
import { ownerOfRow } from '../course/owner.ts'
import { hasEnded } from '../course/states.ts'
import { deploymentCompleted, deploymentHalted } from '../deployment-events.contract.ts'
import { kindOf } from '../deployment-kinds.ts'
import { DeploymentOrigin } from '../deployment-origin.contract.ts'
import type { Row } from '../deployments.queries.ts'
import { type LookedAt, lookAtGates } from '../gates/look-at-gates.ts'
import { changeOf } from '../live/tell-changed.ts'
import { type IssuedDevices, issueDevices } from './issue-devices.ts'
import { hasOpenOffers } from './offer-to-devices.ts'
import { readEnds } from './read-ends.ts'
import { type BatchTally, talliesOf } from './tallies.ts'
import { isOver, isSettled, slotsOf, sumOf, type Wait, waitOf } from './verdict.rules.ts'

/** How often a deployment is looked at that waits for devices, gates or a command stop. */
const waitingMs = 5_000

/** What a turn leaves behind. */
interface Next {
  readonly status: Row['status']
  readonly reason: string | null
  readonly currentBatch: number
  /** Null: not before a person or the end of a command. */
  readonly inMs: number | null
}

/** Takes a turn of a deployment, unless another worker does. @returns what to tell screens if something changed */
export async function takeTurn(parts: WorkerParts, deploymentId: string): Promise<PartnerEvent | null> {
  const { change, afterCommit } = await asSystem(parts.pool, async (db) => {
    const row = await db
      .selectFrom('deployments')
      .selectAll()
      .where('id', '=', deploymentId)
      .forNoKeyUpdate()
      .skipLocked()
      .executeTakeFirst()
    if (row === undefined || row.work === null) return { change: null, afterCommit: [] }
    const { cause } = DeploymentOrigin.nullable().parse(row.origin) ?? {}
    const { afterCommit, isChanged } = await causedBy(db, cause, () => turnOf(db, parts, row))
    return { afterCommit, change: isChanged ? changeOf(row) : null }
  })
  await Promise.all(afterCommit.map((send) => send()))
  return change
}

interface Turn {
  readonly isChanged: boolean
  readonly afterCommit: IssuedDevices['afterCommit']
}

async function turnOf(db: Db, parts: WorkerParts, row: Row): Promise<Turn> {
  const work = StoredWork.parse(row.work)
  const kind = kindOf(parts.deploymentKinds, row.ordered)
  const strategy = Strategy.parse(row.strategy)
  const retriesMax = hasEnded(row.status) ? 0 : strategy.retries.max
  const ends = await readEnds(db, row.id, { kind, work, retries: { ...strategy.retries, max: retriesMax } })
  if (row.status !== 'running' && row.status !== 'scheduled') {
    if (row.nextAt !== null) await restNext(db, row.id)
    return { isChanged: ends > 0, afterCommit: [] }
  }
  if (row.deadlineAt !== null && Date.parse(row.deadlineAt) <= Date.now()) await expire(db, row.id)
  const current = Math.max(row.currentBatch, 1)
  const begun: Row = { ...row, status: 'running', currentBatch: current }
  const tallies = await talliesOf(db, row.id)
  const judged = await judge(db, begun, strategy, tallies)
  if (judged.status !== 'running') {
    await end(db, begun, judged, tallies)
    return { isChanged: true, afterCommit: [] }
  }
  const owner = ownerOfRow(row)
  invariant(owner !== null && row.deadlineAt !== null, 'a deployment that runs has an owner and a deadline')
  const { currentBatch: batch } = judged
  const running = tallies.reduce((sum, tally) => sum + tally.running, 0)
  const slots = slotsOf(strategy, { running, issuedLastMinute: await issuedLastMinute(db, row.id, strategy) })
  const issuing = { row: begun, batch, kind, work, strategy, owner, deadlineAt: row.deadlineAt }
  const sent = slots === 0 ? nothing : await issueDevices(db, parts, issuing, slots)
  if (sent.stop === 'owner_not_permitted' || sent.stop === 'no_grant')
    await end(db, begun, { ...judged, status: 'halted', reason: sent.stop, inMs: null }, tallies)
  else if (sent.stop !== null) await store(db, row.id, { ...judged, reason: sent.stop, inMs: waitingMs })
  // What became of the devices may end the batch.
  else await store(db, row.id, sent.left > 0 ? { ...judged, inMs: 0 } : judged)
  const isChanged =
    ends + sent.issued + sent.left > 0 ||
    row.status !== 'running' ||
    row.reason !== (sent.stop ?? judged.reason) ||
    row.currentBatch !== judged.currentBatch
  return { isChanged, afterCommit: sent.afterCommit }
}

/** One that rests is looked at only while devices have offers, whose ends wake nothing. */
async function restNext(db: Db, id: string): Promise<void> {
  const inMs = (await hasOpenOffers(db, id)) ? waitingMs : null
  await sql`UPDATE deployments SET next_at = now() + make_interval(secs => ${inMs === null ? null : inMs / 1_000}::float8)
    WHERE id = ${id}::uuid`.execute(db)
}

const nothing: IssuedDevices = { issued: 0, left: 0, stop: null, afterCommit: [] }

/** Devices that were not sent the order in time. */
const expire = (db: Db, id: string) =>
  sql`UPDATE deployment_devices SET status = 'expired', reason = 'deadline'
    WHERE deployment_id = ${id}::uuid AND status IN ('pending', 'held')`.execute(db)

async function issuedLastMinute(db: Db, id: string, { perMinute }: Strategy): Promise<number> {
  if (perMinute === null) return 0
  const { rows } = await sql<{ count: number }>`SELECT count(*) AS count FROM deployment_devices
    WHERE deployment_id = ${id}::uuid AND issued_at > now() - interval '1 minute'`.execute(db)
  return rows[0]?.count ?? 0
}

/** Whether the deployment halts, completes, or goes on, and with which batch. */
async function judge(db: Db, row: Row, strategy: Strategy, tallies: readonly BatchTally[]): Promise<Next> {
  const all = sumOf(tallies)
  const last = { currentBatch: row.currentBatch, inMs: null }
  if (isHalted(all, strategy.maxErrors))
    return { ...last, status: 'halted', reason: `${all.failed - all.accepted} of ${all.issued} devices failed` }
  if (isOver(all)) return { ...last, status: 'completed', reason: null }
  const batches = tallies.at(-1)?.batch ?? 0
  let batch = row.currentBatch
  for (;;) {
    await begin(db, row.id, batch)
    // Without a row, all its devices were deleted.
    const tally = tallies.find((each) => each.batch === batch)
    if (tally === undefined) {
      await endBatch(db, row.id, batch++)
      continue
    }
    const soak = isSettled(tally) ? await soakMs(db, row.id, batch, strategy.soakSeconds) : null
    const limits = { successPercent: strategy.successPercent, isSoaked: soak !== null && soak <= 0 }
    const isLast = batch === batches
    const isAtGates = !isLast && waitOf(tally, { ...limits, areGatesGreen: true }) === null
    const gates = isAtGates ? await lookAtGates(db, row, batch, strategy.gates) : null
    if (gates?.isOverdue === true) return { status: 'halted', reason: 'gate', currentBatch: batch, inMs: null }
    const wait = waitOf(tally, { ...limits, areGatesGreen: gates?.areGreen ?? true })
    if (wait !== null || isLast)
      return {
        status: 'running',
        reason: isLast ? null : reasonOf(wait, batch, gates),
        currentBatch: batch,
        inMs: inMsOf(wait, soak, tallies, strategy),
      }
    await endBatch(db, row.id, batch++)
  }
}

/** What a person should know: why nothing goes on although all devices of the batch have ended. */
function reasonOf(wait: Wait | null, batch: number, gates: LookedAt | null): string | null {
  if (wait === 'success') return `batch ${batch}: too few devices succeeded`
  if (wait !== 'gates') return null
  return gates?.notGreen === 'person'
    ? `batch ${batch}: a person has to pass it`
    : `batch ${batch}: the gate ${gates?.notGreen} is not green`
}

function inMsOf(
  wait: Wait | null,
  soak: number | null,
  tallies: readonly BatchTally[],
  { perMinute }: Strategy,
): number {
  if (perMinute !== null) return 1_000
  const isHeld = tallies.some(({ held }) => held > 0)
  return wait === 'soak' && soak !== null && !isHeld ? Math.max(soak, 1) : waitingMs
}

const begin = (db: Db, id: string, batch: number) =>
  sql`UPDATE deployment_batches SET began_at = now() WHERE deployment_id = ${id}::uuid AND number = ${batch} AND began_at IS NULL`.execute(
    db,
  )

const endBatch = (db: Db, id: string, batch: number) =>
  sql`UPDATE deployment_batches SET ended_at = coalesce(ended_at, now()) WHERE deployment_id = ${id}::uuid AND number <= ${batch}`.execute(
    db,
  )

/** How long the batch is still watched. Its time begins when all its devices have ended or are held. */
async function soakMs(db: Db, id: string, batch: number, soakSeconds: number): Promise<number> {
  const { rows } = await sql<{ left: number }>`UPDATE deployment_batches SET settled_at = coalesce(settled_at, now())
    WHERE deployment_id = ${id}::uuid AND number = ${batch}
    RETURNING ceil(extract(epoch FROM settled_at + make_interval(secs => ${soakSeconds}) - now()) * 1000)::float8 AS "left"`.execute(
    db,
  )
  return rows[0]?.left ?? 0
}

const store = (db: Db, id: string, { status, reason, currentBatch, inMs }: Next) =>
  sql`UPDATE deployments SET status = ${status}, reason = ${reason}, current_batch = ${currentBatch},
      started_at = coalesce(started_at, now()), ended_at = CASE WHEN ${status} = 'completed' THEN now() END,
      next_at = least(now() + make_interval(secs => ${inMs === null ? null : inMs / 1_000}::float8), CASE WHEN ${inMs === null} THEN NULL ELSE deadline_at END)
    WHERE id = ${id}::uuid`.execute(db)

/** The deployment halts or completes. What the engine did is on record with the owner. */
async function end(db: Db, row: Row, next: Next, tallies: readonly BatchTally[]): Promise<void> {
  const { succeeded, failed, issued } = sumOf(tallies)
  const { id, name, orgId, partnerId, ownerId } = row
  const { reason } = next
  await store(db, id, next.status === 'halted' ? { ...next, inMs: 0 } : next)
  const data = { deploymentId: id, name, reason }
  if (next.status === 'halted')
    await emit(db, deploymentHalted, { partnerId, orgId, data: { ...data, failed, issued } })
  else await endBatch(db, id, tallies.at(-1)?.batch ?? 0)
  if (next.status === 'completed')
    await emit(db, deploymentCompleted, { partnerId, orgId, data: { ...data, succeeded, failed } })
  await recordAsSystem(db, {
    action: next.status === 'halted' ? 'deployment.halt' : 'deployment.complete',
    ...{ target: id, name, orgId, partnerId },
    details: { reason, succeeded, failed, issued, ownerId },
  })
}
