// Which keys may sign orders to agents, or grants of scripts. A statement names them; each is signed by a key of the one before, so that an agent
// that trusts one set of keys can follow to the next without trusting the process that hands it over.
import { createHash, createPublicKey, type KeyObject, sign, verify } from 'node:crypto'
import { z } from 'zod'

export const orderKeysMax = 16
export const orderStatementsMax = 64

/** A raw Ed25519 public key, base64url. */
const publicKey = z.string().regex(/^[A-Za-z0-9_-]{43}$/)

export const OrderKeyStatement = z.object({
  /** Each statement has the number after that of the one before. */
  serial: z
    .int()
    .min(1)
    .max(2 ** 31),
  keys: z.array(publicKey).min(1).max(orderKeysMax),
  /** Id of the key that signed. */
  by: z.string().min(1).max(64),
  signature: z.string().regex(/^[A-Za-z0-9_-]{86}$/),
})
export type OrderKeyStatement = z.infer<typeof OrderKeyStatement>

/** Keys that are trusted, and the serial number of the statement that named them. */
export type TrustedOrderKeys = Pick<OrderKeyStatement, 'serial' | 'keys'>

/** What the keys of a statement sign. A statement of one purpose is worth nothing for the other. */
export type StatementPurpose = 'orders' | 'grants'
const prefixes: Readonly<Record<StatementPurpose, Buffer>> = {
  orders: Buffer.from('muster-order-keys-1\0'),
  grants: Buffer.from('muster-grant-keys-1\0'),
}
const keyIdBytes = 9

/** The id of an order key: the beginning of the SHA-256 of its 32 bytes. */
export const orderKeyId = (x: string): string =>
  createHash('sha256').update(Buffer.from(x, 'base64url')).digest().toString('base64url', 0, keyIdBytes)

/** A raw public key as a key object. @param x base64url */
export const orderKeyOf = (x: string): KeyObject =>
  createPublicKey({ format: 'jwk', key: { kty: 'OKP', crv: 'Ed25519', x } })

/** The bytes that a statement signs: a fixed prefix, the serial number, how many keys, and the keys. */
function statementBytes({ serial, keys }: TrustedOrderKeys, purpose: StatementPurpose): Buffer {
  const head = Buffer.alloc(5)
  head.writeUInt32BE(serial)
  head[4] = keys.length
  return Buffer.concat([prefixes[purpose], head, ...keys.map((x) => Buffer.from(x, 'base64url'))])
}

/** Says which keys may sign from a serial number on. @param by a key of the statement before */
export function signOrderKeys(
  { serial, keys }: TrustedOrderKeys,
  by: { readonly x: string; readonly key: KeyObject },
  purpose: StatementPurpose = 'orders',
): OrderKeyStatement {
  const signature = sign(null, statementBytes({ serial, keys }, purpose), by.key).toString('base64url')
  return { serial, keys: [...keys], by: orderKeyId(by.x), signature }
}

/** What is trusted after some statements: each counts only if it is the next one and a key trusted until then signed it. */
export function afterStatements(
  trusted: TrustedOrderKeys,
  statements: readonly OrderKeyStatement[],
  purpose: StatementPurpose = 'orders',
): TrustedOrderKeys {
  let { serial, keys } = trusted
  for (const statement of statements.toSorted((one, other) => one.serial - other.serial)) {
    if (statement.serial !== serial + 1) continue
    const signer = keys.find((x) => orderKeyId(x) === statement.by)
    if (signer === undefined) break
    const signature = Buffer.from(statement.signature, 'base64url')
    if (!verify(null, statementBytes(statement, purpose), orderKeyOf(signer), signature)) break
    serial = statement.serial
    keys = statement.keys
  }
  return { serial, keys: [...keys] }
}
