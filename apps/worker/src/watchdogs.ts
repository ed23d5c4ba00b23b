import { frameToOrder, type OrderSigner } from '@muster/areas/control/commands/delivery/order-signer.ts'
import { signDeviceCertificate } from '@muster/areas/fleet/enrollment/certificates.ts'
import type { Redis } from '@muster/backplane/redis.ts'
import { sendToDevices } from '@muster/backplane/routing.ts'
import type { Keyring } from '@muster/kit/keyring.ts'
import type pg from 'pg'
import type { Owned, WatchdogKeyRecord, WatchdogStatusRecord } from './decoded.ts'
import type { DeviceChange } from './inventory.ts'
import { watchdogKeySettleMs, watchdogKeysMax, watchdogSeenMs } from './limits.ts'

const storeStatuses = {
  name: 'store-watchdogs',
  text: `UPDATE device_state d SET watchdog_status = n.watchdog_status, watchdog_seen_at = greatest(d.watchdog_seen_at, n.at),
      main_agent_silent_since = n.silent_since
    FROM (
      SELECT u.device_id, v.site_id, to_timestamp(u.at_ms / 1000) AS at,
        CASE WHEN u.state = 'failover' THEN 'failover' ELSE 'connected' END AS watchdog_status,
        CASE WHEN u.silent_ms IS NOT NULL THEN coalesce(o.main_agent_silent_since, to_timestamp((u.at_ms - u.silent_ms) / 1000))
             WHEN o.status = 'offline' THEN coalesce(o.main_agent_silent_since, o.status_at) END AS silent_since,
        o.watchdog_status AS status_before, o.main_agent_silent_since AS silent_before
      FROM unnest($1::uuid[], $2::text[], $3::float8[], $4::float8[]) AS u(device_id, state, silent_ms, at_ms)
      JOIN device_state o ON o.device_id = u.device_id JOIN devices v ON v.id = u.device_id
    ) n
    WHERE d.device_id = n.device_id AND d.watchdog_status IN ('connected', 'failover')
      AND (n.watchdog_status <> n.status_before OR n.silent_since IS DISTINCT FROM n.silent_before
        OR d.watchdog_seen_at IS NULL OR n.at > d.watchdog_seen_at + interval '${watchdogSeenMs} milliseconds')
    RETURNING d.device_id AS "deviceId", d.org_id AS "orgId", d.partner_id AS "partnerId", n.site_id AS "siteId",
      (extract(epoch FROM n.at) * 1000)::float8 AS "atMs",
      n.watchdog_status <> n.status_before OR n.silent_since IS DISTINCT FROM n.silent_before AS changed`,
}

/** Stores what watchdogs see of their agents, at most one report of each device. What says nothing new is not written. */
export async function storeWatchdogStatuses(
  client: pg.PoolClient,
  reports: readonly Owned<WatchdogStatusRecord>[],
): Promise<DeviceChange[]> {
  if (reports.length === 0) return []
  const { rows } = await client.query<Omit<DeviceChange, 'changed'> & { changed: boolean }>({
    ...storeStatuses,
    values: [
      reports.map(({ deviceId }) => deviceId),
      reports.map(({ record }) => record.body.agent),
      reports.map(({ record: { body } }) => (body.agent === 'running' ? null : (body.silentMs ?? null))),
      reports.map(({ record }) => record.atMs),
    ],
  })
  return rows.flatMap(({ changed, ...row }): DeviceChange[] => (changed ? [{ ...row, changed: 'watchdog' }] : []))
}

const storeKeys = {
  name: 'store-watchdog-keys',
  text: `UPDATE devices d SET watchdog_public_key = u.key FROM unnest($1::uuid[], $2::text[]) AS u(device_id, key)
    WHERE d.id = u.device_id AND d.lifecycle <> 'decommissioned'
    RETURNING d.id, d.org_id, d.partner_id, d.key_generation, d.watchdog_public_key`,
}

interface KeyRow {
  id: string
  org_id: string
  partner_id: string
  key_generation: number
  watchdog_public_key: string
}

export interface WatchdogKey {
  deviceId: string
  orgId: string
  partnerId: string
  generation: number
  publicKey: string
}

/** Stores the keys that agents name for their watchdogs. */
export async function storeWatchdogKeys(
  client: pg.PoolClient,
  requests: readonly Owned<WatchdogKeyRecord>[],
): Promise<WatchdogKey[]> {
  if (requests.length === 0) return []
  const { rows } = await client.query<KeyRow>({
    ...storeKeys,
    values: [requests.map(({ deviceId }) => deviceId), requests.map(({ record }) => record.body.publicKey)],
  })
  return rows.map((row) => ({
    deviceId: row.id,
    orgId: row.org_id,
    partnerId: row.partner_id,
    generation: row.key_generation,
    publicKey: row.watchdog_public_key,
  }))
}

/**
 * Signs certificates for the keys of watchdogs and sends them to the agents that asked. Not at once: an agent that was
 * just revoked may have asked a moment before, and has lost its socket by the time that it is answered.
 */
export class WatchdogCertificates {
  readonly #parts: { pool: pg.Pool; redis: Redis; keyring: Keyring; signer: OrderSigner }
  readonly #asked = new Map<string, WatchdogKey & { dueMs: number }>()

  constructor(parts: { pool: pg.Pool; redis: Redis; keyring: Keyring; signer: OrderSigner }) {
    this.#parts = parts
  }

  /** Beyond a bound nothing is remembered: an agent without an answer asks again after its next welcome. */
  ask(keys: readonly WatchdogKey[]): void {
    const dueMs = Date.now() + watchdogKeySettleMs
    for (const key of keys) if (this.#asked.size < watchdogKeysMax) this.#asked.set(key.deviceId, { ...key, dueMs })
  }

  async answer(): Promise<number> {
    const nowMs = Date.now()
    const due = [...this.#asked.values()].filter(({ dueMs }) => dueMs <= nowMs)
    if (due.length === 0) return 0
    const { pool, redis, keyring, signer } = this.#parts
    const { rows } = await pool.query<{ id: string; key_generation: number }>({
      name: 'read-key-generations',
      text: `SELECT id, key_generation FROM devices WHERE id = ANY($1::uuid[]) AND lifecycle <> 'decommissioned'`,
      values: [due.map(({ deviceId }) => deviceId)],
    })
    const generations = new Map(rows.map((row) => [row.id, row.key_generation]))
    const good = due.filter(({ deviceId, generation }) => generations.get(deviceId) === generation)
    const instructions = await Promise.all(
      good.map(async (key) => {
        const certificate = await signDeviceCertificate(keyring, { ...key, role: 'watchdog' }, nowMs)
        const frame = frameToOrder({ name: 'certificate', sequence: 0, body: { certificate, role: 'watchdog' } })
        return { kind: 'frame' as const, deviceId: key.deviceId, frame }
      }),
    )
    await sendToDevices(redis, signer.orders(instructions))
    for (const { deviceId } of due) this.#asked.delete(deviceId)
    return instructions.length
  }
}
