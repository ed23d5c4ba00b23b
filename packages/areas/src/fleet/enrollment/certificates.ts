import { createPrivateKey, createPublicKey, type KeyObject } from 'node:crypto'
import type { Keyring } from '@muster/kit/secrets/keyring.ts'
import { certificateAudience, certificateIssuer } from '@muster/wire/identity.ts'
import { decodeProtectedHeader, errors, jwtVerify, SignJWT } from 'jose'

/** A device that was offline for longer has to enroll again. */
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

/** The certificate that authenticates a device at ingest: its key, its tenant and a revocable generation. */
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

/** Whether this server signed the certificate and it has not expired. Does not check revocation. */
export async function isDeviceCertificate(keyring: Keyring, certificate: string, nowMs: number): Promise<boolean> {
  try {
    const { kid } = decodeProtectedHeader(certificate)
    const signer = keyring.deviceCertificates.find((key) => key.kid === kid)
    if (signer === undefined) return false
    const key = createPublicKey({ format: 'jwk', key: { kty: 'OKP', crv: 'Ed25519', x: signer.x } })
    const expected = { issuer: certificateIssuer, audience: certificateAudience, algorithms: ['EdDSA'] }
    await jwtVerify(certificate, key, { ...expected, currentDate: new Date(nowMs) })
    return true
  } catch (error) {
    if (error instanceof errors.JOSEError || error instanceof TypeError) return false
    throw error
  }
}
