// The SCIM token of a provider, with which the provider maintains the members of its organization. Only its hash is stored.
import { randomBytes } from 'node:crypto'
import { asSystem } from '@muster/db/database.ts'
import { notFound } from '@muster/kit/errors.ts'
import { peppered } from '@muster/kit/secrets/keyring.ts'
import { implement } from '../../operation.ts'
import type { Services } from '../../services.ts'
import { requireUnlimited } from '../../tenancy/tenancy/index.ts'
import { scimTokens as contract } from './providers/providers.contract.ts'
import { providerById, shown } from './providers/providers.queries.ts'

const prefixLength = 12
const recordEveryMs = 60_000

export default implement(contract, {
  async rotate({ caller, input, db, services, audit }) {
    requireUnlimited(caller)
    const before = await providerById(db, caller, input.id, 'to change')
    const token = `scim_${randomBytes(32).toString('base64url')}`
    const now = services.clock.now()
    const overlaps = input.overlapSeconds > 0
    await db
      .updateTable('ssoProviders')
      .set((eb) => ({
        scimTokenHash: peppered(services.keyring, token),
        scimTokenPrefix: token.slice(0, prefixLength),
        scimTokenCreatedAt: new Date(now).toISOString(),
        scimPreviousHash: overlaps ? eb.ref('scimTokenHash') : null,
        scimPreviousExpiresAt: overlaps ? new Date(now + input.overlapSeconds * 1000).toISOString() : null,
      }))
      .where('id', '=', before.id)
      .execute()
    const { scim, name, orgId, partnerId } = shown(services, await providerById(db, caller, before.id))
    const details = { from: before.scimTokenPrefix, to: scim.tokenPrefix, previousExpiresAt: scim.previousExpiresAt }
    audit({ target: before.id, name, orgId, partnerId, details })
    return { ...scim, token }
  },

  async revoke({ caller, input, db, audit }) {
    requireUnlimited(caller)
    const { id, name, orgId, partnerId, scimTokenPrefix } = await providerById(db, caller, input.id, 'to change')
    if (scimTokenPrefix === null) throw notFound('SCIM token')
    await db
      .updateTable('ssoProviders')
      .set({ scimTokenHash: null, scimTokenPrefix: null, scimTokenCreatedAt: null })
      .set({ scimPreviousHash: null, scimPreviousExpiresAt: null })
      .where('id', '=', id)
      .execute()
    audit({ target: id, name, orgId, partnerId, details: { prefix: scimTokenPrefix } })
    return { success: true as const }
  },
})

/** The provider of a SCIM token, and its organization. */
export interface ScimProvider {
  readonly id: string
  readonly name: string
  readonly orgId: string
  readonly partnerId: string
  readonly orgName: string
  readonly orgStatus: 'active' | 'suspended' | 'trial' | 'churned'
  readonly defaultRoleId: string | null
}

/** Null for a token that is unknown, revoked or expired, or whose tenant is inactive. */
export async function providerOfScimToken(services: Services, token: string): Promise<ScimProvider | null> {
  if (!/^scim_[\w-]{43}$/.test(token)) return null
  const hash = peppered(services.keyring, token)
  const now = new Date(services.clock.now()).toISOString()
  return asSystem(services.system, async (db) => {
    const found = await db
      .selectFrom('ssoProviders')
      .innerJoin('organizations', 'organizations.id', 'ssoProviders.orgId')
      .innerJoin('partners', 'partners.id', 'ssoProviders.partnerId')
      .select(['ssoProviders.id', 'ssoProviders.name', 'ssoProviders.orgId', 'ssoProviders.partnerId'])
      .select([
        'ssoProviders.defaultRoleId',
        'ssoProviders.scimLastUsedAt',
        'organizations.name as orgName',
        'organizations.status as orgStatus',
      ])
      .where((eb) =>
        eb.or([
          eb('scimTokenHash', '=', hash),
          eb.and([eb('scimPreviousHash', '=', hash), eb('scimPreviousExpiresAt', '>', now)]),
        ]),
      )
      .where('ssoProviders.status', '!=', 'inactive')
      .where('organizations.deletedAt', 'is', null)
      .where('partners.deletedAt', 'is', null)
      .where('partners.status', '=', 'active')
      .executeTakeFirst()
    if (found === undefined) return null
    const { scimLastUsedAt, ...provider } = found
    if (scimLastUsedAt === null || Date.parse(scimLastUsedAt) < services.clock.now() - recordEveryMs) {
      await db.updateTable('ssoProviders').set({ scimLastUsedAt: now }).where('id', '=', provider.id).execute()
    }
    return provider
  })
}
