import { createPrivateKey, createPublicKey, generateKeyPairSync, type KeyObject, sign } from 'node:crypto'
import { chmod } from 'node:fs/promises'
import { join } from 'node:path'
import { proofBytes } from '@muster/wire/identity.ts'
import type { SealingKey } from '@muster/wire/sealing.ts'
import { z } from 'zod'
import { AgentStopped } from './agent-stopped.ts'
import { readIfPresent, writeDurably } from './durable-file.ts'

/** The result of enrollment. The private key is in a file of its own. */
export const Enrollment = z.object({
  server: z.string(),
  deviceId: z.uuid(),
  orgId: z.string().optional(),
  siteId: z.string().nullish(),
  ingestUrl: z.string(),
  certificate: z.string().min(1),
})
export type Enrollment = z.infer<typeof Enrollment>

const keyFile = 'identity.key'
// The name of the first release: with another one, enrolled agents would lose their enrollment.
const enrollmentFile = 'enrolment.json'

/** The server that accepted the identity in a data folder; undefined without one. */
export async function enrolledAt(directory: string): Promise<string | undefined> {
  const stored = await readIfPresent(join(directory, enrollmentFile))
  return stored === undefined ? undefined : readEnrollment(stored).server
}

/** The identity of this agent: an Ed25519 key that never leaves the data folder, and its certificate from the server. */
export class Identity {
  readonly #directory: string
  readonly #key: KeyObject
  #enrollment: Enrollment | undefined

  private constructor(directory: string, key: KeyObject, enrollment: Enrollment | undefined) {
    this.#directory = directory
    this.#key = key
    this.#enrollment = enrollment
  }

  /** Reads the identity in a data folder, or creates a key. */
  static async open(directory: string): Promise<Identity> {
    const key = await readOrCreateKey(join(directory, keyFile))
    const stored = await readIfPresent(join(directory, enrollmentFile))
    const identity = new Identity(directory, key, stored === undefined ? undefined : readEnrollment(stored))
    const enrollment = identity.enrollment
    if (enrollment !== undefined && !isCertificateFor(enrollment.certificate, enrollment.deviceId, identity.publicKey))
      throw new AgentStopped(`${keyFile} and ${enrollmentFile} do not belong together; remove both and enroll again`)
    return identity
  }

  get enrollment(): Enrollment | undefined {
    return this.#enrollment
  }

  /** This device, with the organization and the partner that its certificate names. */
  get device(): Readonly<Record<'deviceId' | 'orgId' | 'partnerId', string | undefined>> {
    const { deviceId, certificate = '' } = this.#enrollment ?? {}
    const { org: orgId, partner: partnerId } = Membership.safeParse(claimsIn(certificate)).data ?? {}
    return { deviceId, orgId, partnerId }
  }

  /** The raw public key for enrollment: base64url of 32 bytes. */
  get publicKey(): string {
    return publicKeyOf(this.#key)
  }

  /** The public part of a key, signed for this device; undefined before the enrollment. */
  stateKey(sealing: SealingKey): string | undefined {
    const { deviceId } = this.device
    return deviceId === undefined ? undefined : sealing.statement(deviceId, this.#key)
  }

  async enrolled(enrollment: Enrollment): Promise<void> {
    await writeDurably(join(this.#directory, enrollmentFile), `${JSON.stringify(enrollment, null, 2)}\n`)
    this.#enrollment = enrollment
  }

  /** Stores a renewed certificate. One for another key or device would lock the agent out, and is refused. */
  async renew(certificate: string): Promise<boolean> {
    const enrollment = this.#enrollment
    if (enrollment === undefined || !isCertificateFor(certificate, enrollment.deviceId, this.publicKey)) return false
    await this.enrolled({ ...enrollment, certificate })
    return true
  }

  /** The proof for one socket's nonce that this agent holds the certified key. */
  prove(nonce: Uint8Array, certificate: string): Uint8Array {
    return sign(null, proofBytes(nonce, certificate), this.#key)
  }
}

/** The private key in a file, which is created when missing. */
export async function readOrCreateKey(path: string): Promise<KeyObject> {
  const stored = await readIfPresent(path)
  if (stored !== undefined) {
    // A copied data folder may have lost its file modes; the key must not be readable for others.
    await chmod(path, 0o600)
    return parseKey(stored)
  }
  const { privateKey } = generateKeyPairSync('ed25519')
  await writeDurably(path, privateKey.export({ type: 'pkcs8', format: 'pem' }))
  return privateKey
}

function parseKey(stored: string): KeyObject {
  try {
    return createPrivateKey(stored)
  } catch {
    throw new AgentStopped(
      `${keyFile} in the data folder is damaged; remove it and ${enrollmentFile}, then enroll again`,
    )
  }
}

function readEnrollment(stored: string): Enrollment {
  try {
    return Enrollment.parse(JSON.parse(stored))
  } catch {
    throw new AgentStopped(
      `${enrollmentFile} in the data folder is damaged; remove it and enroll again with --server and --key`,
    )
  }
}

/** The raw public key: base64url of 32 bytes. */
export function publicKeyOf(key: KeyObject): string {
  const x = createPublicKey(key).export({ format: 'jwk' }).x
  if (x === undefined) throw new Error('The identity key is not an Ed25519 key')
  return x
}

const Binding = z.object({ sub: z.string(), cnf: z.object({ jwk: z.object({ x: z.string() }) }) })

const Membership = z.object({ org: z.string(), partner: z.string().optional() })

/** Whether a certificate is for this device and key. */
export function isCertificateFor(certificate: string, deviceId: string, publicKey: string): boolean {
  const claims = Binding.safeParse(claimsIn(certificate)).data
  return claims !== undefined && claims.sub === deviceId && claims.cnf.jwk.x === publicKey
}

function claimsIn(certificate: string): unknown {
  try {
    return JSON.parse(Buffer.from(certificate.split('.')[1] ?? '', 'base64url').toString())
  } catch {
    return undefined
  }
}
