import { createPrivateKey, type KeyObject } from 'node:crypto'
import type { Keyring } from '@muster/kit/keyring.ts'
import { certificateAudience, certificateIssuer } from '@muster/wire/identity.ts'
import { SignJWT } from 'jose'

/** A device that was away for longer has to enrol again. */
export const certificateSeconds = 90 * 86_400

export interface CertifiedDevice {
  readonly deviceId: string
  readonly orgId: string
  readonly partnerId: string
  readonly generation: number
  /** The raw Ed25519 key, base64url. */
  readonly publicKey: string
  readonly role?: 'agent' | 'watchdog'
}

const signingKeys = new WeakMap<Keyring, { readonly kid: string; readonly key: KeyObject }>()

function signingKeyOf(keyring: Keyring) {
  const known = signingKeys.get(keyring)
  if (known !== undefined) return known
  const [newest] = keyring.deviceCertificates
  if (newest === undefined) throw new Error('the keyring has no key for device certificates')
  const made = { kid: newest.kid, key: createPrivateKey({ format: 'jwk', key: newest }) }
  signingKeys.set(keyring, made)
  return made
}

/** The certificate with which a device proves itself to ingest: its key, its tenant and the generation that can be revoked. */
export function signDeviceCertificate(keyring: Keyring, device: CertifiedDevice, nowMs: number): Promise<string> {
  const { kid, key } = signingKeyOf(keyring)
  const { deviceId, orgId, partnerId, generation, publicKey, role = 'agent' } = device
  const issuedAt = Math.floor(nowMs / 1000)
  const cnf = { jwk: { kty: 'OKP', crv: 'Ed25519', x: publicKey } }
  return new SignJWT({ org: orgId, partner: partnerId, gen: generation, role, cnf })
    .setProtectedHeader({ alg: 'EdDSA', kid })
    .setIssuer(certificateIssuer)
    .setAudience(certificateAudience)
    .setSubject(deviceId)
    .setIssuedAt(issuedAt)
    .setExpirationTime(issuedAt + certificateSeconds)
    .sign(key)
}
