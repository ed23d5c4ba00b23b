import { randomBytes } from 'node:crypto'
import { paged } from '@muster/db/page.ts'
import { type Caller, hasPermission } from '@muster/kit/access.ts'
import { badRequest, conflict, denied, invalid, notFound } from '@muster/kit/errors.ts'
import { type Keyring, peppered } from '@muster/kit/secrets/keyring.ts'
import type { Permission } from '@muster/kit/vocabulary.ts'
import { sql } from 'kysely'
import { callersOf } from '../../caller-cache.ts'
import { type Call, implement } from '../../operation.ts'
import { findOrganization, isLimited } from '../../tenancy/tenancy/index.ts'
import { requireNotGreater } from '../roles/index.ts'
import { permissionsOfKey } from './credential.ts'
import { type ApiKey, keys as contract } from './keys.contract.ts'

const day = 86_400_000
const defaultDays = 90
const daysMax = 366
const keysPerUserMax = 50
const prefixLength = 12

const status = sql<'active' | 'expired' | 'revoked'>`CASE WHEN revoked_at IS NOT NULL THEN 'revoked'
  WHEN expires_at <= now() THEN 'expired' ELSE 'active' END`
const columns = [
  'id',
  'name',
  'prefix',
  'scope',
  'partnerId',
  'orgId',
  'userId',
  'scopes',
  'allowedAddresses',
  'requestsPerMinute',
  'expiresAt',
  'previousExpiresAt',
  'lastUsedAt',
  'lastUsedIp',
  'createdAt',
  'updatedAt',
] as const

/** The prefix tells users and secret scanners what the text is. */
function newSecret(keyring: Keyring) {
  const key = `msk_${randomBytes(32).toString('base64url')}`
  return { key, prefix: key.slice(0, prefixLength), keyHash: peppered(keyring, key) }
}

export default implement(contract, {
  async list({ caller, db, input: { page, limit, ...input } }) {
    const found = reachable({ caller, db })
      .$if(input.status !== undefined, (query) => query.where(status, '=', input.status ?? 'active'))
      .$if(input.orgId !== undefined, (query) => query.where('orgId', '=', input.orgId ?? ''))
      .$if(input.userId !== undefined, (query) => query.where('userId', '=', input.userId ?? ''))
    return paged(found.select(columns).select(status.as('status')).orderBy('createdAt', 'desc').orderBy('id'), {
      page,
      limit,
    })
  },

  async get(call) {
    return keyById(call, call.input.id)
  },

  async create(call) {
    const { caller, input, db, services, audit } = call
    requireHeld(caller, input.scopes)
    const place = await tenantOfKey(call, input.orgId)
    await requireFreeSlot(call)
    const expiresAt = expiryOf(services.clock.now(), input.expiresAt)
    const { key, ...secret } = newSecret(services.keyring)
    const { scopes, name, allowedAddresses, requestsPerMinute } = input
    const made = await db
      .insertInto('apiKeys')
      .values({
        ...place,
        ...secret,
        userId: caller.userId,
        name,
        scopes,
        allowedAddresses,
        requestsPerMinute,
        expiresAt,
      })
      .returning(columns)
      .returning(status.as('status'))
      .executeTakeFirstOrThrow()
    audit({ target: made.id, name, partnerId: made.partnerId, orgId: made.orgId, after: made })
    return { ...made, key }
  },

  async update(call) {
    const { caller, db, services, audit, afterCommit } = call
    const { id, expiresAt, ...changes } = call.input
    const before = await ownKey(call, id)
    if (changes.scopes !== undefined) requireHeld(caller, changes.scopes)
    const later = expiresAt === undefined ? {} : { expiresAt: expiryOf(services.clock.now(), expiresAt) }
    if (isWider(before, { ...before, ...changes, ...later })) await call.stepUp()
    const changed = await db
      .updateTable('apiKeys')
      .set({ ...changes, ...later })
      .where('id', '=', id)
      .returning(columns)
      .returning(status.as('status'))
      .executeTakeFirstOrThrow()
    audit({
      target: id,
      name: changed.name,
      partnerId: changed.partnerId,
      orgId: changed.orgId,
      before,
      after: changed,
    })
    afterCommit(() => callersOf(services).clear())
    return changed
  },

  async rotate(call) {
    const { db, services, audit, afterCommit, input } = call
    const before = await ownKey(call, input.id)
    const { key, ...secret } = newSecret(services.keyring)
    const overlaps = input.overlapSeconds > 0
    const rotated = await db
      .updateTable('apiKeys')
      .set((eb) => ({
        ...secret,
        previousHash: overlaps ? eb.ref('keyHash') : null,
        previousExpiresAt: overlaps ? new Date(services.clock.now() + input.overlapSeconds * 1000).toISOString() : null,
      }))
      .where('id', '=', input.id)
      .returning(columns)
      .returning(status.as('status'))
      .executeTakeFirstOrThrow()
    const { partnerId, orgId, name, prefix, previousExpiresAt } = rotated
    audit({ target: input.id, name, partnerId, orgId, details: { from: before.prefix, to: prefix, previousExpiresAt } })
    afterCommit(() => callersOf(services).clear())
    return { ...rotated, key }
  },

  async revoke(call) {
    const { db, services, audit, afterCommit, input } = call
    const key = await keyById(call, input.id)
    const { name, partnerId, orgId, prefix, ...before } = key
    if (before.status === 'revoked') throw notFound('API key')
    await requireNotGreaterKey(call, key)
    const { numUpdatedRows } = await db
      .updateTable('apiKeys')
      .set({ revokedAt: new Date(services.clock.now()).toISOString() })
      .where('id', '=', input.id)
      .where('revokedAt', 'is', null)
      .executeTakeFirst()
    if (numUpdatedRows === 0n) throw notFound('API key')
    audit({ target: input.id, name, partnerId, orgId, details: { prefix, userId: before.userId } })
    afterCommit(() => callersOf(services).clear())
    return { success: true as const }
  },
})

/**
 * The caller's own keys in the tenant of the session, and those of others there. A key acts in the whole tenant, so members
 * limited to sites or groups see only their own keys.
 */
const reachable = ({ caller, db }: Pick<Call, 'caller' | 'db'>) =>
  db.selectFrom('apiKeys').where((eb) => {
    if (caller.scope === 'system') return eb.lit(true)
    const own = eb('userId', '=', caller.userId)
    if (caller.scope === 'organization')
      return eb.and([eb('orgId', '=', caller.orgId), ...(isLimited(caller) ? [own] : [])])
    const ofPartner = eb('partnerId', '=', caller.partnerId)
    if (caller.orgAccess === 'all') return ofPartner
    const inReach = eb('orgId', '=', eb.fn.any(eb.val([...(caller.accessibleOrgIds ?? [])])))
    return eb.and([ofPartner, eb.or([own, inReach])])
  })

async function keyById(call: Call, id: string): Promise<ApiKey> {
  const key = await reachable(call).select(columns).select(status.as('status')).where('id', '=', id).executeTakeFirst()
  if (key === undefined) throw notFound('API key')
  return key
}

/** A new secret or wider scopes would let the caller act in the name of the creator, so only the creator may ask for them. */
async function ownKey(call: Call, id: string): Promise<ApiKey> {
  const key = await keyById(call, id)
  if (key.userId !== call.caller.userId) throw denied('Only the user who created an API key can change it')
  if (key.status === 'revoked') throw conflict('This API key is revoked. Create a new one')
  await requireNotGreaterKey(call, key)
  return key
}

/** @throws FORBIDDEN when the key currently allows more than the caller may do */
async function requireNotGreaterKey({ caller, services }: Call, key: ApiKey): Promise<void> {
  requireNotGreater(caller, 'an API key', await permissionsOfKey(services, key))
}

type Width = Pick<ApiKey, 'scopes' | 'allowedAddresses' | 'requestsPerMinute' | 'expiresAt'>

/** An empty list of addresses means any address, so emptying it widens the key. */
function isWider(before: Width, after: Width): boolean {
  const isAdded = (list: 'scopes' | 'allowedAddresses') => after[list].some((entry) => !before[list].includes(entry))
  const isOpened =
    before.allowedAddresses.length > 0 && (after.allowedAddresses.length === 0 || isAdded('allowedAddresses'))
  const isLater = Date.parse(after.expiresAt) > Date.parse(before.expiresAt)
  return isAdded('scopes') || isOpened || isLater || after.requestsPerMinute > before.requestsPerMinute
}

function requireHeld(caller: Caller, scopes: readonly Permission[]): void {
  const beyond = scopes.filter((scope) => !hasPermission(caller, scope))
  if (beyond.length > 0)
    throw denied(`scopes: you cannot give a key permissions that you do not hold: ${beyond.join(', ')}`)
}

/** The tenant of the key: the creator's, or one of the organizations within reach. */
async function tenantOfKey({ caller, db }: Call, orgId: string | undefined) {
  const { scope, partnerId } = caller
  if (orgId === undefined || orgId === caller.orgId) return { scope, partnerId, orgId: caller.orgId }
  const organization = await findOrganization(db, caller, orgId)
  if (organization === undefined) throw notFound('Organization')
  return { scope: 'organization', partnerId: organization.partnerId, orgId } as const
}

async function requireFreeSlot({ caller, db }: Call): Promise<void> {
  // Serialize, so that simultaneous requests count each other's keys.
  await sql`SELECT pg_advisory_xact_lock(hashtextextended(${`API keys ${caller.userId}`}, 0))`.execute(db)
  const { count } = await db
    .selectFrom('apiKeys')
    .select((eb) => eb.fn.countAll<number>().as('count'))
    .where('userId', '=', caller.userId)
    .where(status, '=', 'active')
    .executeTakeFirstOrThrow()
  if (count >= keysPerUserMax)
    throw badRequest(`A user can have at most ${keysPerUserMax} active API keys. Revoke one first`)
}

/** All keys expire, because leaked keys are often noticed late. */
function expiryOf(now: number, given: string | undefined): string {
  if (given === undefined) return new Date(now + defaultDays * day).toISOString()
  const at = Date.parse(given)
  if (at <= now) throw invalid('expiresAt: must be in the future')
  if (at > now + daysMax * day) throw invalid(`expiresAt: must be within ${daysMax} days`)
  return given
}
