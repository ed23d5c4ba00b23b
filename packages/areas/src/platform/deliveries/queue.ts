import type { Db } from '@muster/db/database.ts'
import type { JsonValue } from '@muster/db/json.ts'
import { sql } from 'kysely'

/** A message for one lane. */
export interface Queued {
  readonly lane: string
  /** A second message with this key for the lane is not queued. */
  readonly key: string
  readonly payload: JsonValue
}

/**
 * Queues messages in the transaction of the change. Messages for lanes that do not exist, or are closed, are dropped.
 * @returns the number of messages that were queued
 */
export async function enqueue(db: Db, messages: readonly Queued[]): Promise<number> {
  if (messages.length === 0) return 0
  // Lanes in one order, so that two transactions never wait for each other.
  const sorted = messages.toSorted((a, b) => (a.lane < b.lane ? -1 : a.lane > b.lane ? 1 : 0))
  const lanes = sorted.map(({ lane }) => lane)
  const keys = sorted.map(({ key }) => key)
  const payloads = sorted.map(({ payload }) => JSON.stringify(payload))
  const { rows } = await sql<{ lane: string }>`
    INSERT INTO deliveries (partner_id, org_id, lane, key, payload)
    SELECT l.partner_id, l.org_id, l.lane, u.key, u.payload
    FROM unnest(${lanes}::text[], ${keys}::text[], ${payloads}::jsonb[]) AS u(lane, key, payload)
    JOIN delivery_lanes l ON l.lane = u.lane AND l.not_before < 'infinity'
    ON CONFLICT (lane, key) DO NOTHING RETURNING lane`.execute(db)
  if (rows.length > 0) await wake(db, [...new Set(rows.map(({ lane }) => lane))])
  return rows.length
}

/** Makes lanes due, in the order of their names. */
async function wake(db: Db, lanes: readonly string[]): Promise<void> {
  await sql`UPDATE delivery_lanes l SET due_at = least(l.due_at, now())
    FROM (SELECT lane FROM delivery_lanes WHERE lane = ANY (${lanes}::text[]) ORDER BY lane FOR NO KEY UPDATE) AS locked
    WHERE l.lane = locked.lane`.execute(db)
}

const ended = ['succeeded', 'failed', 'canceled'] as const

interface Repeated {
  readonly lane: string
  readonly id?: string
  /** Only those that were queued in this time, or ended so. */
  readonly from?: string | undefined
  readonly to?: string | undefined
  readonly status?: (typeof ended)[number] | undefined
}

/** Queues deliveries that have ended once more, with the same key. @returns their number */
export async function repeatDeliveries(db: Db, { lane, id, from, to, status }: Repeated): Promise<number> {
  const { numUpdatedRows } = await db
    .updateTable('deliveries')
    .set({
      status: 'pending',
      tries: 0,
      nextAttemptAt: sql<string>`now()`,
      beganAt: sql<string>`now()`,
      endedAt: null,
    })
    .where('lane', '=', lane)
    .where('status', 'in', status === undefined ? [...ended] : [status])
    .$if(id !== undefined, (query) => query.where('id', '=', id ?? ''))
    .$if(from !== undefined, (query) => query.where('createdAt', '>=', from ?? ''))
    .$if(to !== undefined, (query) => query.where('createdAt', '<', to ?? ''))
    .executeTakeFirst()
  if (numUpdatedRows > 0n) await wake(db, [lane])
  return Number(numUpdatedRows)
}
