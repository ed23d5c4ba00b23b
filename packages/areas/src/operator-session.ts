import { randomUUID } from 'node:crypto'
import { asSystem } from '@muster/db/database.ts'
import type { Keyring } from '@muster/kit/secrets/keyring.ts'
import type pg from 'pg'
import { findAccountByEmail } from './access/auth/sessions/accounts.queries.ts'
import { membershipsOf } from './access/auth/sessions/memberships.queries.ts'
import { openSession } from './access/auth/sessions/sessions.queries.ts'
import { AccessTokens, accessTokenSeconds } from './access/auth/sessions/tokens.ts'
import { writeAuditRecords } from './platform/audit/records.ts'

/**
 * Opens a session as an administrator of the installation, without password and second factor. It takes the system login
 * of the database and the keyring, with which any session can be made anyway. No operation leads here.
 * @returns its access token. The session ends with the token and cannot be renewed.
 */
export async function openOperatorSession(
  { system, keyring }: { readonly system: pg.Pool; readonly keyring: Keyring },
  email: string,
): Promise<string> {
  const request = { id: randomUUID(), ip: '127.0.0.1', userAgent: 'operator session' }
  const opened = await asSystem(system, async (db) => {
    const account = await findAccountByEmail(db, email.toLowerCase())
    const memberships =
      account?.status === 'active' && account.emailVerifiedAt ? await membershipsOf(db, account.id) : []
    const membership = memberships.find(({ scope }) => scope === 'system')
    if (account === undefined || membership === undefined)
      throw new OperatorSessionError(`No active administrator of this installation has the e-mail address ${email}`)
    const { sessionId } = await openSession(db, keyring, request, {
      userId: account.id,
      membership,
      ...{ method: 'operator', mfa: true, providerId: null, providerMfa: false },
      now: Date.now(),
      endsAfterMs: accessTokenSeconds * 1000,
    })
    const record = {
      action: 'user.login',
      target: account.id,
      name: account.email,
      details: { method: 'operator', mfa: true },
      actor: { type: 'user', id: account.id, email: account.email },
    } as const
    await writeAuditRecords(db, [record], null, request)
    return { userId: account.id, sessionId }
  })
  return new AccessTokens(keyring).sign({ ...opened, scope: 'system', partnerId: null, orgId: null, mfa: true })
}

/** The address names no administrator; the message says so to the operator. */
export class OperatorSessionError extends Error {
  override readonly name = 'OperatorSessionError'
}
