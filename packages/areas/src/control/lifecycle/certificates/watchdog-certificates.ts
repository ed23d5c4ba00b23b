import { sendToDevices } from '@muster/backplane/routing.ts'
import { type WorkerParts, workerPart } from '../../../background/worker-parts.ts'
import type { WatchdogKey } from '../../../fleet/devices/index.ts'
import { signDeviceCertificate } from '../../../fleet/enrollment/index.ts'
import { frameToOrder, workerSignerOf } from '../../commands/index.ts'

/** Longer than a revocation takes to reach a socket. */
const settleMs = 2_000
const requestsMax = 10_000

/**
 * Signs certificates for the keys of watchdogs and sends them to the agents that asked. It waits first: an agent that was
 * revoked just after it asked has lost its socket by then.
 */
export class WatchdogCertificates {
  readonly #parts: WorkerParts
  readonly #requests = new Map<string, WatchdogKey & { dueMs: number }>()

  constructor(parts: WorkerParts) {
    this.#parts = parts
  }

  /** Beyond a limit, requests are dropped: an agent without an answer asks again after its next welcome. */
  request(keys: readonly WatchdogKey[]): void {
    const dueMs = Date.now() + settleMs
    for (const key of keys) if (this.#requests.size < requestsMax) this.#requests.set(key.deviceId, { ...key, dueMs })
  }

  async answer(): Promise<number> {
    const nowMs = Date.now()
    const due = [...this.#requests.values()].filter(({ dueMs }) => dueMs <= nowMs)
    if (due.length === 0) return 0
    const { pool, redis, keyring } = this.#parts
    const { rows } = await pool.query<{ id: string; key_generation: number }>({
      name: 'read-key-generations',
      text: `SELECT id, key_generation FROM devices WHERE id = ANY($1::uuid[]) AND lifecycle <> 'decommissioned'`,
      values: [due.map(({ deviceId }) => deviceId)],
    })
    const generations = new Map(rows.map((row) => [row.id, row.key_generation]))
    const valid = due.filter(({ deviceId, generation }) => generations.get(deviceId) === generation)
    const instructions = await Promise.all(
      valid.map(async (key) => {
        const certificate = await signDeviceCertificate(keyring, { ...key, role: 'watchdog' }, nowMs)
        const frame = frameToOrder({ name: 'certificate', sequence: 0, body: { certificate, role: 'watchdog' } })
        return { kind: 'frame' as const, deviceId: key.deviceId, frame }
      }),
    )
    await sendToDevices(redis, workerSignerOf(this.#parts).orders(instructions))
    for (const { deviceId } of due) this.#requests.delete(deviceId)
    return instructions.length
  }
}

export const watchdogCertificatesOf = workerPart((parts) => new WatchdogCertificates(parts))
