import { createHash } from 'node:crypto'
import { z } from 'zod'
import { Role } from './messages/hello.ts'
import { id } from './scalars.ts'

/** The claims of a device certificate (a JWT signed with EdDSA). */
export const CertificateClaims = z.object({
  iss: z.literal('muster'),
  aud: z.literal('muster-ingest'),
  sub: id,
  org: id,
  partner: id,
  gen: z.int().min(0).max(2_147_483_647),
  role: Role,
  cnf: z.object({
    jwk: z.object({ kty: z.literal('OKP'), crv: z.literal('Ed25519'), x: z.string().regex(/^[A-Za-z0-9_-]{43}$/) }),
  }),
  iat: z.int().min(0),
  exp: z.int().min(0),
})
export type CertificateClaims = z.infer<typeof CertificateClaims>

export const certificateIssuer = 'muster'
export const certificateAudience = 'muster-ingest'

const context = Buffer.from('muster-agent-v1\0')

/** The bytes that a hello signs: a fixed prefix, the socket's nonce and the SHA-256 of the certificate text. */
export function proofBytes(nonce: Uint8Array, certificate: string): Uint8Array {
  return Buffer.concat([context, nonce, createHash('sha256').update(certificate).digest()])
}

const reenrollmentPurpose = 'muster-reenrol-1\0'

/** What a machine signs with its previous key to remain the same device: its new public key (base64url) and its device ID. */
export function reenrollmentProofBytes(publicKey: string, deviceId: string): Uint8Array {
  return Buffer.concat([Buffer.from(reenrollmentPurpose), Buffer.from(publicKey, 'base64url'), Buffer.from(deviceId)])
}
