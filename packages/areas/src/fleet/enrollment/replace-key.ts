import { createPublicKey, verify } from 'node:crypto'
import type { Db } from '@muster/db/database.ts'
import { denied } from '@muster/kit/errors.ts'
import { reenrollmentProofBytes } from '@muster/wire/identity.ts'
import { giveKey, keyOf, type Machine, type Registered } from '../devices/index.ts'
import type { Grant } from './grants.ts'

/**
 * The earlier device of a machine, updated to its new key. Requires proof of the previous key, because knowing a machine's
 * name or ID must not be enough to replace it.
 * @throws FORBIDDEN when the proof is invalid, or proves nothing because two machines have the key
 */
export async function replaceKey(
  db: Db,
  { orgId }: Grant,
  machine: Machine,
  { deviceId, signature }: { deviceId: string; signature: string },
): Promise<Registered> {
  const known = await keyOf(db, orgId, deviceId)
  const x = known?.publicKey
  const proof = reenrollmentProofBytes(machine.publicKey, deviceId)
  if (x === null || x === undefined || !isSigned(x, proof, signature))
    throw denied('previous: the proof of the previous key is invalid')
  if (known?.lifecycle === 'quarantined') throw denied('The device is quarantined')
  return giveKey(db, deviceId, machine)
}

function isSigned(x: string, bytes: Uint8Array, signature: string): boolean {
  try {
    const key = createPublicKey({ format: 'jwk', key: { kty: 'OKP', crv: 'Ed25519', x } })
    return verify(null, bytes, key, Buffer.from(signature, 'base64url'))
  } catch {
    return false
  }
}
