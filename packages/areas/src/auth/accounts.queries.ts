import type { Db } from '@muster/db/database.ts'
import { sql } from 'kysely'

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
}

const accounts = (db: Db) =>
  db
    .selectFrom('users')
    .select([
      'id',
      'email',
      'name',
      'status',
      'passwordHash',
      'passwordChangedAt',
      'emailVerifiedAt',
      'mfaEnabled',
      'mfaMethod',
      'mfaSecret',
      'phoneNumber',
      'phoneVerified',
      sql<boolean>`EXISTS (SELECT FROM passkeys p WHERE p.user_id = users.id)`.as('hasPasskey'),
    ])

export const findAccountByEmail = (db: Db, email: string): Promise<Account | undefined> =>
  accounts(db).where('email', '=', email).executeTakeFirst()

export const findAccount = (db: Db, id: string): Promise<Account | undefined> =>
  accounts(db).where('id', '=', id).executeTakeFirst()

type Factors = Pick<Account, 'mfaEnabled' | 'mfaMethod' | 'hasPasskey'>

/** Is there any second factor to ask for? */
export const hasSecondFactor = (account: Factors): boolean => account.mfaEnabled || account.hasPasskey

/** One that forced MFA accepts: an authenticator app or a passkey. Messages to a phone can be diverted. */
export const hasStrongFactor = (account: Factors): boolean =>
  account.hasPasskey || (account.mfaEnabled && account.mfaMethod !== 'sms')
