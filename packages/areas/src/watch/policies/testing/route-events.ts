import { inTransaction } from '@muster/db/transaction.ts'
import type pg from 'pg'
import { routeAlerts } from '../routing.followers.ts'

/** Hands the last event of alerts to the routing, as its follower does. */
export async function routeEvents(system: pg.Pool, alertIds: Iterable<string>): Promise<void> {
  const { rows } = await system.query<{ id: string; type: string; alertId: string }>(
    `SELECT DISTINCT ON (data ->> 'alertId') id, type, data ->> 'alertId' AS "alertId" FROM events
     WHERE type LIKE 'alert.%' AND data ->> 'alertId' = ANY ($1::text[]) ORDER BY data ->> 'alertId', seq DESC`,
    [[...alertIds]],
  )
  await inTransaction(system, (client) => routeAlerts(client, rows, 'https://muster.test'))
}
