// Signed statements of the end of a chain. They are stored, logged and exported, so truncation and rewriting are detected.
import { createPrivateKey, createPublicKey, sign, verify } from 'node:crypto'
import type { Keyring } from '@muster/kit/secrets/keyring.ts'

export interface Head {
  readonly chainId: string
  readonly kind: 'head' | 'floor'
  readonly sequence: number
  /** Hexadecimal. */
  readonly hash: string
  readonly at: string
}
export interface SignedHead extends Head {
  readonly keyId: string
  /** The Ed25519 public key, base64url. */
  readonly publicKey: string
  readonly signature: string
}

const signedText = ({ chainId, kind, sequence, hash, at }: Head): Buffer =>
  Buffer.from(JSON.stringify(['muster-audit-head', kind, chainId, sequence, hash, at]))

const keysOf = (keyring: Keyring) => keyring.auditHeads ?? keyring.accessTokens

export function signHead(keyring: Keyring, head: Head): SignedHead {
  const [key] = keysOf(keyring)
  if (key === undefined) throw new Error('the keyring has no key for audit heads')
  const signature = sign(null, signedText(head), createPrivateKey({ format: 'jwk', key })).toString('base64url')
  return { ...head, keyId: key.kid, publicKey: key.x, signature }
}

/** The public keys that may sign heads, by key ID. */
export const headKeys = (keyring: Keyring): ReadonlyMap<string, string> =>
  new Map(keysOf(keyring).map(({ kid, x }) => [kid, x]))

/** Whether the key signed the head. @param x Ed25519 public key, base64url */
export function isSignedBy(head: SignedHead, x: string): boolean {
  try {
    const key = createPublicKey({ format: 'jwk', key: { kty: 'OKP', crv: 'Ed25519', x } })
    return verify(null, signedText(head), key, Buffer.from(head.signature, 'base64url'))
  } catch {
    return false
  }
}
