// The current permissions of an API key: those of its creator, reduced to the scopes of the key.

import { asSystem, type Db } from '@muster/db/database.ts'
import { type Caller, hasPermission } from '@muster/kit/access.ts'
import type { Request } from '@muster/kit/call.ts'
import { denied, unauthenticated } from '@muster/kit/errors.ts'
import { peppered } from '@muster/kit/secrets/keyring.ts'
import type { Permission } from '@muster/kit/vocabulary.ts'
import { callersOf } from '../../caller-cache.ts'
import type { Services } from '../../services.ts'
import { isPermission } from '../../vocabulary.contract.ts'
import {
  findAccount,
  givesAccess,
  isWithin,
  limitsOf,
  membershipIn,
  membershipsOf,
  missingMfa,
  permissionsOfRole,
} from '../auth/index.ts'

const header = 'x-api-key'
const recordEveryMs = 60_000
const recordedMax = 10_000

const invalid = () => unauthenticated('Invalid API key')

/** Whether the request carries an API key. */
export const carriesApiKey = (request: Pick<Request, 'header'>): boolean => request.header(header) !== undefined

interface Key {
  readonly id: string
  readonly userId: string
  readonly scope: 'system' | 'partner' | 'organization'
  readonly partnerId: string | null
  readonly orgId: string | null
  readonly scopes: string[]
}

/** @throws UNAUTHENTICATED for a key that is unknown, expired or revoked, or whose creator lost the membership */
export async function callerOfApiKey(services: Services, request: Request): Promise<Caller> {
  const given = request.header(header) ?? ''
  if (request.header('authorization') !== undefined)
    throw unauthenticated('Send either an API key or a bearer token, not both')
  if (!/^msk_[\w-]{43}$/.test(given)) throw invalid()
  const hash = peppered(services.keyring, given)
  const found = await callersOf(services).keys.resolve(hash, () => resolveKey(services, hash))
  if (found === null) throw invalid()
  const { caller, allowedAddresses, requestsPerMinute } = found
  const keyId = caller.apiKeyId ?? ''
  await limitsOf(services).takeFrom('apiKey', keyId, { points: requestsPerMinute, seconds: 60 })
  if (allowedAddresses.length > 0 && !isWithin(request.ip, allowedAddresses)) {
    throw denied('This API key cannot be used from this address')
  }
  recordUse(services, keyId, request.ip)
  return caller
}

const resolveKey = (services: Services, hash: string) =>
  asSystem(services.system, async (db) => {
    const now = new Date(services.clock.now()).toISOString()
    const key = await db
      .selectFrom('apiKeys')
      .select(['id', 'userId', 'scope', 'partnerId', 'orgId', 'scopes', 'allowedAddresses', 'requestsPerMinute'])
      .where((eb) =>
        eb.or([eb('keyHash', '=', hash), eb.and([eb('previousHash', '=', hash), eb('previousExpiresAt', '>', now)])]),
      )
      .where('revokedAt', 'is', null)
      .where('expiresAt', '>', now)
      .executeTakeFirst()
    if (key === undefined) return null
    const caller = await callerBehind(services, db, key)
    return caller === null ? null : { caller, ...key }
  })

async function callerBehind(services: Services, db: Db, key: Key): Promise<Caller | null> {
  const account = await findAccount(db, key.userId, { providersOf: key.orgId })
  const membership = await membershipBehind(db, key)
  if (account?.status !== 'active' || membership === undefined) return null
  const held = { permissions: await permissionsOfRole(db, membership.roleId) }
  const ofOne = key.scope === 'organization' && key.orgId !== null ? [key.orgId] : null
  const ofPartner =
    membership.orgAccess === 'selected' ? (membership.orgIds ?? []) : membership.orgAccess === 'none' ? [] : null
  const isMember = membership.scope === 'organization'
  return {
    kind: 'api-key',
    kindName: 'API keys',
    userId: account.id,
    email: account.email,
    sessionId: null,
    apiKeyId: key.id,
    scope: key.scope,
    partnerId: key.partnerId,
    orgId: key.orgId,
    orgAccess: key.scope === 'partner' ? membership.orgAccess : null,
    accessibleOrgIds: ofOne ?? (key.scope === 'partner' ? ofPartner : null),
    siteIds: isMember ? membership.siteIds : null,
    deviceGroupIds: isMember ? membership.deviceGroupIds : null,
    roleId: membership.roleId,
    permissions: heldScopes(key.scopes, held),
    mfa: false,
    // A key does not avoid a second factor that its creator has to enroll. An enrolled factor is not asked for on each request.
    mfaOwed: missingMfa(services.settings.enable2fa, membership, account, true),
    emailVerified: givesAccess(account, membership, null) || (await isOfProvider(db, key)),
    partnerActive: membership.scope === 'system' ? true : membership.partnerStatus === 'active',
  }
}

/** The current permissions of a key; none when its creator lost access to the key's tenant. */
export const permissionsOfKey = (services: Services, key: Key): Promise<ReadonlySet<Permission>> =>
  asSystem(services.system, async (db) => (await callerBehind(services, db, key))?.permissions ?? new Set())

/** The membership that gives the key its permissions: its creator's in the key's tenant, or a wider one that reaches it. */
async function membershipBehind(db: Db, key: Key) {
  const own = await membershipIn(db, key.userId, key)
  if (own !== undefined || key.orgId === null) return own
  const { orgId, partnerId } = key
  const alive = await db
    .selectFrom('organizations')
    .select('id')
    .where('id', '=', orgId)
    .where('deletedAt', 'is', null)
    .executeTakeFirst()
  if (alive === undefined) return undefined
  return (await membershipsOf(db, key.userId)).find((membership) => {
    if (membership.scope === 'system') return true
    if (membership.scope !== 'partner' || membership.partnerId !== partnerId) return false
    return membership.orgAccess === 'all' || (membership.orgAccess === 'selected' && membership.orgIds?.includes(orgId))
  })
}

/** A creator with an unproven mailbox can only have made the key in a session of the organization's identity provider. */
async function isOfProvider(db: Db, { userId, orgId }: Key): Promise<boolean> {
  const identity = await db
    .selectFrom('ssoIdentities')
    .select('id')
    .where('userId', '=', userId)
    .where('orgId', '=', orgId)
    .executeTakeFirst()
  return identity !== undefined
}

function heldScopes(scopes: readonly string[], held: Pick<Caller, 'permissions'>): ReadonlySet<Permission> {
  if (scopes.includes('*:*')) return held.permissions
  const given = scopes.filter(isPermission)
  return new Set(given.filter((scope) => hasPermission(held, scope)))
}

const recorded = new Map<string, number>()

/** Records when and from where a key was used, at most once a minute. Requests do not wait for it. */
function recordUse({ system, clock, log }: Services, keyId: string, ip: string): void {
  const now = clock.now()
  if (now - (recorded.get(keyId) ?? 0) < recordEveryMs) return
  if (recorded.size >= recordedMax) recorded.clear()
  recorded.set(keyId, now)
  void system
    .query('UPDATE api_keys SET last_used_at = $2, last_used_ip = $3 WHERE id = $1', [keyId, new Date(now), ip])
    .catch((error: unknown) => log.warn({ err: error, apiKey: keyId }, 'could not record the use of an API key'))
}
