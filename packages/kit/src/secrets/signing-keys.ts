// Ed25519 keys that sign, and the statements by which agents follow from one set of them to the next.
import { createPrivateKey, generateKeyPairSync, type KeyObject, randomBytes } from 'node:crypto'
import { z } from 'zod'
import { type OrderKeyStatement, orderStatementsMax, type StatementPurpose, signOrderKeys } from './order-keys.ts'

export const PublicKey = z.object({
  kty: z.literal('OKP'),
  crv: z.literal('Ed25519'),
  kid: z.string().min(1),
  x: z.string().min(1),
})
export const PrivateKey = PublicKey.extend({ d: z.string().min(1) })

export type PublicKey = z.infer<typeof PublicKey>
export type PrivateKey = z.infer<typeof PrivateKey>

export function signingKey(): PrivateKey {
  const jwk = generateKeyPairSync('ed25519').privateKey.export({ format: 'jwk' })
  return PrivateKey.parse({ ...jwk, kid: randomBytes(9).toString('base64url') })
}

/** A key of the file, ready to sign. */
export const privateKeyOf = (key: PrivateKey): KeyObject => createPrivateKey({ key: { ...key }, format: 'jwk' })

/** Keys that agents trust, newest first, and the statements that name them, oldest first. */
export interface StatedKeys {
  readonly keys: PrivateKey[]
  readonly statements: OrderKeyStatement[]
}

/** A first key, which signs its own statement. */
export function firstStated(purpose: StatementPurpose): StatedKeys {
  const key = signingKey()
  return stated({ keys: [], statements: [] }, [key], key, purpose)
}

/** The key that signed until now says that a new one signs as well. */
export const rotateStated = (before: StatedKeys, purpose: StatementPurpose): StatedKeys =>
  stated(before, [signingKey(), ...before.keys], newestOf(before.keys), purpose)

/** Only the newest key: agents stop trusting the older ones when they learn of it. */
export function retireStated(before: StatedKeys, purpose: StatementPurpose): StatedKeys {
  const kept = newestOf(before.keys)
  return stated(before, [kept], kept, purpose)
}

function stated({ statements }: StatedKeys, keys: PrivateKey[], by: PrivateKey, purpose: StatementPurpose): StatedKeys {
  const serial = (statements.at(-1)?.serial ?? 0) + 1
  const next = signOrderKeys({ serial, keys: keys.map(({ x }) => x) }, { x: by.x, key: privateKeyOf(by) }, purpose)
  return { keys, statements: [...statements, next].slice(-orderStatementsMax) }
}

/** @throws without a key */
export function newestOf<Key>(keys: readonly Key[]): Key {
  const [first] = keys
  if (first === undefined) throw new Error('A key file always has a key of each kind')
  return first
}
