import { createHmac, randomBytes } from 'node:crypto'
import { z } from 'zod'
import { readKeyFile } from './key-file.ts'
import { OrderKeyStatement, orderKeysMax, orderStatementsMax } from './order-keys.ts'
import {
  firstStated,
  PrivateKey,
  PublicKey,
  retireStated,
  rotateStated,
  type StatedKeys,
  signingKey,
} from './signing-keys.ts'

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

export type Keyring = z.infer<typeof Keyring>
export type SymmetricKey = z.infer<typeof SymmetricKey>
export type DeviceKeyring = z.infer<typeof DeviceKeyring>

export const readKeyring = (path: string): Keyring => readKeyFile(path, Keyring)
export const readDeviceKeyring = (path: string): DeviceKeyring => readKeyFile(path, DeviceKeyring)

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
  return withOrders({ ...keyring, tickets }, firstStated('orders'))
}

/** Whether key files have all that this version needs. */
export const isComplete = (keyring: Keyring, device: DeviceKeyring): boolean =>
  keyring.orders !== undefined && device.tickets !== undefined && device.orderStatements !== undefined

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
  if (kind === 'orders') return withOrders(keyring, rotateStated(statedOrders(keyring), 'orders'))
  return kind === 'encryption' || kind === 'tickets'
    ? { ...keyring, [kind]: [symmetricKey(), ...(keyring[kind] ?? [])] }
    : { ...keyring, [kind]: [signingKey(), ...keyring[kind]] }
}

/** The same keyring with nothing but the newest order key: agents stop trusting the older ones when they hear of it. */
export const retireOrders = (keyring: Keyring): Keyring =>
  withOrders(keyring, retireStated(statedOrders(keyring), 'orders'))

function statedOrders(keyring: Keyring): StatedKeys {
  const { orders, orderStatements } = orderKeysOf(keyring)
  return { keys: orders, statements: orderStatements }
}

const withOrders = (keyring: Keyring, { keys: orders, statements: orderStatements }: StatedKeys): Keyring => ({
  ...keyring,
  orders,
  orderStatements,
})

/** The part that ingest may know: it verifies device certificates and can sign none; tickets it makes and takes itself. */
export const deviceKeyring = ({ deviceCertificates, tickets, orderStatements }: Keyring): DeviceKeyring => ({
  deviceCertificates: deviceCertificates.map((key) => PublicKey.parse(key)),
  ...(tickets && { tickets }),
  ...(orderStatements && { orderStatements }),
})

/** The stored form of a secret with enough entropy of its own (keys, refresh tokens): 64 hexadecimal digits. */
export const peppered = (keyring: Keyring, secret: string): string =>
  createHmac('sha256', keyring.pepper).update(secret).digest('hex')
