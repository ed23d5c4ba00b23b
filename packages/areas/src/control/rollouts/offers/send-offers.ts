// Offers of a version: stored, so that they are repeated with growing delays, then sent as signed orders.
import type { Redis } from '@muster/backplane/redis.ts'
import { sendToDevices } from '@muster/backplane/routing.ts'
import type { Db } from '@muster/db/database.ts'
import { releaseTargetPath } from '@muster/wire/release.ts'
import { type RawBuilder, sql } from 'kysely'
import { type Registered, releasesPath, urlOf } from '../../agent-versions/index.ts'
import { frameToOrder, type Instruction, type OrderSigner } from '../../commands/index.ts'

const firstOfferSeconds = 60
const lastOfferSeconds = 86_400
/** An offer expires after this time, so that a canceled rollout ends soon. */
export const offerSeconds = 5 * 60

/** An executable and the device that is offered it. */
export interface Offer extends Registered {
  readonly deviceId: string
}

/** What `takeOffers` selects from `devices` and `built`, the executable of the device. */
export const offered = sql`devices.id AS device_id, devices.org_id, devices.partner_id, built.id, built.version, built.kind, built.os, built.arch,
  built.source, built.url, built.sha256, built.size`

/** Whether the last report about an update is of one that goes on, as a condition on `updates`. */
export const isUpdating = sql<boolean>`coalesce(updates.reported_at > now() - make_interval(secs => ${offerSeconds})
  AND updates.state IN ('downloading', 'verifying', 'installing', 'restarting') AND updates.reason IS NULL, false)`

/**
 * Stores an offer for each device of the query. The delay until the next one grows, because a device may never be able to
 * update.
 * @param by the rollout or the deployment
 * @param due selects `offered`
 */
export async function takeOffers(db: Db, by: string, due: RawBuilder<unknown>): Promise<Offer[]> {
  const { rows } = await sql<Offer>`
    WITH due AS (${due}), noted AS (
      INSERT INTO device_updates AS s (device_id, org_id, partner_id, version, rollout_id, offers, offered_at, next_offer_at)
      SELECT device_id, org_id, partner_id, version, ${by}::uuid, 1, now(), now() + make_interval(secs => ${firstOfferSeconds})
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

/** Sends stored offers, after the commit. @param by the rollout or the deployment, which the agent repeats in its reports */
export async function sendOffers(
  { redis, signer, publicUrl }: { readonly redis: Redis; readonly signer: OrderSigner; readonly publicUrl: string },
  by: string,
  offers: readonly Offer[],
): Promise<void> {
  const deadline = Date.now() + offerSeconds * 1_000
  await sendToDevices(redis, signer.orders(offers.map((offer) => instructionOf(offer, by, publicUrl, deadline))))
}

function instructionOf(offer: Offer, by: string, publicUrl: string, deadline: number): Instruction {
  const body = {
    version: offer.version,
    url: urlOf(offer, publicUrl),
    sha256: offer.sha256,
    size: offer.size,
    metadataUrl: `${publicUrl}${releasesPath}/metadata`,
    target: releaseTargetPath(offer),
    rolloutId: by,
    deadline,
  }
  const frame = frameToOrder({ name: 'update', sequence: 0, body })
  return { kind: 'frame', deviceId: offer.deviceId, frame, lifeMs: offerSeconds * 1_000 }
}
