// Sends devices the assignments that they do not follow yet: those that are due, and at once to devices that connect.
import { sendToDevices } from '@muster/backplane/routing.ts'
import type { Keyring } from '@muster/kit/secrets/keyring.ts'
import { unseal } from '@muster/kit/secrets/sealed.ts'
import { capabilityNames, obstacleIn } from '@muster/wire/capabilities.ts'
import type { AssignedFact } from '@muster/wire/facts/facts.ts'
import { Assignment } from '@muster/wire/messages/assignment.ts'
import { arrival, type Hello } from '../../background/arrival.ts'
import { every } from '../../background/job.ts'
import type { WorkerParts } from '../../background/worker-parts.ts'
import { frameToOrder, type Instruction, workerSignerOf } from '../commands/index.ts'
import type { SealedCheck } from './assignments.ts'

const everyMs = 2_000
/** An assignment that the agent does not confirm is sent again after this. */
const againSeconds = 30
/** After these the assignment waits for the next connection. */
const triesMax = 5
const assignmentsAtOnce = 2_000

interface Sendable {
  readonly deviceId: string
  readonly partnerId: string
  readonly kind: string
  readonly revision: number
  readonly items: readonly (SealedCheck | AssignedFact)[]
}

const columns = `a.device_id AS "deviceId", a.partner_id AS "partnerId", a.kind, a.revision, a.items`

const sentNow = `due_at = CASE WHEN a.tries + 1 < ${triesMax} THEN now() + interval '${againSeconds} seconds' END, tries = a.tries + 1`

/** Agents refuse an assignment that they do not know. */
const watchesFacts = `coalesce(substr(d.capabilities, ${capabilityNames.indexOf('watch_facts') + 1}, 1) = '+', false)`

const takeDue = {
  name: 'take-due-assignments',
  text: `WITH due AS (
      SELECT o.device_id, o.kind, s.status = 'online' AND d.lifecycle = 'active' AND (o.kind <> 'facts' OR ${watchesFacts}) AS reachable
      FROM device_assignments o JOIN devices d ON d.id = o.device_id JOIN device_state s ON s.device_id = o.device_id
      WHERE o.due_at <= now() ORDER BY o.due_at LIMIT ${assignmentsAtOnce} FOR UPDATE OF o SKIP LOCKED
    ), waiting AS (
      UPDATE device_assignments a SET due_at = NULL FROM due
      WHERE a.device_id = due.device_id AND a.kind = due.kind AND NOT due.reachable
    )
    UPDATE device_assignments a SET ${sentNow} FROM due
    WHERE a.device_id = due.device_id AND a.kind = due.kind AND due.reachable RETURNING ${columns}`,
}

// An agent that takes no assignments has none due either. A new process may still have facts on its disk.
const takeForArrivals = {
  name: 'take-assignments-of-arrivals',
  text: `UPDATE device_assignments a SET ${sentNow.replaceAll('a.tries + 1', '1')}
    FROM unnest($1::uuid[], $2::bigint[], $3::bool[]) AS u (device_id, revision, watches_facts), devices d
    WHERE a.device_id = u.device_id AND a.revision > u.revision AND d.id = a.device_id AND d.lifecycle = 'active'
      AND NOT (a.items = '[]' AND u.revision = 0 AND a.kind <> 'facts') AND (a.kind <> 'facts' OR u.watches_facts)
    RETURNING ${columns}`,
}

/** @returns how many were sent */
export async function sendDueAssignments(parts: WorkerParts): Promise<number> {
  const { rows } = await parts.pool.query<Sendable>(takeDue)
  await send(parts, rows)
  return rows.length
}

async function sendAtArrival(parts: WorkerParts, hellos: readonly Hello[]): Promise<number> {
  const able = hellos.filter(({ body }) => body.role === 'agent' && body.assignmentRevision !== undefined)
  if (able.length === 0) return 0
  const latest = [...new Map(able.map(({ deviceId, body }) => [deviceId, body])).entries()]
  const { rows } = await parts.pool.query<Sendable>({
    ...takeForArrivals,
    values: [
      latest.map(([deviceId]) => deviceId),
      latest.map(([, { assignmentRevision = 0 }]) => assignmentRevision),
      latest.map(([, { capabilities = '' }]) => obstacleIn(capabilities, 'watch_facts') === null),
    ],
  })
  await send(parts, rows)
  return rows.length
}

async function send(parts: WorkerParts, rows: readonly Sendable[]): Promise<void> {
  const signer = workerSignerOf(parts)
  await Promise.all(
    [...Map.groupBy(rows, ({ partnerId }) => partnerId)].map(([partnerId, own]) => {
      const orders = signer.orders(own.flatMap((row) => instructionOf(parts, row)))
      return sendToDevices(parts.redis, orders, partnerId)
    }),
  )
}

/** Adds the secret fields of a check. */
function opened(keyring: Keyring, given: SealedCheck | AssignedFact): unknown {
  if (!('sealed' in given) || given.sealed === undefined) return given
  const { sealed, ...item } = given
  const secrets = JSON.parse(unseal(keyring, sealed.text, sealed.context))
  const fields = Object.entries(secrets).filter(([, value]) => value !== null)
  return { ...item, check: { ...item.check, ...Object.fromEntries(fields) } }
}

/** An assignment that does not fit into a frame is not sent, and does not stop those of other devices. */
function instructionOf({ log, keyring }: WorkerParts, { deviceId, kind, revision, items }: Sendable): Instruction[] {
  try {
    const body = Assignment.parse({ kind, revision, items: items.map((item) => opened(keyring, item)) })
    return [{ kind: 'frame', deviceId, frame: frameToOrder({ name: 'assignment', sequence: 0, body }) }]
  } catch (error) {
    log.error({ err: error, deviceId, kind }, 'An assignment cannot be sent')
    return []
  }
}

export const assignmentsDue = every(everyMs, 'assignments', sendDueAssignments)
/** Devices that connect are sent the assignments that they do not follow. */
export const assignmentsAtArrival = arrival({ name: 'assignment', send: sendAtArrival })
