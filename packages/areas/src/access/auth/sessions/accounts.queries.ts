import type { Db } from '@muster/db/database.ts'
import { type RawBuilder, sql } from 'kysely'

/** An account with the columns that signing in needs. It contains secrets and never leaves the server. */
export interface Account {
  readonly id: string
  readonly email: string
  readonly name: string
  readonly status: 'active' | 'invited' | 'disabled'
  readonly passwordHash: string | null
  readonly passwordChangedAt: string | null
  readonly emailVerifiedAt: string | null
  readonly mfaEnabled: boolean
  readonly mfaMethod: 'totp' | 'sms' | null
  readonly mfaSecret: string | null
  readonly phoneNumber: string | null
  readonly phoneVerified: boolean
  readonly hasPasskey: boolean
  /** Whether the stored recovery codes are valid in this session. */
  readonly recoveryCodesCount: boolean
}

/**
 * The session in which second factors are checked. Factors that were created in a session of an identity provider are valid
 * only in sessions of that provider. Sessions without a provider accept only the user's own factors.
 */
export interface Session {
  readonly providerId?: string | null | undefined
}
/** For checks of one organization without a session. Factors of all its providers are valid. */
interface InOrganization {
  readonly providersOf: string | null
}

const ownSession: Session = { providerId: null }

/** Whether a factor is valid that was created in a session of the provider in `column`. */
export function isValidIn(column: RawBuilder<unknown>, where: Session | InOrganization): RawBuilder<boolean> {
  if ('providersOf' in where) {
    return sql`(${column} IS NULL OR ${column} IN (SELECT id FROM sso_providers WHERE org_id = ${where.providersOf}))`
  }
  const { providerId = null } = where
  return providerId === null ? sql`(${column} IS NULL)` : sql`(${column} IS NULL OR ${column} = ${providerId})`
}

const accounts = (db: Db, where: Session | InOrganization) => {
  const counts = isValidIn(sql`users.factors_provider_id`, where)
  return db
    .selectFrom('users')
    .select([
      'id',
      'email',
      'name',
      'status',
      'passwordHash',
      'passwordChangedAt',
      'emailVerifiedAt',
      sql<boolean>`mfa_enabled AND ${counts}`.as('mfaEnabled'),
      sql<'totp' | 'sms' | null>`CASE WHEN ${counts} THEN mfa_method END`.as('mfaMethod'),
      sql<string | null>`CASE WHEN ${counts} THEN mfa_secret END`.as('mfaSecret'),
      sql<string | null>`CASE WHEN ${counts} THEN phone_number END`.as('phoneNumber'),
      sql<boolean>`phone_verified AND ${counts}`.as('phoneVerified'),
      sql<boolean>`EXISTS (SELECT FROM passkeys p WHERE p.user_id = users.id AND ${isValidIn(sql`p.provider_id`, where)})`.as(
        'hasPasskey',
      ),
      counts.as('recoveryCodesCount'),
    ])
}

export const findAccountByEmail = (db: Db, email: string): Promise<Account | undefined> =>
  accounts(db, ownSession).where('email', '=', email).executeTakeFirst()

export const findAccount = (
  db: Db,
  id: string,
  where: Session | InOrganization = ownSession,
): Promise<Account | undefined> => accounts(db, where).where('id', '=', id).executeTakeFirst()

type Factors = Pick<Account, 'mfaEnabled' | 'mfaMethod' | 'hasPasskey'>

/** Whether the account has any second factor. */
export const hasSecondFactor = (account: Factors): boolean => account.mfaEnabled || account.hasPasskey

/** Whether the account has a factor that forced MFA accepts: an authenticator app or a passkey. SMS can be diverted. */
export const hasStrongFactor = (account: Factors): boolean =>
  account.hasPasskey || (account.mfaEnabled && account.mfaMethod !== 'sms')
