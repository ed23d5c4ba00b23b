// Offers of a deployment, in place of commands.
import type { Db } from '@muster/db/database.ts'
import { sql } from 'kysely'
import type { OfferEnd, OfferedKind, OfferedWork, Offering } from '../../../background/offered-kind.ts'
import type { WorkerParts } from '../../../background/worker-parts.ts'
import type { Strategy } from '../batches/strategy.contract.ts'
import { leave } from './leave-devices.ts'

/** Offers the order to devices, in the transaction of the turn. */
export async function offerToDevices(db: Db, parts: WorkerParts, kind: OfferedKind, offering: Offering) {
  const { deviceIds, left, stop, afterCommit } = await kind.offer(db, parts, offering)
  await leave(db, offering.deploymentId, left)
  await sql`UPDATE deployment_devices SET status = 'queued', reason = NULL, error = NULL, not_before = NULL, accepted = false,
      attempt = attempt + 1, issued_at = now()
    WHERE deployment_id = ${offering.deploymentId}::uuid AND device_id = ANY (${[...deviceIds]}::uuid[])`.execute(db)
  return { issued: deviceIds.length, left: left.length, stop, afterCommit: [afterCommit] }
}

/** Stores what became of devices that were offered the order. Those that did not take the offer are held until the next one. */
export async function readOfferEnds(
  db: Db,
  deploymentId: string,
  {
    kind,
    work,
    retries,
  }: { readonly kind: OfferedKind; readonly work: OfferedWork; readonly retries: Strategy['retries'] },
): Promise<number> {
  const ends = await kind.endsOf(db, deploymentId, work)
  if (ends.length === 0) return 0
  const each = <Field extends keyof OfferEnd>(field: Field) => ends.map((end) => end[field])
  await sql`UPDATE deployment_devices device SET
      status = CASE WHEN given.outcome = 'failed' AND attempt <= ${retries.max} THEN 'pending' ELSE given.outcome END,
      not_before = CASE WHEN given.outcome = 'held' THEN given.not_before
        WHEN given.outcome = 'failed' AND attempt <= ${retries.max} THEN now() + make_interval(secs => ${retries.delaySeconds}) END,
      reason = given.reason, error = given.error
    FROM unnest(${each('deviceId')}::uuid[], ${each('outcome')}::text[], ${each('reason')}::text[], ${each('error')}::text[],
      ${each('notBefore')}::timestamptz[]) AS given (device_id, outcome, reason, error, not_before)
    WHERE device.deployment_id = ${deploymentId}::uuid AND device.device_id = given.device_id AND device.status = 'queued'`.execute(
    db,
  )
  return ends.length
}

/** Whether devices have an offer that has not ended. */
export async function hasOpenOffers(db: Db, deploymentId: string): Promise<boolean> {
  const { rows } = await sql`SELECT FROM deployment_devices
    WHERE deployment_id = ${deploymentId}::uuid AND status = 'queued' AND command_id IS NULL LIMIT 1`.execute(db)
  return rows.length > 0
}

/** Ends the offers of a deployment that is canceled. Agents drop those that they have not taken within five minutes. */
export const withdrawOffers = (db: Db, deploymentId: string) =>
  sql`UPDATE deployment_devices SET status = 'cancelled', reason = NULL
    WHERE deployment_id = ${deploymentId}::uuid AND status = 'queued' AND command_id IS NULL`.execute(db)
