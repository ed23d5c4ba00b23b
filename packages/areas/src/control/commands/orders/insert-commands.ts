// Stores the commands of an order, with what belongs to them.
import type { Db } from '@muster/db/database.ts'
import { sql } from 'kysely'
import type { Outcome } from '../../../background/outcome.ts'
import type { SecretIds } from '../../secrets/index.ts'
import { commandType } from '../command-registry.ts'
import type { IssuedCommand } from '../delivery/command-frame.ts'
import { concerns } from '../results/outcomes.ts'
import type { CommandOrder } from './validate-order.ts'

export interface Recipient {
  readonly commandId: string
  readonly deviceId: string
  /** What allows the script of the command. */
  readonly grant: string | null
  /** The secrets of its script, by variable; null if it takes none. */
  readonly secretIds: SecretIds | null
}

/** Inserts an order for devices, and what is stored with it. Devices that already have such a command are left out. */
export async function insertCommands(
  db: Db,
  order: CommandOrder,
  recipients: readonly Recipient[],
): Promise<IssuedCommand[]> {
  const { setting } = commandType(order.type)
  const deviceIds = recipients.map(({ deviceId }) => deviceId)
  const [commands] = await Promise.all([
    insertRows(db, order, recipients),
    setting?.store(db, deviceIds, order.payload),
  ])
  return commands
}

async function insertRows(db: Db, order: CommandOrder, recipients: readonly Recipient[]): Promise<IssuedCommand[]> {
  const { type, payload, timeoutMs, expiresAt, createdBy, batchId = null, requestKey = null, deviceEnv, plan } = order
  const ids = recipients.map(({ commandId }) => commandId)
  const deviceIds = recipients.map(({ deviceId }) => deviceId)
  const grants = recipients.map(({ grant }) => grant)
  const secrets = recipients.map(({ secretIds }) => (secretIds === null ? null : JSON.stringify(secretIds)))
  const envs = deviceIds.map((id) => JSON.stringify(deviceEnv?.get(id) ?? {}))
  const origin = plan === undefined ? null : JSON.stringify(plan)
  // updated_at is the time of the statement: in a long transaction now() is so old that the sweep would send the command
  // again. Devices are locked, in order: two requests do not deadlock, and a device that moves gets the command in its new
  // organization or not at all.
  const { rows } = await sql<IssuedCommand>`
    INSERT INTO device_commands (id, device_id, org_id, partner_id, type, payload, timeout_ms, expires_at, created_by,
      batch_id, request_key, origin, script_grant, secret_ids, updated_at)
    SELECT given.id, devices.id, devices.org_id, devices.partner_id,
           ${type}, ${payloadWith(payload, deviceEnv)}, ${timeoutMs}::int, ${expiresAt}::timestamptz, ${createdBy}::uuid,
           ${batchId}::uuid, ${requestKey}, ${origin}::jsonb, given.script_grant, given.secret_ids, clock_timestamp()
    FROM unnest(${ids}::uuid[], ${deviceIds}::uuid[], ${grants}::text[], ${envs}::jsonb[], ${secrets}::jsonb[])
      AS given (id, device_id, script_grant, env, secret_ids)
    JOIN devices ON devices.id = given.device_id
    ORDER BY devices.id FOR KEY SHARE OF devices
    ON CONFLICT DO NOTHING
    RETURNING *`.execute(db)
  return rows
}

/** The payload of each command: the same for all, or with the variables of its device. */
const payloadWith = (payload: CommandOrder['payload'], deviceEnv: CommandOrder['deviceEnv']) =>
  deviceEnv === undefined
    ? sql`${JSON.stringify(payload)}::jsonb`
    : sql`jsonb_set(${JSON.stringify(payload)}::jsonb, '{env}', ${JSON.stringify(payload.env ?? {})}::jsonb || given.env)`

/** Lets the area of the subject note the commands. */
export async function begin(
  db: Db,
  outcomes: readonly Outcome[],
  { type, subject, plan }: CommandOrder,
  commands: readonly IssuedCommand[],
): Promise<void> {
  if (subject === undefined || commands.length === 0) return
  for (const outcome of outcomes)
    if (concerns(outcome, { type, origin: plan ?? null })) await outcome.begin?.(db, subject, commands)
}
