import type { Db } from '@muster/db/database.ts'
import { peppered } from '@muster/kit/keyring.ts'
import type { Services } from '../services.ts'
import { opaqueToken } from './tokens.ts'

export const purposes = {
  'reset-password': { ms: 3_600_000 },
  'verify-email': { ms: 3 * 24 * 3_600_000 },
} as const
type Purpose = keyof typeof purposes

/** A new token for a link in a mail; it replaces earlier ones of the same purpose. Only its hash is kept. */
export async function issueToken(
  db: Db,
  { keyring, clock }: Pick<Services, 'keyring' | 'clock'>,
  purpose: Purpose,
  userId: string,
): Promise<string> {
  const token = opaqueToken()
  const expiresAt = new Date(clock.now() + purposes[purpose].ms).toISOString()
  await withdrawTokens(db, purpose, userId)
  await db
    .insertInto('oneTimeTokens')
    .values({ purpose, userId, tokenHash: peppered(keyring, token), expiresAt })
    .execute()
  return token
}

/** Whose token it is, without using it up. */
export async function findToken(
  db: Db,
  services: Pick<Services, 'keyring' | 'clock'>,
  purpose: Purpose,
  token: string,
): Promise<string | undefined> {
  const now = new Date(services.clock.now()).toISOString()
  const found = await db
    .selectFrom('oneTimeTokens')
    .select('userId')
    .where('tokenHash', '=', peppered(services.keyring, token))
    .where('purpose', '=', purpose)
    .where('usedAt', 'is', null)
    .where('expiresAt', '>', now)
    .executeTakeFirst()
  return found?.userId
}

/** Uses the token up. One statement, so of two at once one gets nothing. @returns whose it was */
export async function redeemToken(
  db: Db,
  services: Pick<Services, 'keyring' | 'clock'>,
  purpose: Purpose,
  token: string,
): Promise<string | undefined> {
  const now = new Date(services.clock.now()).toISOString()
  const found = await db
    .updateTable('oneTimeTokens')
    .set({ usedAt: now })
    .where('tokenHash', '=', peppered(services.keyring, token))
    .where('purpose', '=', purpose)
    .where('usedAt', 'is', null)
    .where('expiresAt', '>', now)
    .returning('userId')
    .executeTakeFirst()
  return found?.userId
}

/** Makes the open tokens of a purpose worthless. */
export async function withdrawTokens(db: Db, purpose: Purpose, userId: string): Promise<void> {
  await db
    .deleteFrom('oneTimeTokens')
    .where('userId', '=', userId)
    .where('purpose', '=', purpose)
    .where('usedAt', 'is', null)
    .execute()
}
