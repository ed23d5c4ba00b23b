import type { Db } from '@muster/db/database.ts'
import { peppered } from '@muster/kit/secrets/keyring.ts'
import { sql } from 'kysely'
import type { Services } from '../../../services.ts'
import { opaqueToken } from '../sessions/tokens.ts'

export const purposes = {
  'reset-password': { ms: 3_600_000 },
  'verify-email': { ms: 3 * 24 * 3_600_000 },
} as const
type Purpose = keyof typeof purposes

type Stores = Pick<Services, 'keyring' | 'clock'>

/** Creates a token for a mailed link. It replaces earlier tokens of the purpose. Only its hash is stored. */
export async function issueToken(
  db: Db,
  stores: Stores,
  purpose: Purpose,
  to: { readonly id: string; readonly email: string },
): Promise<string> {
  await withdrawTokens(db, purpose, to.id)
  return addToken(db, stores, purpose, to, false)
}

/** Creates a further token for a link that an administrator is shown. It proves no mailbox. */
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
  /** Whether the link was shown to an administrator, so that it proves no mailbox. */
  readonly handed: boolean
}

// A link is valid for the address that it was mailed to. A handed link becomes invalid when the memberships of the account
// change, because the administrator who received it managed only the memberships of that time.
const isValid = ({ keyring, clock }: Stores, purpose: Purpose, token: string) => sql<boolean>`
  token_hash = ${peppered(keyring, token)} AND purpose = ${purpose} AND used_at IS NULL
  AND expires_at > ${new Date(clock.now()).toISOString()}
  AND EXISTS (SELECT FROM users u WHERE u.id = one_time_tokens.user_id AND u.email = one_time_tokens.email)
  AND NOT (handed AND (
    EXISTS (SELECT FROM partner_users m WHERE m.user_id = one_time_tokens.user_id AND m.updated_at > one_time_tokens.created_at)
    OR EXISTS (SELECT FROM organization_users m WHERE m.user_id = one_time_tokens.user_id AND m.updated_at > one_time_tokens.created_at)
    OR EXISTS (SELECT FROM system_users m WHERE m.user_id = one_time_tokens.user_id AND m.created_at > one_time_tokens.created_at)))`

/** Finds the user of a token without redeeming it. */
export const findToken = (db: Db, stores: Stores, purpose: Purpose, token: string): Promise<FoundToken | undefined> =>
  db
    .selectFrom('oneTimeTokens')
    .select(['userId', 'handed'])
    .where(isValid(stores, purpose, token))
    .executeTakeFirst()

/**
 * Redeems a token. Of two simultaneous calls, one gets undefined. The account is locked before the token, as in all other
 * code, so that two links of one account cannot deadlock.
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
    .where(isValid(stores, purpose, token))
    .returning(['userId', 'handed'])
    .executeTakeFirst()
}

/** Deletes the unused tokens of a purpose. */
export async function withdrawTokens(db: Db, purpose: Purpose, userId: string): Promise<void> {
  await db
    .deleteFrom('oneTimeTokens')
    .where('userId', '=', userId)
    .where('purpose', '=', purpose)
    .where('usedAt', 'is', null)
    .execute()
}
