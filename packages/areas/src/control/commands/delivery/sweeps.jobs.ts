import { handleOn } from '@muster/db/database.ts'
import { inTransaction } from '@muster/db/transaction.ts'
import { ordersRouted } from '../../../background/arrival.ts'
import { counter } from '../../../background/counter.ts'
import { every } from '../../../background/job.ts'
import type { EndedCommand } from '../../../background/outcome.ts'
import type { WorkerParts } from '../../../background/worker-parts.ts'
import { liveEvent, type PartnerEvent } from '../../../platform/live-events/index.ts'
import { commandChanged } from '../command-events.contract.ts'
import { statusesBefore } from '../commands.rules.ts'
import { applyOutcomes } from '../results/outcomes.ts'
import { isNotStopped, type OpenCommand, openCommandColumns, sendCommands } from './open-commands.ts'
import { workerSignerOf } from './order-signer.ts'

const sweepMs = 1_000
const sweepRowsMax = 1_000
const rerouteAfterMs = 5_000
/** The agent ends a command at its timeout; its report may take this long. */
const timeoutGraceMs = 15_000

export const commandsSwept = counter('commands_swept_total', 'Commands that expired or timed out', ['status'])

const endedColumns = `c.id, c.device_id AS "deviceId", c.org_id AS "orgId", c.partner_id AS "partnerId", d.site_id AS "siteId",
  c.type, c.status, c.exit_code AS "exitCode", null AS stdout, c.origin, (extract(epoch FROM c.finished_at) * 1000)::float8 AS "at"`

/** Ends the due commands of one state; `due` is a condition on `device_commands o`. */
const endDue = (name: string, due: string) => ({
  name,
  text: `UPDATE device_commands c SET status = $1, finished_at = now(), error = $2
    FROM (
      SELECT o.id, v.site_id FROM device_commands o JOIN devices v ON v.id = o.device_id
      WHERE ${due} ORDER BY o.id LIMIT ${sweepRowsMax} FOR UPDATE OF o SKIP LOCKED) d
    WHERE c.id = d.id AND c.status = ANY($3::text[])
    RETURNING ${endedColumns}`,
})

const timeoutWithGrace = `(o.timeout_ms + ${timeoutGraceMs}) * interval '1 millisecond'`
const endWaiting = endDue('end-waiting', `o.status = 'pending' AND o.expires_at <= now()`)
const endRunning = endDue('end-running', `o.status = 'running' AND o.started_at + ${timeoutWithGrace} <= now()`)
// Sent, but without any report: it could begin until it expired, and run until its timeout after that.
const endUnheard = endDue(
  'end-unheard',
  `o.status = 'sent' AND o.expires_at <= now() AND o.expires_at + ${timeoutWithGrace} <= now()`,
)

// Rows are touched, so that they are found again only after the same delay. Partners take turns, oldest commands first, so
// that many commands of one partner do not delay those of another.
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
          AND ${isNotStopped('p.partner_id')}) waiting ON waiting.id = o.id
      ORDER BY waiting.turn, o.created_at LIMIT ${sweepRowsMax} FOR UPDATE OF o SKIP LOCKED) stuck
    WHERE c.id = stuck.id
    RETURNING ${openCommandColumns}, c.created_at`,
}

interface SweptCommand extends EndedCommand {
  readonly siteId: string | null
  readonly at: number
}

const sweeps = [
  { statement: endWaiting, status: 'expired', error: 'The command could not be delivered in time' },
  { statement: endRunning, status: 'timed_out', error: 'The device did not report an end in time' },
  { statement: endUnheard, status: 'timed_out', error: 'The device took the command and was not heard of again' },
] as const

/** Ends commands that were not delivered before they expired, or whose result is overdue. @returns how many */
export async function endOverdueCommands(parts: WorkerParts): Promise<number> {
  const { ended, events } = await inTransaction(parts.pool, async (client) => {
    const ended: SweptCommand[] = []
    for (const { statement, status, error } of sweeps) {
      const values = [status, error, statusesBefore(status)]
      ended.push(...(await client.query<SweptCommand>({ ...statement, values })).rows)
    }
    return { ended, events: await applyOutcomes(handleOn(client), parts.outcomes, ended) }
  })
  for (const { status } of ended) parts.count(commandsSwept, { status })
  await parts.publish([...ended.map(changeOf), ...events])
  return ended.length
}

const changeOf = ({ id, type, partnerId, orgId, siteId, deviceId, at, status, exitCode }: SweptCommand): PartnerEvent =>
  liveEvent(commandChanged, partnerId, {
    orgId,
    siteId,
    deviceId,
    at,
    commandId: id,
    commandType: type,
    status,
    exitCode,
  })

/** Sends commands again that a connected device should have started by now. @returns how many */
export async function rerouteCommands(parts: WorkerParts): Promise<number> {
  const { rows } = await parts.pool.query<OpenCommand & { created_at: string }>(findStuck)
  rows.sort((a, b) => (a.created_at < b.created_at ? -1 : a.created_at > b.created_at ? 1 : a.id < b.id ? -1 : 1))
  await sendCommands({ ...parts, signer: workerSignerOf(parts) }, rows)
  parts.count(ordersRouted, { why: 'repeated' }, rows.length)
  return rows.length
}

export const commandSweep = every(sweepMs, 'command-sweep', endOverdueCommands)
export const commandReroute = every(sweepMs, 'command-reroute', rerouteCommands)
