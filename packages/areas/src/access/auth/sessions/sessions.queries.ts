import { createHmac, randomBytes } from 'node:crypto'
import type { Db } from '@muster/db/database.ts'
import type { Request } from '@muster/kit/call.ts'
import { type Keyring, peppered } from '@muster/kit/secrets/keyring.ts'
import type { Membership } from './memberships.queries.ts'
import { opaqueToken } from './tokens.ts'

/** A session ends when it has not been used for this time, … */
const idleMs = 7 * 24 * 3600_000
/** … and at the latest this time after its sign-in. */
const lifeMs = 30 * 24 * 3600_000
/** The number of open sessions of a user. */
const sessionsMax = 100
/** Two windows that exchange the same token within this time get the same successor. */
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
  /** Ends a session that is not renewed after this time. */
  readonly endsAfterMs?: number
}

const at = (ms: number) => new Date(ms).toISOString()

/** Opens a session with its first refresh token. */
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

/** Ends the least recently used sessions beyond the maximum. */
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

/** Ends the session of a refresh token. @returns whether there was one */
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

// The successor is derived and not random, so that it can be returned twice without being stored. It needs the old token,
// which only the client has, the salt of this exchange and the pepper.
const successorOf = (keyring: Keyring, token: string, salt: string) =>
  createHmac('sha256', keyring.pepper).update(`refresh successor\0${salt}\0${token}`).digest('base64url')

/**
 * Exchanges a refresh token for its successor. A token that was used before ends the session. The exception is the previous
 * token within the overlap: it returns the same successor again.
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
  if (session === undefined) return exchangeUsedToken(db, keyring, token, tokenHash, now)
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

async function exchangeUsedToken(
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

/** Ends the sessions of a user in this partner or organization. @returns how many were open */
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
 * Ends the sessions of a user: refresh tokens, access tokens, live subscriptions and tickets. Call it in the transaction of
 * the change, then clear the cache of callers after the commit, so that open connections are closed at once.
 * @param except a session that stays open
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

/** Ends the sessions that an identity provider opened. @param userId only those of this user */
export async function revokeSessionsOfProvider(db: Db, providerId: string, userId?: string): Promise<void> {
  await db
    .updateTable('sessions')
    .set({ revokedAt: at(Date.now()) })
    .where('providerId', '=', providerId)
    .where('revokedAt', 'is', null)
    .$if(userId !== undefined, (query) => query.where('userId', '=', userId ?? ''))
    .execute()
}

/** Revokes all API keys that a user created, in all tenants. @returns how many */
export async function revokeOwnKeys(db: Db, userId: string): Promise<number> {
  const { numUpdatedRows } = await db
    .updateTable('apiKeys')
    .set({ revokedAt: new Date().toISOString() })
    .where('userId', '=', userId)
    .where('revokedAt', 'is', null)
    .executeTakeFirst()
  return Number(numUpdatedRows)
}
