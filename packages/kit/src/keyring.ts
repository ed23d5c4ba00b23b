import { createHmac, createPrivateKey, generateKeyPairSync, type KeyObject, randomBytes } from 'node:crypto'
import { readFileSync } from 'node:fs'
import { z } from 'zod'
import { OrderKeyStatement, orderKeysMax, orderStatementsMax, signOrderKeys } from './order-keys.ts'

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
  /** Sign orders to agents; the first signs. Key files from before there were signed orders have none: `npm run keys -- complete`. */
  orders: z.array(PrivateKey).min(1).max(orderKeysMax).optional(),
  /** Which order keys agents trust, oldest statement first; each is signed by a key of the one before. */
  orderStatements: z.array(OrderKeyStatement).min(1).max(orderStatementsMax).optional(),
  /** AES-256 keys, base64url, newest first; the first encrypts, all decrypt. */
  encryption: z.array(SymmetricKey).min(1),
  /** 256 bits each, base64url, newest first: agents come back with tickets made under them. Key files from before have none. */
  tickets: z.array(SymmetricKey).min(1).optional(),
  /** Secret part of every stored hash, base64url. */
  pepper: z.string().min(43),
})
const DeviceKeyring = Keyring.pick({ tickets: true, orderStatements: true }).extend({
  deviceCertificates: z.array(PublicKey).min(1),
})

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
  return completeKeyring({
    accessTokens: [signingKey()],
    deviceCertificates: [signingKey()],
    auditHeads: [signingKey()],
    encryption: [symmetricKey()],
    tickets: [symmetricKey()],
    pepper: randomBytes(32).toString('base64url'),
  })
}

/** The same keyring with a key of each kind that key files from before do not have. */
export function completeKeyring(keyring: Keyring): Keyring {
  const tickets = keyring.tickets ?? [symmetricKey()]
  if (keyring.orders !== undefined && keyring.orderStatements !== undefined) return { ...keyring, tickets }
  const key = signingKey()
  const first = signOrderKeys({ serial: 1, keys: [key.x] }, { x: key.x, key: privateKeyOf(key) })
  return { ...keyring, tickets, orders: [key], orderStatements: [first] }
}

/** Whether key files have all that this version needs. */
export const isComplete = (keyring: Keyring, device: DeviceKeyring): boolean =>
  keyring.orders !== undefined && device.tickets !== undefined && device.orderStatements !== undefined

/** A key of the file, ready to sign. */
export const privateKeyOf = (key: PrivateKey): KeyObject => createPrivateKey({ key: { ...key }, format: 'jwk' })

/** The keys that sign orders, newest first. @throws when the key file is from before there were any */
export function orderKeysOf({ orders, orderStatements }: Keyring) {
  if (orders !== undefined && orderStatements !== undefined) return { orders, orderStatements }
  throw new Error(
    'The key file has no keys for signed orders: run `npm run keys -- complete <key file> <device key file>` once',
  )
}

export const rotatableKinds = ['accessTokens', 'deviceCertificates', 'encryption', 'tickets', 'orders'] as const
export type RotatableKind = (typeof rotatableKinds)[number]

/** The same keyring with one more key of a kind in front: it signs or encrypts from now on, the older ones go on verifying. */
export function rotateKeyring(keyring: Keyring, kind: RotatableKind): Keyring {
  if (kind === 'orders') return rotateOrders(keyring)
  return kind === 'encryption' || kind === 'tickets'
    ? { ...keyring, [kind]: [symmetricKey(), ...(keyring[kind] ?? [])] }
    : { ...keyring, [kind]: [signingKey(), ...keyring[kind]] }
}

/** The key that signed until now says that the new one signs as well. */
function rotateOrders(keyring: Keyring): Keyring {
  const { orders } = orderKeysOf(keyring)
  const before = newest(orders)
  return withOrders(keyring, [signingKey(), ...orders], before)
}

/** The same keyring with nothing but the newest order key: agents stop trusting the older ones when they hear of it. */
export function retireOrders(keyring: Keyring): Keyring {
  const kept = newest(orderKeysOf(keyring).orders)
  return withOrders(keyring, [kept], kept)
}

function withOrders(keyring: Keyring, orders: PrivateKey[], by: PrivateKey): Keyring {
  const { orderStatements } = orderKeysOf(keyring)
  const serial = (orderStatements.at(-1)?.serial ?? 0) + 1
  const said = signOrderKeys({ serial, keys: orders.map(({ x }) => x) }, { x: by.x, key: privateKeyOf(by) })
  return { ...keyring, orders, orderStatements: [...orderStatements, said].slice(-orderStatementsMax) }
}

function newest(orders: readonly PrivateKey[]): PrivateKey {
  const [first] = orders
  if (first === undefined) throw new Error('A key file always has a key of each kind')
  return first
}

/** The part that ingest may know: it verifies device certificates and can sign none; tickets it makes and takes itself. */
export const deviceKeyring = ({ deviceCertificates, tickets, orderStatements }: Keyring): DeviceKeyring => ({
  deviceCertificates: deviceCertificates.map((key) => PublicKey.parse(key)),
  ...(tickets && { tickets }),
  ...(orderStatements && { orderStatements }),
})

/** The stored form of a secret with enough entropy of its own (keys, refresh tokens): 64 hexadecimal digits. */
export const peppered = (keyring: Keyring, secret: string): string =>
  createHmac('sha256', keyring.pepper).update(secret).digest('hex')
