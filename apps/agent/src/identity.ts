import { createPrivateKey, createPublicKey, generateKeyPairSync, type KeyObject, sign } from 'node:crypto'
import { chmod } from 'node:fs/promises'
import { join } from 'node:path'
import { proofBytes } from '@muster/wire/identity.ts'
import { z } from 'zod'
import { AgentStopped } from './agent-stopped.ts'
import { readIfPresent, writeDurably } from './durable-file.ts'

/** What enrolment gave. The private key is not in here: it has a file of its own. */
export const Enrolment = z.object({
  server: z.string(),
  deviceId: z.uuid(),
  orgId: z.string().optional(),
  siteId: z.string().nullish(),
  ingestUrl: z.string(),
  certificate: z.string().min(1),
})
export type Enrolment = z.infer<typeof Enrolment>

const keyFile = 'identity.key'
const enrolmentFile = 'enrolment.json'

/** Who this agent is: an Ed25519 key that never leaves the data folder, and the certificate that the server gave for it. */
export class Identity {
  readonly #directory: string
  readonly #key: KeyObject
  #enrolment: Enrolment | undefined

  private constructor(directory: string, key: KeyObject, enrolment: Enrolment | undefined) {
    this.#directory = directory
    this.#key = key
    this.#enrolment = enrolment
  }

  /** Reads the identity in a data folder, or makes a key when there is none. */
  static async open(directory: string): Promise<Identity> {
    const key = await readOrCreateKey(join(directory, keyFile))
    const stored = await readIfPresent(join(directory, enrolmentFile))
    const identity = new Identity(directory, key, stored === undefined ? undefined : readEnrolment(stored))
    const enrolment = identity.enrolment
    if (enrolment !== undefined && !isFor(enrolment.certificate, enrolment.deviceId, identity.publicKey))
      throw new AgentStopped(`${keyFile} and ${enrolmentFile} do not belong together; remove both and enrol again`)
    return identity
  }

  get enrolment(): Enrolment | undefined {
    return this.#enrolment
  }

  /** The raw public key, as enrolment wants it: base64url of 32 bytes. */
  get publicKey(): string {
    return publicHalf(this.#key)
  }

  async enrolled(enrolment: Enrolment): Promise<void> {
    await writeDurably(join(this.#directory, enrolmentFile), `${JSON.stringify(enrolment, null, 2)}\n`)
    this.#enrolment = enrolment
  }

  /** Stores a renewed certificate; one that is not for this key and device would lock the agent out, and is refused. */
  async renew(certificate: string): Promise<boolean> {
    const enrolment = this.#enrolment
    if (enrolment === undefined || !isFor(certificate, enrolment.deviceId, this.publicKey)) return false
    await this.enrolled({ ...enrolment, certificate })
    return true
  }

  /** The proof that this agent holds the key of the certificate, for one socket's nonce. */
  prove(nonce: Uint8Array, certificate: string): Uint8Array {
    return sign(null, proofBytes(nonce, certificate), this.#key)
  }
}

/** The private key in a file, made when there is none. */
export async function readOrCreateKey(path: string): Promise<KeyObject> {
  const stored = await readIfPresent(path)
  if (stored !== undefined) {
    // Copied data folders lose their modes; the key must not stay readable for others.
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
    throw new AgentStopped(`${keyFile} in the data folder is damaged; remove it and ${enrolmentFile}, then enrol again`)
  }
}

function readEnrolment(stored: string): Enrolment {
  try {
    return Enrolment.parse(JSON.parse(stored))
  } catch {
    throw new AgentStopped(
      `${enrolmentFile} in the data folder is damaged; remove it and enrol again with --server and --key`,
    )
  }
}

/** The raw public key: base64url of 32 bytes. */
export function publicHalf(key: KeyObject): string {
  const x = createPublicKey(key).export({ format: 'jwk' }).x
  if (x === undefined) throw new Error('The identity key is not an Ed25519 key')
  return x
}

const Binding = z.object({ sub: z.string(), cnf: z.object({ jwk: z.object({ x: z.string() }) }) })

/** Whether a certificate is for this device and key. */
export function isFor(certificate: string, deviceId: string, publicKey: string): boolean {
  try {
    const claims = Binding.parse(JSON.parse(Buffer.from(certificate.split('.')[1] ?? '', 'base64url').toString()))
    return claims.sub === deviceId && claims.cnf.jwk.x === publicKey
  } catch {
    return false
  }
}
