// Rolls out versions: decides whether a rollout advances, and offers its version to the devices that it reaches.

import type { Redis } from '@muster/backplane/redis.ts'
import { asSystem, type Db } from '@muster/db/database.ts'
import type { Log } from '@muster/kit/log.ts'
import { sql } from 'kysely'
import type pg from 'pg'
import { every } from '../../background/job.ts'
import { recordAsSystem } from '../../platform/audit/index.ts'
import { type OrderSigner, workerSignerOf } from '../commands/index.ts'
import { heldBack } from '../maintenance/index.ts'
import { type Going, hasFailed, hasSucceeded, meantFor, runsOlder } from './fleet.sql.ts'
import { isOfferedByDeployment } from './offers/agent-version.deployment-kinds.ts'
import { isUpdating, type Offer, offered, sendOffers, takeOffers } from './offers/send-offers.ts'
import { type Counts, failsWidely, heldOrgs, type OrgCounts, reachPlaces, sumOf, verdictOf } from './rollouts.rules.ts'
import { noteWithheld } from './withheld.ts'

/** Devices per run; the others follow within seconds. */
const offersPerTurn = 1_000

export interface OfferParts {
  readonly pool: pg.Pool
  readonly redis: Redis
  readonly log: Log
  readonly signer: OrderSigner
  /** Where agents reach this service. */
  readonly publicUrl: string
}

interface Running extends Going {
  readonly stages: number[]
  readonly stage: number
  readonly successPercent: number
  readonly errorPercent: number
  readonly errorsAccepted: number
  readonly isDue: boolean
}

/**
 * One run. If anything cannot be read or decided, all offers are withheld; the caller logs the error.
 * @returns how many devices received an offer
 */
export async function offerUpdates(parts: OfferParts): Promise<number> {
  try {
    return await takeTurn(parts)
  } catch (error) {
    await noteWithheld(parts.redis)
    throw error
  }
}

async function takeTurn({ pool, redis, log, signer, publicUrl }: OfferParts): Promise<number> {
  const turn = await asSystem(pool, async (db) => {
    const rollout = await lockRunning(db)
    if (rollout === null) return null
    const before = await countsOf(db, rollout)
    // A failing rollout halts before further offers; a successful one advances once no due offer is left.
    const held = heldOrgs(before, rollout)
    const offers = failsWidely(before, rollout) ? [] : await takeDue(db, rollout, held)
    if (offers.length > 0) return { rollout, offers }
    const members = rollout.isDue ? await membersOf(db, rollout, held) : 1
    const verdict = verdictOf(before, rollout, rollout.isDue, members)
    const counts = sumOf(before)
    if (verdict.next === 'halt') await halt(db, rollout, counts, verdict.reason)
    else if (verdict.next === 'complete') await setState(db, rollout.id, 'completed', null)
    else if (verdict.next === 'advance') await advance(db, rollout)
    if (verdict.next !== 'wait')
      log.info({ rollout: rollout.id, version: rollout.version, counts, held, ...verdict }, 'Rollout changed its state')
    return null
  })
  if (turn === null) return 0
  await sendOffers({ redis, signer, publicUrl }, turn.rollout.id, turn.offers)
  return turn.offers.length
}

/** Locks the running rollout until the transaction ends; null while updates are stopped. */
async function lockRunning(db: Db): Promise<Running | null> {
  const { rows } = await sql<Omit<Running, 'reach'>>`
    SELECT r.id, r.version, r.stages, r.stage, r.success_percent, r.error_percent, r.errors_accepted,
      r.stage_at + make_interval(secs => r.stage_seconds) <= now() AS is_due
    FROM agent_rollouts r
    WHERE r.state = 'running' AND NOT (SELECT stopped FROM agent_update_stop)
    FOR NO KEY UPDATE OF r`.execute(db)
  const [running] = rows
  return running === undefined ? null : { ...running, reach: reachPlaces(running) }
}

/** The results of the offers of a rollout, by organization. */
export async function countsOf(db: Db, { id, version }: Pick<Going, 'id' | 'version'>): Promise<OrgCounts[]> {
  const { rows } = await sql<OrgCounts>`
    SELECT devices.partner_id, devices.org_id, count(*)::int AS offered, count(*) FILTER (WHERE ${hasSucceeded(version)})::int AS succeeded,
      count(*) FILTER (WHERE ${hasFailed(version)})::int AS failed
    FROM device_updates updates JOIN devices ON devices.id = updates.device_id AND devices.lifecycle = 'active'
    WHERE updates.rollout_id = ${id}
    GROUP BY devices.partner_id, devices.org_id`.execute(db)
  return rows
}

/** How many devices a rollout includes: those without the version, and those that it updated. */
async function membersOf(db: Db, rollout: Running, held: readonly string[]): Promise<number> {
  const { rows } = await sql<{ members: number }>`
    SELECT count(*)::int AS members ${meantFor(rollout)}
      AND (${runsOlder(rollout.version)} OR updates.rollout_id = ${rollout.id})
      AND devices.org_id <> ALL (${[...held]}::uuid[])`.execute(db)
  return rows[0]?.members ?? 0
}

/** Takes the offers to connected devices within the reach that run an older version and are not updating. */
const takeDue = (db: Db, rollout: Running, held: readonly string[]): Promise<Offer[]> =>
  takeOffers(
    db,
    rollout.id,
    sql`SELECT ${offered}
      ${meantFor(rollout)} AND NOT ${heldBack('agentUpdates')} AND ${runsOlder(rollout.version)} AND devices.org_id <> ALL (${[...held]}::uuid[])
        AND EXISTS (SELECT FROM device_state s WHERE s.device_id = devices.id AND s.status = 'online')
        AND (updates.device_id IS NULL OR updates.rollout_id IS DISTINCT FROM ${rollout.id} OR updates.next_offer_at <= now())
        AND NOT coalesce(${rollout.version} = ANY (updates.barred), false)
        AND NOT (updates.version = ${rollout.version} AND ${isUpdating}) IS TRUE
        AND NOT ${isOfferedByDeployment}
      ORDER BY devices.id LIMIT ${offersPerTurn}`,
  )

async function setState(db: Db, id: string, state: 'completed' | 'halted', reason: string | null): Promise<void> {
  await db.updateTable('agentRollouts').set({ state, reason }).where('id', '=', id).execute()
}

async function advance(db: Db, { id, stage }: Running): Promise<void> {
  await db
    .updateTable('agentRollouts')
    .set({ stage: stage + 1, stageAt: sql`now()` })
    .where('id', '=', id)
    .execute()
}

/** Halts a rollout until a person resumes it, and audits that. */
async function halt(db: Db, { id, version }: Running, counts: Counts, reason: string): Promise<void> {
  await setState(db, id, 'halted', reason)
  await recordAsSystem(db, { action: 'agent_rollout.halt', target: id, name: version, details: { reason, ...counts } })
}

/** A stop of all updates takes effect at the next run. */
export const agentUpdates = every(2_000, 'agent-updates', (parts) =>
  offerUpdates({ ...parts, signer: workerSignerOf(parts), publicUrl: parts.settings.publicUrl }),
)
