import { createHmac, generateKeyPairSync, randomBytes } from 'node:crypto'
import { readFileSync } from 'node:fs'
import { z } from 'zod'

const PublicKey = z.object({
  kty: z.literal('OKP'),
  crv: z.literal('Ed25519'),
  kid: z.string().min(1),
  x: z.string().min(1),
})
const PrivateKey = PublicKey.extend({ d: z.string().min(1) })
const SymmetricKey = z.object({ id: z.string().min(1), key: z.string().length(43) })
const Keyring = z.object({
  /** Newest first; the first signs, all verify. */
  accessTokens: z.array(PrivateKey).min(1),
  deviceCertificates: z.array(PrivateKey).min(1),
  /** Sign where the audit chains end; key files from before there was such a key use those of the access tokens. */
  auditHeads: z.array(PrivateKey).min(1).optional(),
  /** AES-256 keys, base64url, newest first; the first encrypts, all decrypt. */
  encryption: z.array(SymmetricKey).min(1),
  /** 256 bits each, base64url, newest first: agents come back with tickets made under them. Key files from before have none. */
  tickets: z.array(SymmetricKey).min(1).optional(),
  /** Secret part of every stored hash, base64url. */
  pepper: z.string().min(43),
})
const DeviceKeyring = Keyring.pick({ tickets: true }).extend({ deviceCertificates: z.array(PublicKey).min(1) })

export type PrivateKey = z.infer<typeof PrivateKey>
export type PublicKey = z.infer<typeof PublicKey>
export type Keyring = z.infer<typeof Keyring>
export type SymmetricKey = z.infer<typeof SymmetricKey>
export type DeviceKeyring = z.infer<typeof DeviceKeyring>

function readJson<T>(path: string, schema: z.ZodType<T>): T {
  try {
    return schema.parse(JSON.parse(readFileSync(path, 'utf8')))
  } catch (cause) {
    throw new Error(`The key file ${path} cannot be used; it should be one that Muster made`, { cause })
  }
}
export const readKeyring = (path: string): Keyring => readJson(path, Keyring)
export const readDeviceKeyring = (path: string): DeviceKeyring => readJson(path, DeviceKeyring)

function signingKey(): PrivateKey {
  const jwk = generateKeyPairSync('ed25519').privateKey.export({ format: 'jwk' })
  return PrivateKey.parse({ ...jwk, kid: randomBytes(9).toString('base64url') })
}

const symmetricKey = (): SymmetricKey => ({
  id: randomBytes(6).toString('base64url'),
  key: randomBytes(32).toString('base64url'),
})

/** A complete new set of keys. */
export function createKeyring(): Keyring {
  return {
    accessTokens: [signingKey()],
    deviceCertificates: [signingKey()],
    auditHeads: [signingKey()],
    encryption: [symmetricKey()],
    tickets: [symmetricKey()],
    pepper: randomBytes(32).toString('base64url'),
  }
}

export const rotatableKinds = ['accessTokens', 'deviceCertificates', 'encryption', 'tickets'] as const
export type RotatableKind = (typeof rotatableKinds)[number]

/** The same keyring with one more key of a kind in front: it signs or encrypts from now on, the older ones go on verifying. */
export const rotateKeyring = (keyring: Keyring, kind: RotatableKind): Keyring =>
  kind === 'encryption' || kind === 'tickets'
    ? { ...keyring, [kind]: [symmetricKey(), ...(keyring[kind] ?? [])] }
    : { ...keyring, [kind]: [signingKey(), ...keyring[kind]] }

/** The part that ingest may know: it verifies device certificates and can sign none; tickets it makes and takes itself. */
export const deviceKeyring = ({ deviceCertificates, tickets }: Keyring): DeviceKeyring => ({
  deviceCertificates: deviceCertificates.map((key) => PublicKey.parse(key)),
  ...(tickets && { tickets }),
})

/** The stored form of a secret with enough entropy of its own (keys, refresh tokens): 64 hexadecimal digits. */
export const peppered = (keyring: Keyring, secret: string): string =>
  createHmac('sha256', keyring.pepper).update(secret).digest('hex')
