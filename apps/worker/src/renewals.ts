import {
  frameToOrder,
  type Instruction,
  type OrderSigner,
} from '@muster/areas/control/commands/delivery/order-signer.ts'
import { signDeviceCertificate } from '@muster/areas/fleet/enrollment/certificates.ts'
import { presenceField } from '@muster/backplane/presence.ts'
import type { Redis } from '@muster/backplane/redis.ts'
import { sendToDevices } from '@muster/backplane/routing.ts'
import type { Keyring } from '@muster/kit/keyring.ts'
import type pg from 'pg'
import type { ConnectedRecord } from './decoded.ts'
import { certificateRenewalMs } from './limits.ts'

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

/** A connection that has just been welcomed. */
export interface Hello {
  deviceId: string
  body: ConnectedRecord['body']
}

/** A new certificate for everybody connected whose own runs out soon, unless its generation is no longer good. */
export async function renewCertificates(
  { pool, redis, keyring, signer }: { pool: pg.Pool; redis: Redis; keyring: Keyring; signer: OrderSigner },
  hellos: readonly Hello[],
): Promise<number> {
  const nowMs = Date.now()
  const due = hellos.filter(({ body }) => body.certificateExpiresAt < nowMs + certificateRenewalMs)
  if (due.length === 0) return 0
  const { rows } = await pool.query<CertifiedRow>({ ...findCertified, values: [due.map(({ deviceId }) => deviceId)] })
  const devices = new Map(rows.map((row) => [row.id, row]))
  const instructions: Instruction[] = []
  for (const { deviceId, body } of due) {
    const device = devices.get(deviceId)
    // A watchdog without a key of its own uses what its agent has.
    const publicKey = body.role === 'agent' ? device?.public_key : device?.watchdog_public_key
    if (device === undefined || publicKey == null || body.gen !== device.key_generation) continue
    const certificate = await signDeviceCertificate(
      keyring,
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
  await sendToDevices(redis, signer.orders(instructions))
  return instructions.length
}
