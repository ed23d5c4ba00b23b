import type { Db } from '@muster/db/database.ts'
import { type RawBuilder, sql } from 'kysely'

/** Somebody who can sign in, with what signing in needs. Never leaves the server. */
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
  /** Do the recovery codes that are stored count here? */
  readonly recoveryCodesCount: boolean
}

/**
 * In which session the second factors are asked for. Those that were made in a session of an identity provider count in
 * sessions of that provider alone; without a provider only the person's own count.
 */
export interface Session {
  readonly providerId?: string | null | undefined
}
/** For what acts in one organization without a session: factors of any of its providers count. */
interface InOrganization {
  readonly providersOf: string | null
}

const ownSession: Session = { providerId: null }

/** Does what was made in a session of the provider in `column` count? */
export function countsIn(column: RawBuilder<unknown>, where: Session | InOrganization): RawBuilder<boolean> {
  if ('providersOf' in where) {
    return sql`(${column} IS NULL OR ${column} IN (SELECT id FROM sso_providers WHERE org_id = ${where.providersOf}))`
  }
  const { providerId = null } = where
  return providerId === null ? sql`(${column} IS NULL)` : sql`(${column} IS NULL OR ${column} = ${providerId})`
}

const accounts = (db: Db, where: Session | InOrganization) => {
  const counts = countsIn(sql`users.factors_provider_id`, where)
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
      sql<boolean>`EXISTS (SELECT FROM passkeys p WHERE p.user_id = users.id AND ${countsIn(sql`p.provider_id`, where)})`.as(
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

/** Is there any second factor to ask for? */
export const hasSecondFactor = (account: Factors): boolean => account.mfaEnabled || account.hasPasskey

/** One that forced MFA accepts: an authenticator app or a passkey. Messages to a phone can be diverted. */
export const hasStrongFactor = (account: Factors): boolean =>
  account.hasPasskey || (account.mfaEnabled && account.mfaMethod !== 'sms')
