// Rolls out versions: decides whether a rollout advances, and offers its version to the devices that it reaches.

import type { Redis } from '@muster/backplane/redis.ts'
import { sendToDevices } from '@muster/backplane/routing.ts'
import { asSystem, type Db } from '@muster/db/database.ts'
import type { Log } from '@muster/kit/log.ts'
import { releaseTargetPath } from '@muster/wire/release.ts'
import { sql } from 'kysely'
import type pg from 'pg'
import { every } from '../../background/job.ts'
import { recordAsSystem } from '../../platform/audit/index.ts'
import { type Registered, releasesPath, urlOf } from '../agent-versions/index.ts'
import { frameToOrder, type Instruction, type OrderSigner, workerSignerOf } from '../commands/index.ts'
import { heldBack } from '../maintenance/index.ts'
import { type Going, hasFailed, hasSucceeded, meantFor, runsOlder } from './fleet.sql.ts'
import { type Counts, failsWidely, heldOrgs, type OrgCounts, reachPlaces, sumOf, verdictOf } from './rollouts.rules.ts'
import { noteWithheld } from './withheld.ts'

/** Devices per run; the others follow within seconds. */
const offersPerTurn = 1_000
const firstOfferSeconds = 60
const lastOfferSeconds = 86_400
/** An offer expires after this time, so that a canceled rollout ends soon. */
const offerMs = 5 * 60_000

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

interface Offer extends Registered {
  readonly deviceId: string
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
  const deadline = Date.now() + offerMs
  const offers = turn.offers.map((offer) => instructionOf(offer, turn.rollout.id, publicUrl, deadline))
  await sendToDevices(redis, signer.orders(offers))
  return offers.length
}

function instructionOf(offer: Offer, rolloutId: string, publicUrl: string, deadline: number): Instruction {
  const body = {
    version: offer.version,
    url: urlOf(offer, publicUrl),
    sha256: offer.sha256,
    size: offer.size,
    metadataUrl: `${publicUrl}${releasesPath}/metadata`,
    target: releaseTargetPath(offer),
    rolloutId,
    deadline,
  }
  const frame = frameToOrder({ name: 'update', sequence: 0, body })
  return { kind: 'frame', deviceId: offer.deviceId, frame, lifeMs: offerMs }
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

/**
 * Connected devices within the reach that run an older version and are not updating. Each offer is stored; the delay until the
 * next one grows, because a device may never be able to update.
 */
async function takeDue(db: Db, rollout: Running, held: readonly string[]): Promise<Offer[]> {
  const { rows } = await sql<Offer>`
    WITH due AS (
      SELECT devices.id AS device_id, devices.org_id, devices.partner_id, built.id, built.version, built.kind, built.os, built.arch,
        built.source, built.url, built.sha256, built.size
      ${meantFor(rollout)} AND NOT ${heldBack('agentUpdates')} AND ${runsOlder(rollout.version)} AND devices.org_id <> ALL (${[...held]}::uuid[])
        AND EXISTS (SELECT FROM device_state s WHERE s.device_id = devices.id AND s.status = 'online')
        AND (updates.device_id IS NULL OR updates.rollout_id IS DISTINCT FROM ${rollout.id} OR updates.next_offer_at <= now())
        AND NOT coalesce(${rollout.version} = ANY (updates.barred), false)
        AND NOT coalesce(updates.version = ${rollout.version} AND updates.reported_at > now() - make_interval(secs => ${offerMs / 1_000})
          AND updates.state IN ('downloading', 'verifying', 'installing', 'restarting') AND updates.reason IS NULL, false)
      ORDER BY devices.id LIMIT ${offersPerTurn}
    ), noted AS (
      INSERT INTO device_updates AS s (device_id, org_id, partner_id, version, rollout_id, offers, offered_at, next_offer_at)
      SELECT device_id, org_id, partner_id, version, ${rollout.id}, 1, now(), now() + make_interval(secs => ${firstOfferSeconds})
      FROM due ORDER BY device_id
      ON CONFLICT (device_id) DO UPDATE SET version = excluded.version, rollout_id = excluded.rollout_id, offered_at = now(),
        offers = CASE WHEN s.rollout_id = excluded.rollout_id THEN s.offers + 1 ELSE 1 END,
        next_offer_at = now() + make_interval(secs => CASE WHEN s.rollout_id IS DISTINCT FROM excluded.rollout_id
          OR s.reason = 'file_locked' THEN ${firstOfferSeconds}
          ELSE least(${lastOfferSeconds}, ${firstOfferSeconds} * 2 ^ least(greatest(s.offers - 2, 0), 12)) END),
        state = CASE WHEN s.version = excluded.version THEN s.state ELSE 'offered' END,
        reason = CASE WHEN s.version = excluded.version THEN s.reason END,
        error = CASE WHEN s.version = excluded.version THEN s.error END
    )
    SELECT * FROM due`.execute(db)
  return rows
}

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
