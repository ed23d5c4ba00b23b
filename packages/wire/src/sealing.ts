import {
  createCipheriv,
  createDecipheriv,
  createPublicKey,
  diffieHellman,
  generateKeyPairSync,
  hkdfSync,
  type KeyObject,
  randomBytes,
  sign,
  verify,
} from 'node:crypto'
import { z } from 'zod'

/*
 * Secrets of scripts: the server seals their values, with each frame, to a key that the agent makes at each start and keeps in
 * memory. Gateways, Redis and the disk of the machine hold nothing that opens them. README.md specifies every byte.
 */

const keyBytes = 32
const ivBytes = 12
const tagBytes = 16
const cipherName = 'aes-256-gcm'
const sealPurpose = 'muster-secrets-1'
const statementPurpose = Buffer.from('muster-sealing-key-1\0')
/** The prefix of a raw X25519 public key as SubjectPublicKeyInfo. */
const spkiPrefix = Buffer.from('302a300506032b656e032100', 'hex')

/** A public key of X25519 and the signature of the device's identity key over it, in base64url. */
export const SealingKeyStatement = z.string().regex(/^[\w-]{128}$/)
/** With the largest secrets in it. */
export const sealedBytesMax = 512 * 1024

const Values = z.record(z.string(), z.string())
/** The values of variables. */
export type SecretValues = Readonly<Record<string, string>>

const rawKey = (key: KeyObject): Buffer => key.export({ format: 'der', type: 'spki' }).subarray(-keyBytes)
const publicKeyOf = (raw: Uint8Array): KeyObject =>
  createPublicKey({ key: Buffer.concat([spkiPrefix, raw]), format: 'der', type: 'spki' })

const stated = (deviceId: string, key: Uint8Array): Buffer =>
  Buffer.concat([statementPurpose, Buffer.from(deviceId.replaceAll('-', ''), 'hex'), key])

const contentKey = (privateKey: KeyObject, publicKey: KeyObject, ephemeral: Buffer, recipient: Buffer): Buffer => {
  const shared = diffieHellman({ privateKey, publicKey })
  return Buffer.from(hkdfSync('sha256', shared, Buffer.concat([ephemeral, recipient]), sealPurpose, keyBytes))
}

/** The public key in a statement, if the device's identity key signed it; undefined if it did not. */
export function sealingKeyIn(statement: string, deviceId: string, identityKey: KeyObject): Uint8Array | undefined {
  const bytes = Buffer.from(statement, 'base64url')
  const [key, signature] = [bytes.subarray(0, keyBytes), bytes.subarray(keyBytes)]
  return verify(null, stated(deviceId, key), identityKey, signature) ? key : undefined
}

/** Seals values for one command of the agent that has this key. */
export function sealValues(values: SecretValues, commandId: string, recipientKey: Uint8Array): Buffer {
  const recipient = Buffer.from(recipientKey)
  const { privateKey, publicKey } = generateKeyPairSync('x25519')
  const ephemeral = rawKey(publicKey)
  const iv = randomBytes(ivBytes)
  const cipher = createCipheriv(cipherName, contentKey(privateKey, publicKeyOf(recipient), ephemeral, recipient), iv)
  cipher.setAAD(Buffer.from(commandId))
  const body = [cipher.update(JSON.stringify(values), 'utf8'), cipher.final(), cipher.getAuthTag()]
  return Buffer.concat([recipient, ephemeral, iv, ...body])
}

/** The key of one run of an agent, which is nowhere but in its memory. */
export class SealingKey {
  readonly #pair = generateKeyPairSync('x25519')
  readonly #raw = rawKey(this.#pair.publicKey)

  /** The public key, signed for the device by its identity key. */
  statement(deviceId: string, identityKey: KeyObject): string {
    return Buffer.concat([this.#raw, sign(null, stated(deviceId, this.#raw), identityKey)]).toString('base64url')
  }

  /** Whether values were sealed to this key. */
  fits(sealed: Uint8Array | undefined): boolean {
    return sealed !== undefined && this.#raw.equals(sealed.subarray(0, keyBytes))
  }

  /** Opens values. @throws when they were sealed for another command or altered */
  open(sealed: Uint8Array, commandId: string): SecretValues {
    const bytes = Buffer.from(sealed)
    const ephemeral = bytes.subarray(keyBytes, 2 * keyBytes)
    const iv = bytes.subarray(2 * keyBytes, 2 * keyBytes + ivBytes)
    const key = contentKey(this.#pair.privateKey, publicKeyOf(ephemeral), ephemeral, this.#raw)
    const decipher = createDecipheriv(cipherName, key, iv, { authTagLength: tagBytes })
    decipher.setAAD(Buffer.from(commandId))
    decipher.setAuthTag(bytes.subarray(-tagBytes))
    const body = bytes.subarray(2 * keyBytes + ivBytes, -tagBytes)
    return Values.parse(JSON.parse(Buffer.concat([decipher.update(body), decipher.final()]).toString('utf8')))
  }
}
