import { createHash, createPrivateKey, createPublicKey, generateKeyPairSync, type KeyObject, sign } from 'node:crypto'
import { readFileSync, writeFileSync } from 'node:fs'
import { Key, type Root, Signature } from '@tufjs/models'

/** A key that signs metadata: an offline release key, or the online key. */
export interface ReleaseKey {
  readonly id: string
  /** The public key as PEM text, for tools such as openssl. */
  readonly pem: string
  readonly tuf: Key
  sign(bytes: Uint8Array): Buffer
  signature(bytes: Uint8Array): Signature
  readonly privateKey: KeyObject
}

/** The raw key is the last thirty-two bytes of the encoding. */
const rawKeyBytes = 32

function releaseKey(privateKey: KeyObject): ReleaseKey {
  if (privateKey.asymmetricKeyType !== 'ed25519') throw new Error('A release key must be an Ed25519 key')
  const publicKey = createPublicKey(privateKey)
  const raw = publicKey.export({ format: 'der', type: 'spki' }).subarray(-rawKeyBytes).toString('hex')
  const id = createHash('sha256').update(`ed25519:${raw}`).digest('hex')
  const signed = (bytes: Uint8Array) => sign(null, bytes, privateKey)
  return {
    id,
    pem: publicKey.export({ format: 'pem', type: 'spki' }).toString(),
    tuf: new Key({ keyID: id, keyType: 'ed25519', scheme: 'ed25519', keyVal: { public: raw } }),
    sign: signed,
    signature: (bytes) => new Signature({ keyID: id, sig: signed(bytes).toString('hex') }),
    privateKey,
  }
}

/** Creates a key. */
export function createReleaseKey(): ReleaseKey {
  return releaseKey(generateKeyPairSync('ed25519').privateKey)
}

/** Writes the private key as PEM (PKCS 8), readable by its owner only, and encrypted if a passphrase is given. */
export function writeReleaseKey(file: string, key: ReleaseKey, passphrase?: string): void {
  const protection = passphrase === undefined ? {} : { cipher: 'aes-256-cbc', passphrase }
  const pem = key.privateKey.export({ format: 'pem', type: 'pkcs8', ...protection })
  writeFileSync(file, pem, { mode: 0o600, flag: 'wx' })
}

/** Reads a private key. @throws Error when the file has none, or the passphrase is wrong or missing */
export function readReleaseKey(file: string, passphrase?: string): ReleaseKey {
  const key = readFileSync(file)
  let opened: KeyObject
  try {
    opened = createPrivateKey({ key, passphrase })
  } catch (cause) {
    throw new Error(`${file} cannot be opened: it is not a private key, or RELEASE_PASSPHRASE is wrong`, { cause })
  }
  return releaseKey(opened)
}

const spkiPrefix = Buffer.from('302a300506032b6570032100', 'hex')

/** The offline keys that a root trusts, as PEM texts. */
export function trustedKeys({ keys, roles }: Root): string[] {
  return [...new Set(roles.targets?.keyIDs)].flatMap((id) => {
    const raw = keys[id]?.keyVal.public
    if (raw === undefined) return []
    const der = Buffer.concat([spkiPrefix, Buffer.from(raw, 'hex')])
    return [
      createPublicKey({ key: der, format: 'der', type: 'spki' }).export({ format: 'pem', type: 'spki' }).toString(),
    ]
  })
}
