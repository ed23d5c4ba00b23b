import { presenceField } from '@muster/backplane/presence.ts'
import { sendToDevices } from '@muster/backplane/routing.ts'
import { arrival, type Hello } from '../../../background/arrival.ts'
import type { WorkerParts } from '../../../background/worker-parts.ts'
import { signDeviceCertificate } from '../../../fleet/enrollment/index.ts'
import { frameToOrder, type Instruction, workerSignerOf } from '../../commands/index.ts'

/** A device that connects with less time left on its certificate receives a new one. */
const renewalMs = 30 * 24 * 3_600_000

const findCertified = {
  name: 'find-certified',
  text: `SELECT id, org_id, partner_id, key_generation, public_key, watchdog_public_key FROM devices
    WHERE id = ANY($1::uuid[]) AND public_key IS NOT NULL AND lifecycle <> 'decommissioned'`,
}

interface CertifiedRow {
  id: string
  org_id: string
  partner_id: string
  key_generation: number
  public_key: string
  watchdog_public_key: string | null
}

/** Sends new certificates to connected devices whose certificates expire soon, unless their generation is revoked. */
async function renewCertificates(parts: WorkerParts, hellos: readonly Hello[]): Promise<number> {
  const nowMs = Date.now()
  const due = hellos.filter(({ body }) => body.certificateExpiresAt < nowMs + renewalMs)
  if (due.length === 0) return 0
  const { rows } = await parts.pool.query<CertifiedRow>({
    ...findCertified,
    values: [due.map(({ deviceId }) => deviceId)],
  })
  const devices = new Map(rows.map((row) => [row.id, row]))
  const instructions: Instruction[] = []
  for (const { deviceId, body } of due) {
    const device = devices.get(deviceId)
    // A watchdog without its own key uses the certificate of its agent.
    const publicKey = body.role === 'agent' ? device?.public_key : device?.watchdog_public_key
    if (device === undefined || publicKey == null || body.gen !== device.key_generation) continue
    const certificate = await signDeviceCertificate(
      parts.keyring,
      {
        deviceId,
        orgId: device.org_id,
        partnerId: device.partner_id,
        generation: device.key_generation,
        publicKey,
        role: body.role,
      },
      nowMs,
    )
    const role = body.role === 'watchdog' ? { role: body.role } : {}
    const frame = frameToOrder({ name: 'certificate', sequence: 0, body: { certificate, ...role } })
    instructions.push({ kind: 'frame', deviceId: presenceField(deviceId, body.role), frame })
  }
  await sendToDevices(parts.redis, workerSignerOf(parts).orders(instructions))
  return instructions.length
}

export const certificateRenewals = arrival({ name: 'certificate', send: renewCertificates })
