import type { CommandStatus } from '@muster/areas/control/commands/commands.contract.ts'
import { statusesBefore } from '@muster/areas/control/commands/commands.rules.ts'
import type { OrderSigner } from '@muster/areas/control/commands/delivery/order-signer.ts'
import type { Redis } from '@muster/backplane/redis.ts'
import type { Log } from '@muster/kit/log.ts'
import type pg from 'pg'
import type { CommandChange } from './command-events.ts'
import { rerouteAfterMs, sweepRowsMax, timeoutGraceMs } from './limits.ts'
import type { Live } from './live.ts'
import type { WorkerMetrics } from './metrics.ts'
import { mayGoOut, type OpenCommand, openCommandColumns, routeCommands } from './pending-commands.ts'

export interface SweepParts {
  pool: pg.Pool
  redis: Redis
  signer: OrderSigner
  live: Live
  metrics: WorkerMetrics
  log: Log
}

const changeColumns = `c.id AS "commandId", c.device_id AS "deviceId", c.org_id AS "orgId", c.partner_id AS "partnerId",
  d.site_id AS "siteId", c.type AS "commandType", c.status, c.exit_code AS "exitCode",
  (extract(epoch FROM c.finished_at) * 1000)::float8 AS "atMs"`

/** Ends the due commands of one state; `due` is a condition on `device_commands o`. */
const endDue = (name: string, due: string) => ({
  name,
  text: `UPDATE device_commands c SET status = $1, finished_at = now(), error = $2
    FROM (
      SELECT o.id, v.site_id FROM device_commands o JOIN devices v ON v.id = o.device_id
      WHERE ${due} ORDER BY o.id LIMIT ${sweepRowsMax} FOR UPDATE OF o SKIP LOCKED) d
    WHERE c.id = d.id AND c.status = ANY($3::text[])
    RETURNING ${changeColumns}`,
})

const timeoutWithGrace = `(o.timeout_ms + ${timeoutGraceMs}) * interval '1 millisecond'`
const endWaiting = endDue('end-waiting', `o.status = 'pending' AND o.expires_at <= now()`)
const endRunning = endDue('end-running', `o.status = 'running' AND o.started_at + ${timeoutWithGrace} <= now()`)
// Handed over, but never heard of again: it had until it expired to begin, and from then on its time to run.
const endUnheard = endDue(
  'end-unheard',
  `o.status = 'sent' AND o.expires_at <= now() AND o.expires_at + ${timeoutWithGrace} <= now()`,
)

// Touched rows are not found again before the same time has passed once more. Partners take turns, oldest commands first, so
// that the many of one do not keep the few of another waiting.
const findStuck = {
  name: 'find-stuck',
  text: `UPDATE device_commands c SET updated_at = now()
    FROM (
      SELECT o.id FROM device_commands o JOIN (
        SELECT p.id, row_number() OVER (PARTITION BY p.partner_id ORDER BY p.created_at) AS turn
        FROM device_commands p
        JOIN device_state s ON s.device_id = p.device_id AND s.status = 'online'
        JOIN devices v ON v.id = p.device_id AND v.lifecycle = 'active'
        WHERE p.status IN ('pending', 'sent') AND p.expires_at > now()
          AND p.updated_at < now() - interval '${rerouteAfterMs} milliseconds'
          AND ${mayGoOut('p.partner_id')}) waiting ON waiting.id = o.id
      ORDER BY waiting.turn, o.created_at LIMIT ${sweepRowsMax} FOR UPDATE OF o SKIP LOCKED) stuck
    WHERE c.id = stuck.id
    RETURNING ${openCommandColumns}, c.created_at`,
}

/** Ends the commands whose time is over: nobody took them, or nobody has brought the result. */
export async function endOverdueCommands(parts: SweepParts): Promise<CommandChange[]> {
  const end = async (
    statement: { name: string; text: string },
    status: Extract<CommandStatus, 'expired' | 'timed_out'>,
    error: string,
  ) => {
    const values = [status, error, statusesBefore(status)]
    const { rows } = await parts.pool.query<CommandChange>({ ...statement, values })
    parts.metrics.commandsSwept.inc({ status }, rows.length)
    return rows
  }
  const changes = [
    ...(await end(endWaiting, 'expired', 'The command could not be delivered in time')),
    ...(await end(endRunning, 'timed_out', 'The device did not report an end in time')),
    ...(await end(endUnheard, 'timed_out', 'The device took the command and was not heard of again')),
  ]
  await parts.live.changes({ commands: changes })
  return changes
}

/** Sends commands once more that a connected device should have begun by now. */
export async function rerouteCommands(parts: SweepParts): Promise<number> {
  const { rows } = await parts.pool.query<OpenCommand & { created_at: string }>(findStuck)
  rows.sort((a, b) => (a.created_at < b.created_at ? -1 : a.created_at > b.created_at ? 1 : a.id < b.id ? -1 : 1))
  await routeCommands(parts, rows)
  parts.metrics.ordersRouted.inc({ why: 'repeated' }, rows.length)
  return rows.length
}
