// Sends devices their settings: those that changed, and at once to devices that connect, whose interval is the default again.
import { sendToDevices } from '@muster/backplane/routing.ts'
import { asSystem, type Db } from '@muster/db/database.ts'
import { type RawBuilder, sql } from 'kysely'
import { arrival, type Hello } from '../../../background/arrival.ts'
import { every } from '../../../background/job.ts'
import type { WorkerParts } from '../../../background/worker-parts.ts'
import { frameToOrder, workerSignerOf } from '../delivery/order-signer.ts'

const everyMs = 1_000
const devicesAtOnce = 2_000

interface Sendable {
  readonly deviceId: string
  readonly partnerId: string
  readonly heartbeatSeconds: number | null
  readonly autoUpdate: boolean
}

const taken = (chosen: RawBuilder<unknown>) => sql<Sendable>`
  UPDATE device_settings s SET due_at = NULL FROM (${chosen}) AS t, devices d
  WHERE s.device_id = t.device_id AND d.id = s.device_id
  RETURNING s.device_id, s.partner_id, s.heartbeat_seconds, d.auto_update`

/** Sends while the rows are locked, so that an older value never follows a newer one. @returns how many were sent */
const sendTaken = (parts: WorkerParts, chosen: RawBuilder<unknown>): Promise<number> =>
  asSystem(parts.pool, async (db: Db) => {
    const { rows } = await taken(chosen).execute(db)
    await Promise.all(
      [...Map.groupBy(rows, ({ partnerId }) => partnerId)].map(([partnerId, own]) => send(parts, partnerId, own)),
    )
    return rows.length
  })

async function send(parts: WorkerParts, partnerId: string, rows: readonly Sendable[]): Promise<void> {
  const orders = workerSignerOf(parts).orders(
    rows.map(({ deviceId, heartbeatSeconds, autoUpdate }) => {
      const heartbeatMs = (heartbeatSeconds ?? parts.settings.heartbeatSeconds) * 1_000
      const frame = frameToOrder({ name: 'settings', sequence: 0, body: { heartbeatMs, autoUpdate } })
      return { kind: 'frame', deviceId, frame } as const
    }),
  )
  await sendToDevices(parts.redis, orders, partnerId)
}

/** Devices that are offline get them when they connect. @returns how many were taken */
export const sendDueSettings = (parts: WorkerParts): Promise<number> =>
  sendTaken(
    parts,
    sql`SELECT o.device_id FROM device_settings o WHERE o.due_at <= now() ORDER BY o.due_at LIMIT ${devicesAtOnce} FOR UPDATE SKIP LOCKED`,
  )

async function sendAtArrival(parts: WorkerParts, hellos: readonly Hello[]): Promise<number> {
  const ids = hellos.flatMap(({ deviceId, body }) => (body.role === 'agent' ? [deviceId] : []))
  if (ids.length === 0) return 0
  const { rows } = await parts.pool.query('SELECT FROM device_settings WHERE device_id = ANY ($1::uuid[]) LIMIT 1', [
    ids,
  ])
  if (rows.length === 0) return 0
  return sendTaken(
    parts,
    sql`SELECT o.device_id FROM device_settings o WHERE o.device_id = ANY (${ids}::uuid[]) ORDER BY o.device_id FOR UPDATE`,
  )
}

export const settingsDue = every(everyMs, 'device-settings', sendDueSettings)
export const settingsAtArrival = arrival({ name: 'settings', send: sendAtArrival })
