import { signDeviceCertificate } from '@muster/areas/enrollment/certificates.ts'
import { type Order, sendToDevices } from '@muster/backplane/routing.ts'
import type { Keyring } from '@muster/kit/keyring.ts'
import { encodeDown } from '@muster/wire/down.ts'
import type { Redis } from 'ioredis'
import type pg from 'pg'
import type { ConnectedRecord } from './decoded.ts'
import { certificateRenewalMs } from './limits.ts'

const findCertified = {
  name: 'find-certified',
  text: `SELECT id, org_id, partner_id, key_generation, public_key FROM devices
    WHERE id = ANY($1::uuid[]) AND public_key IS NOT NULL AND lifecycle <> 'decommissioned'`,
}

interface CertifiedRow {
  id: string
  org_id: string
  partner_id: string
  key_generation: number
  public_key: string
}

/** A new certificate for every connected device whose own runs out soon, unless its generation is no longer good. */
export async function renewCertificates(
  { pool, redis, keyring }: { pool: pg.Pool; redis: Redis; keyring: Keyring },
  hellos: ReadonlyMap<string, ConnectedRecord>,
): Promise<number> {
  const nowMs = Date.now()
  const due = [...hellos].filter(([, { body }]) => body.certificateExpiresAt < nowMs + certificateRenewalMs)
  if (due.length === 0) return 0
  const { rows } = await pool.query<CertifiedRow>({ ...findCertified, values: [due.map(([deviceId]) => deviceId)] })
  const orders: Order[] = []
  for (const row of rows) {
    if (hellos.get(row.id)?.body.gen !== row.key_generation) continue
    const device = {
      deviceId: row.id,
      orgId: row.org_id,
      partnerId: row.partner_id,
      generation: row.key_generation,
      publicKey: row.public_key,
    }
    const certificate = await signDeviceCertificate(keyring, device, nowMs)
    const bytes = encodeDown({ name: 'certificate', sequence: 0, body: { certificate } })
    orders.push({ kind: 'frame', deviceId: row.id, bytes })
  }
  await sendToDevices(redis, orders)
  return orders.length
}
