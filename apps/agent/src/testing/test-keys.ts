import { generateKeyPairSync, type KeyObject } from 'node:crypto'

/** A key that signs, and its public key in base64url. */
export interface Pair {
  readonly x: string
  readonly key: KeyObject
}

export function newPair(): Pair {
  const { publicKey, privateKey: key } = generateKeyPairSync('ed25519')
  return { x: String(publicKey.export({ format: 'jwk' }).x), key }
}
