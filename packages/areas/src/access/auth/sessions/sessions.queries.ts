import { createHmac, randomBytes } from 'node:crypto'
import type { Db } from '@muster/db/database.ts'
import type { Request } from '@muster/kit/call.ts'
import { type Keyring, peppered } from '@muster/kit/keyring.ts'
import type { Membership } from './memberships.queries.ts'
import { opaqueToken } from './tokens.ts'

/** A session ends when it has not been used for this long … */
const idleMs = 7 * 24 * 3600_000
/** … and at the latest so long after its sign-in. */
const lifeMs = 30 * 24 * 3600_000
/** So many sessions of one person are open at once. */
const sessionsMax = 100
/** Two windows that exchange one token within this time both get the same successor. */
const overlapMs = 10_000

export type SignInMethod = 'password' | 'totp' | 'sms' | 'recovery' | 'passkey' | 'sso' | 'operator'

interface Opening {
  readonly userId: string
  readonly membership: Membership
  readonly method: SignInMethod
  readonly mfa: boolean
  readonly providerId: string | null
  readonly providerMfa: boolean
  readonly now: number
  /** A session that is not renewed ends after this time. */
  readonly endsAfterMs?: number
}

const at = (ms: number) => new Date(ms).toISOString()

/** A new session with its first refresh token. */
export async function openSession(
  db: Db,
  keyring: Keyring,
  request: Pick<Request, 'ip' | 'userAgent'>,
  opening: Opening,
) {
  const { userId, membership, method, mfa, providerId, providerMfa, now, endsAfterMs = lifeMs } = opening
  const refreshToken = opaqueToken()
  const { id: sessionId } = await db
    .insertInto('sessions')
    .values({
      userId,
      tokenHash: peppered(keyring, refreshToken),
      scope: membership.scope,
      partnerId: membership.partnerId,
      orgId: membership.orgId,
      method,
      mfa,
      providerId,
      providerMfa,
      ipAddress: request.ip,
      userAgent: request.userAgent?.slice(0, 1_000) ?? null,
      expiresAt: at(now + Math.min(idleMs, endsAfterMs)),
      endsAt: at(now + endsAfterMs),
      authenticatedAt: at(now),
      lastUsedAt: at(now),
    })
    .returning('id')
    .executeTakeFirstOrThrow()
  await endLeastUsed(db, userId, now)
  return { sessionId, refreshToken }
}

/** Beyond the number that a person may have, the sessions used least recently end. */
async function endLeastUsed(db: Db, userId: string, now: number): Promise<void> {
  const surplus = openSessions(db, now)
    .clearSelect()
    .select('id')
    .where('userId', '=', userId)
    .orderBy('lastUsedAt', 'desc')
    .orderBy('createdAt', 'desc')
    .offset(sessionsMax)
  await db
    .updateTable('sessions')
    .set({ revokedAt: at(now) })
    .where('id', 'in', surplus)
    .execute()
}

/** Ends the session of this refresh token: its browser signs in anew. @returns whether there was one */
export async function endSessionOf(db: Db, keyring: Keyring, refreshToken: string, now: number): Promise<boolean> {
  const { numUpdatedRows } = await db
    .updateTable('sessions')
    .set({ revokedAt: at(now) })
    .where('tokenHash', '=', peppered(keyring, refreshToken))
    .where('revokedAt', 'is', null)
    .executeTakeFirst()
  return numUpdatedRows > 0n
}

interface OpenSession {
  readonly id: string
  readonly userId: string
  readonly tokenHash: string
  readonly mfa: boolean
  readonly scope: 'system' | 'partner' | 'organization' | null
  readonly partnerId: string | null
  readonly orgId: string | null
  readonly providerId: string | null
  readonly providerMfa: boolean
  readonly endsAt: string
}

const openSessions = (db: Db, now: number) =>
  db
    .selectFrom('sessions')
    .select(['id', 'userId', 'tokenHash', 'mfa', 'scope', 'partnerId', 'orgId', 'providerId', 'providerMfa', 'endsAt'])
    .where('revokedAt', 'is', null)
    .where('expiresAt', '>', at(now))
    .where('endsAt', '>', at(now))

type Exchange =
  | { readonly outcome: 'exchanged'; readonly session: OpenSession; readonly refreshToken: string }
  | { readonly outcome: 'reused'; readonly session: OpenSession }
  | { readonly outcome: 'unknown' }

// The successor is computed, not drawn, so that it can be said twice without being stored: it takes the old token, which
// only its holder has, the salt of this exchange and our pepper to compute it.
const successorOf = (keyring: Keyring, token: string, salt: string) =>
  createHmac('sha256', keyring.pepper).update(`refresh successor\0${salt}\0${token}`).digest('base64url')

/**
 * Exchanges a refresh token for its successor. A token that was exchanged before ends the whole session, unless it is the
 * one before the newest and within the overlap: then it answers with the very same successor.
 */
export async function exchangeRefreshToken(
  db: Db,
  keyring: Keyring,
  token: string,
  request: Request,
  now: number,
): Promise<Exchange> {
  const tokenHash = peppered(keyring, token)
  const session = await openSessions(db, now).where('tokenHash', '=', tokenHash).forUpdate().executeTakeFirst()
  if (session === undefined) return exchangeAgain(db, keyring, token, tokenHash, now)
  const salt = randomBytes(16).toString('base64url')
  const refreshToken = successorOf(keyring, token, salt)
  await db
    .insertInto('usedRefreshTokens')
    .values({ tokenHash, sessionId: session.id, salt, usedAt: at(now) })
    .execute()
  await db
    .updateTable('sessions')
    .set({
      tokenHash: peppered(keyring, refreshToken),
      lastUsedAt: at(now),
      expiresAt: at(Math.min(now + idleMs, Date.parse(session.endsAt))),
      ipAddress: request.ip,
      userAgent: request.userAgent?.slice(0, 1_000) ?? null,
    })
    .where('id', '=', session.id)
    .execute()
  return { outcome: 'exchanged', session, refreshToken }
}

async function exchangeAgain(
  db: Db,
  keyring: Keyring,
  token: string,
  tokenHash: string,
  now: number,
): Promise<Exchange> {
  const used = await db
    .selectFrom('usedRefreshTokens')
    .selectAll()
    .where('tokenHash', '=', tokenHash)
    .executeTakeFirst()
  if (used === undefined) return { outcome: 'unknown' }
  const session = await openSessions(db, now).where('id', '=', used.sessionId).forUpdate().executeTakeFirst()
  if (session === undefined) return { outcome: 'unknown' }
  const refreshToken = successorOf(keyring, token, used.salt)
  const isNewest = peppered(keyring, refreshToken) === session.tokenHash
  if (isNewest && now - Date.parse(used.usedAt) <= overlapMs) return { outcome: 'exchanged', session, refreshToken }
  await db
    .updateTable('sessions')
    .set({ revokedAt: at(now) })
    .where('id', '=', session.id)
    .execute()
  return { outcome: 'reused', session }
}

/** Ends those sessions of a person in which it acts for this partner, or in this organisation. @returns how many were open */
export async function revokeSessionsIn(
  db: Db,
  userId: string,
  { partnerId, orgId }: { readonly partnerId: string; readonly orgId: string | null },
): Promise<number> {
  const { numUpdatedRows } = await db
    .updateTable('sessions')
    .set({ revokedAt: at(Date.now()) })
    .where('userId', '=', userId)
    .where('revokedAt', 'is', null)
    .where('partnerId', '=', partnerId)
    .where('orgId', orgId === null ? 'is' : '=', orgId)
    .executeTakeFirst()
  return Number(numUpdatedRows)
}

/**
 * Ends the sessions of a person: its refresh tokens, access tokens, live subscriptions and tickets. Within the change's own
 * transaction; follow it with `after(() => callersOf(services).clear())`, so that open connections hear of it at once.
 * @param except a session that goes on
 * @returns how many were open
 */
export async function revokeSessions(db: Db, userId: string, except?: string): Promise<number> {
  const { numUpdatedRows } = await db
    .updateTable('sessions')
    .set({ revokedAt: at(Date.now()) })
    .where('userId', '=', userId)
    .where('revokedAt', 'is', null)
    .$if(except !== undefined, (query) => query.where('id', '!=', except ?? ''))
    .executeTakeFirst()
  return Number(numUpdatedRows)
}

/** Ends one session of a user. @returns how many ended: 0 when it had ended before */
export async function revokeSession(db: Db, userId: string, id: string): Promise<number> {
  const { numUpdatedRows } = await db
    .updateTable('sessions')
    .set({ revokedAt: at(Date.now()) })
    .where('userId', '=', userId)
    .where('id', '=', id)
    .where('revokedAt', 'is', null)
    .executeTakeFirst()
  return Number(numUpdatedRows)
}

/** Revokes every API key that the person made, wherever it acts. @returns how many there were */
export async function revokeOwnKeys(db: Db, userId: string): Promise<number> {
  const { numUpdatedRows } = await db
    .updateTable('apiKeys')
    .set({ revokedAt: new Date().toISOString() })
    .where('userId', '=', userId)
    .where('revokedAt', 'is', null)
    .executeTakeFirst()
  return Number(numUpdatedRows)
}
