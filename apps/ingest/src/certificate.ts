import { createHash, createPublicKey, type KeyObject, verify } from 'node:crypto'
import type { DeviceKeyring } from '@muster/kit/secrets/keyring.ts'
import { CertificateClaims, proofBytes } from '@muster/wire/identity.ts'
import type { Role } from '@muster/wire/messages/hello.ts'
import { z } from 'zod'

/** A device as its certificate names it. */
export interface Identity {
  deviceId: string
  generation: number
  expiresAtSeconds: number
}

/** The content of a verified certificate. */
export interface CertifiedIdentity extends Identity {
  role: Role
  /** The device's public key, 32 bytes in base64url. */
  key: string
}

const hashWords = 4

const Head = z.object({ alg: z.literal('EdDSA'), kid: z.string() })

/**
 * Verifies device certificates with the keys of this process. Valid certificates are remembered by hash, in few bytes
 * each, because after an outage the whole fleet reconnects with certificates that were verified before.
 */
export class Certificates {
  readonly #keys: ReadonlyMap<string, KeyObject>
  /** 128 bits of SHA-256 each. The first bits select a slot; a newer entry replaces the one in its slot. */
  readonly #good: Uint32Array
  #remembered = 0

  constructor(keyring: DeviceKeyring, rememberedMax: number) {
    this.#keys = new Map(keyring.deviceCertificates.map((key) => [key.kid, ed25519Key(key.x)]))
    this.#good = new Uint32Array(rememberedMax * hashWords)
  }

  get remembered(): number {
    return this.#remembered
  }

  /** The identity in the certificate; undefined when it is not signed by this installation. The caller checks the expiry. */
  identify(certificate: string): CertifiedIdentity | undefined {
    const [head, body, signature, ...more] = certificate.split('.')
    if (head === undefined || body === undefined || signature === undefined || more.length > 0) return undefined
    const claims = CertificateClaims.safeParse(readJson(body))
    if (!claims.success || !this.#isGood(certificate, head, body, signature)) return undefined
    const { sub, gen, role, cnf, exp } = claims.data
    return { deviceId: sub, generation: gen, role, key: cnf.jwk.x, expiresAtSeconds: exp }
  }

  #isGood(certificate: string, head: string, body: string, signature: string): boolean {
    const hash = createHash('sha256').update(certificate).digest()
    const slot = (hash.readUInt32LE(0) % (this.#good.length / hashWords)) * hashWords
    if (this.#isAt(slot, hash)) return true
    if (!this.#isSigned(head, body, signature)) return false
    // An unused slot holds zeros, which in practice is not the hash of any certificate.
    if (this.#good.subarray(slot, slot + hashWords).every((word) => word === 0)) this.#remembered++
    for (let word = 0; word < hashWords; word++) this.#good[slot + word] = hash.readUInt32LE(word * 4)
    return true
  }

  #isAt(slot: number, hash: Buffer): boolean {
    for (let word = 0; word < hashWords; word++)
      if (this.#good[slot + word] !== hash.readUInt32LE(word * 4)) return false
    return true
  }

  #isSigned(head: string, body: string, signature: string): boolean {
    const header = Head.safeParse(readJson(head))
    const key = header.success ? this.#keys.get(header.data.kid) : undefined
    if (key === undefined) return false
    return verify(null, Buffer.from(`${head}.${body}`), key, Buffer.from(signature, 'base64url'))
  }
}

/** Whether the signature over this nonce proves possession of the certified key. */
export function isProved(
  { key }: CertifiedIdentity,
  certificate: string,
  nonce: Uint8Array,
  signature: Uint8Array,
): boolean {
  return verify(null, proofBytes(nonce, certificate), ed25519Key(key), signature)
}

// DER of a SubjectPublicKeyInfo up to the key. Importing it costs a third of importing a JWK.
const spkiPrefix = Buffer.from('302a300506032b6570032100', 'hex')

function ed25519Key(x: string): KeyObject {
  return createPublicKey({ key: Buffer.concat([spkiPrefix, Buffer.from(x, 'base64url')]), format: 'der', type: 'spki' })
}

function readJson(part: string): unknown {
  try {
    return JSON.parse(Buffer.from(part, 'base64url').toString())
  } catch {
    return undefined
  }
}
