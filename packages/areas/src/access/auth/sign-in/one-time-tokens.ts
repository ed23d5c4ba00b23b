import type { Db } from '@muster/db/database.ts'
import { peppered } from '@muster/kit/keyring.ts'
import { sql } from 'kysely'
import type { Services } from '../../../services.ts'
import { opaqueToken } from '../sessions/tokens.ts'

export const purposes = {
  'reset-password': { ms: 3_600_000 },
  'verify-email': { ms: 3 * 24 * 3_600_000 },
} as const
type Purpose = keyof typeof purposes

type Stores = Pick<Services, 'keyring' | 'clock'>

/** A new token for a link in a mail; it replaces earlier ones of the same purpose. Only its hash is kept. */
export async function issueToken(
  db: Db,
  stores: Stores,
  purpose: Purpose,
  to: { readonly id: string; readonly email: string },
): Promise<string> {
  await withdrawTokens(db, purpose, to.id)
  return addToken(db, stores, purpose, to, false)
}

/** One more token beside the one in the mail, for a link that an administrator is shown. It proves no mailbox. */
export const issueHandedToken = (
  db: Db,
  stores: Stores,
  purpose: Purpose,
  to: { readonly id: string; readonly email: string },
): Promise<string> => addToken(db, stores, purpose, to, true)

async function addToken(
  db: Db,
  { keyring, clock }: Stores,
  purpose: Purpose,
  { id: userId, email }: { readonly id: string; readonly email: string },
  handed: boolean,
): Promise<string> {
  const token = opaqueToken()
  const expiresAt = new Date(clock.now() + purposes[purpose].ms).toISOString()
  await db
    .insertInto('oneTimeTokens')
    .values({ purpose, userId, email, handed, tokenHash: peppered(keyring, token), expiresAt })
    .execute()
  return token
}

interface FoundToken {
  readonly userId: string
  /** Was the link shown to an administrator, and so proves no mailbox? */
  readonly handed: boolean
}

// A link is good for the address that it was mailed to. One that was handed over ends with any change of what the account
// may open: it was handed to an administrator who was in charge of what there was then.
const isGood = ({ keyring, clock }: Stores, purpose: Purpose, token: string) => sql<boolean>`
  token_hash = ${peppered(keyring, token)} AND purpose = ${purpose} AND used_at IS NULL
  AND expires_at > ${new Date(clock.now()).toISOString()}
  AND EXISTS (SELECT FROM users u WHERE u.id = one_time_tokens.user_id AND u.email = one_time_tokens.email)
  AND NOT (handed AND (
    EXISTS (SELECT FROM partner_users m WHERE m.user_id = one_time_tokens.user_id AND m.updated_at > one_time_tokens.created_at)
    OR EXISTS (SELECT FROM organization_users m WHERE m.user_id = one_time_tokens.user_id AND m.updated_at > one_time_tokens.created_at)
    OR EXISTS (SELECT FROM system_users m WHERE m.user_id = one_time_tokens.user_id AND m.created_at > one_time_tokens.created_at)))`

/** Whose token it is, without using it up. */
export const findToken = (db: Db, stores: Stores, purpose: Purpose, token: string): Promise<FoundToken | undefined> =>
  db
    .selectFrom('oneTimeTokens')
    .select(['userId', 'handed'])
    .where(isGood(stores, purpose, token))
    .executeTakeFirst()

/**
 * Uses the token up; of two at once one gets nothing. The account is locked before the token, as everywhere, so that two
 * links of one account do not wait for each other.
 */
export async function redeemToken(
  db: Db,
  stores: Stores,
  purpose: Purpose,
  token: string,
): Promise<FoundToken | undefined> {
  const found = await findToken(db, stores, purpose, token)
  if (found === undefined) return undefined
  await db.selectFrom('users').select('id').where('id', '=', found.userId).forNoKeyUpdate().execute()
  return db
    .updateTable('oneTimeTokens')
    .set({ usedAt: new Date(stores.clock.now()).toISOString() })
    .where(isGood(stores, purpose, token))
    .returning(['userId', 'handed'])
    .executeTakeFirst()
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
