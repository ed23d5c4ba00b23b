import { asSystem } from '@muster/db/database.ts'
import { sql } from 'kysely'
import type pg from 'pg'
import type { Delivery, DeliveryKind } from '../../background/delivery-kind.ts'
import { at } from '../../background/job.ts'
import type { WorkerParts } from '../../background/worker-parts.ts'
import type { PartnerEvent } from '../live-events/index.ts'
import { publishLater } from './settle.ts'

const batchMax = 500
const timeIsOver = 'The time for its delivery was over before the endpoint answered'

interface Expired extends Delivery {
  readonly kind: string
}

/** Ends deliveries whose time is over while their lane waits. @returns their number */
export async function expireDeliveries(parts: WorkerParts, kinds: readonly DeliveryKind[]): Promise<number> {
  const { count, events } = await asSystem(parts.pool, async (db) => {
    const { rows } = await sql<Expired>`
      UPDATE deliveries d SET status = 'failed', next_attempt_at = NULL, ended_at = now()
      FROM delivery_lanes l WHERE l.lane = d.lane AND d.id IN (
        SELECT o.id FROM delivery_lanes t JOIN deliveries o ON o.lane = t.lane AND o.status = 'pending'
        WHERE t.lasts_ms IS NOT NULL AND o.began_at < now() - make_interval(secs => t.lasts_ms / 1000.0)
        LIMIT ${batchMax} FOR UPDATE OF o SKIP LOCKED)
      RETURNING d.id, d.lane, d.key, d.partner_id AS "partnerId", d.org_id AS "orgId", d.payload, d.tries, l.kind`.execute(
      db,
    )
    const events: PartnerEvent[] = []
    for (const kind of kinds) {
      const own = rows.filter((row) => row.kind === kind.name)
      const ended = own.map((delivery) => ({ delivery, status: 'failed' as const, error: timeIsOver }))
      const after = ended.length > 0 ? await kind.ended?.(db, ended, parts) : undefined
      events.push(...(after?.events ?? []))
    }
    return { count: rows.length, events }
  })
  if (events.length > 0) await publishLater(parts, events)
  return count
}

const keptDays = 30

export const forgetOldDeliveries = (pool: pg.Pool): Promise<unknown> =>
  pool.query('DELETE FROM deliveries WHERE ended_at < now() - make_interval(days => $1)', [keptDays])

export const forgetDeliveries = at('52 2 * * *', 'forget-deliveries', ({ pool }) => forgetOldDeliveries(pool))
