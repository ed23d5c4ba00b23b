// Seals the secrets of commands to the keys of their agents. Done for each frame, so that values are on no disk and in no queue.
import { setImmediate as nextTurn } from 'node:timers/promises'
import type { Keyring } from '@muster/kit/secrets/keyring.ts'
import { orderKeyOf } from '@muster/wire/orders.ts'
import { sealingKeyIn, sealValues } from '@muster/wire/sealing.ts'
import type pg from 'pg'
import { type SecretIds, secretsIn } from './found-secrets.ts'
import { openSecret } from './sealed-secret.ts'

/** A key exchange takes a fifth of a millisecond; other work gets its turn in between. */
const sealedAtOnce = 32

interface SecretCommand {
  readonly id: string
  readonly deviceId: string
  readonly payload: Readonly<Record<string, unknown>>
  readonly secretIds: SecretIds | null
}

interface StoredSecret {
  readonly id: string
  readonly partnerId: string
  readonly name: string
  readonly sealed: string
}

interface Recipient {
  readonly id: string
  readonly partnerId: string
  readonly sealingKey: string
  readonly publicKey: string
}

const readSecrets = {
  name: 'read-secrets',
  text: `SELECT id, partner_id AS "partnerId", name, sealed FROM secrets WHERE id = ANY($1::uuid[])`,
}
const readRecipients = {
  name: 'read-sealing-keys',
  text: `SELECT id, partner_id AS "partnerId", sealing_key AS "sealingKey", public_key AS "publicKey" FROM devices
    WHERE id = ANY($1::uuid[]) AND sealing_key IS NOT NULL AND public_key IS NOT NULL`,
}

/**
 * The sealed values of commands that take secrets, by command. One of a device without a valid key is left out: its agent
 * answers with the key. So is a secret that was deleted: the agent fails the command.
 */
export async function sealedValues(
  pool: pg.Pool,
  keyring: Keyring,
  commands: readonly SecretCommand[],
): Promise<ReadonlyMap<string, Uint8Array>> {
  const taking = commands.filter(({ secretIds }) => secretIds !== null)
  const sealed = new Map<string, Uint8Array>()
  if (taking.length === 0) return sealed
  const ids = new Set(taking.flatMap(({ secretIds }) => Object.values(secretIds ?? {})))
  const [secrets, devices] = await Promise.all([
    pool.query<StoredSecret>({ ...readSecrets, values: [[...ids]] }),
    pool.query<Recipient>({ ...readRecipients, values: [[...new Set(taking.map(({ deviceId }) => deviceId))]] }),
  ])
  const values = new Map(
    secrets.rows.map((row) => [row.id, { ...row, value: openSecret(keyring, row.id, row.sealed) }]),
  )
  const recipients = new Map(devices.rows.map((row) => [row.id, row]))
  for (const [index, { id, deviceId, payload, secretIds }] of taking.entries()) {
    const recipient = recipients.get(deviceId)
    const key = recipient && sealingKeyIn(recipient.sealingKey, deviceId, orderKeyOf(recipient.publicKey))
    if (recipient === undefined || key === undefined) continue
    const names = secretsIn(payload)
    const given = Object.entries(secretIds ?? {}).flatMap(([variable, secretId]) => {
      const found = values.get(secretId)
      // The grant names secrets: a row that says otherwise gives none.
      const isMeant = found?.name === names[variable] && found?.partnerId === recipient.partnerId
      return found !== undefined && isMeant ? [[variable, found.value]] : []
    })
    sealed.set(id, sealValues(Object.fromEntries(given), id, key))
    if ((index + 1) % sealedAtOnce === 0) await nextTurn()
  }
  return sealed
}
