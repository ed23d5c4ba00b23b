import type { Db } from '@muster/db/database.ts'
import { type Page, paged } from '@muster/db/page.ts'
import type { Caller } from '@muster/kit/access.ts'
import { notFound } from '@muster/kit/errors.ts'
import { unseal } from '@muster/kit/secrets/sealed.ts'
import type { Services } from '../../../services.ts'
import { within } from '../../../tenancy/tenancy/index.ts'
import type { Registration } from '../identity-provider.ts'
import { AttributeMapping, type Provider } from './providers.contract.ts'

const columns = [
  'ssoProviders.id',
  'ssoProviders.orgId',
  'ssoProviders.partnerId',
  'ssoProviders.name',
  'ssoProviders.type',
  'ssoProviders.preset',
  'ssoProviders.status',
  'ssoProviders.issuer',
  'ssoProviders.clientId',
  'ssoProviders.clientSecret',
  'ssoProviders.scopes',
  'ssoProviders.attributeMapping',
  'ssoProviders.autoProvision',
  'ssoProviders.defaultRoleId',
  'ssoProviders.allowedDomains',
  'ssoProviders.enforceSso',
  'ssoProviders.trustMfa',
  'ssoProviders.provenAt',
  'ssoProviders.scimTokenPrefix',
  'ssoProviders.scimTokenCreatedAt',
  'ssoProviders.scimPreviousExpiresAt',
  'ssoProviders.scimLastUsedAt',
  'ssoProviders.createdAt',
  'ssoProviders.updatedAt',
] as const

const selected = (db: Db) => db.selectFrom('ssoProviders').select(columns)
/** A provider with all stored columns, including secrets. It never leaves the server. */
export type ProviderRow = Awaited<ReturnType<ReturnType<typeof selected>['executeTakeFirstOrThrow']>>

/** Records that a test or a sign-in succeeded with the current settings. */
export async function recordProven(db: Db, { id, issuer, clientId }: ProviderRow, at: string): Promise<void> {
  await db
    .updateTable('ssoProviders')
    .set({ provenAt: at })
    .where('id', '=', id)
    .where('issuer', '=', issuer)
    .where('clientId', '=', clientId)
    .where('provenAt', 'is', null)
    .execute()
}

export const secretContext = (providerId: string) => `client secret of identity provider ${providerId}`

/** The redirect URI, which is the same for all providers. */
export const redirectUriOf = ({ settings }: Pick<Services, 'settings'>): string =>
  `${settings.publicUrl}/api/v1/sso/callback`

export const loginPathOf = ({ orgId, id }: Pick<ProviderRow, 'orgId' | 'id'>): string =>
  `/api/v1/sso/login/${orgId}?provider=${id}`

/** The provider without its secrets. */
export function shown(services: Pick<Services, 'settings'>, row: ProviderRow): Provider {
  const { clientSecret, enforceSso, scimTokenPrefix, scimTokenCreatedAt, scimPreviousExpiresAt, scimLastUsedAt } = row
  const { publicUrl } = services.settings
  return {
    ...row,
    attributeMapping: AttributeMapping.parse(row.attributeMapping),
    hasClientSecret: clientSecret !== null,
    enforceSSO: enforceSso,
    redirectUri: redirectUriOf(services),
    loginUrl: `${publicUrl}${loginPathOf(row)}`,
    scim: {
      baseUrl: `${publicUrl}/scim/v2`,
      tokenPrefix: scimTokenPrefix,
      tokenCreatedAt: scimTokenCreatedAt,
      previousExpiresAt: scimPreviousExpiresAt,
      lastUsedAt: scimLastUsedAt,
    },
  }
}

/** The client registration, with the secret decrypted. */
export const registrationOf = ({ keyring }: Pick<Services, 'keyring'>, row: ProviderRow): Registration => ({
  issuer: row.issuer,
  clientId: row.clientId,
  clientSecret: row.clientSecret === null ? null : unseal(keyring, row.clientSecret, secretContext(row.id)),
})

/** Providers of live organizations within the caller's reach. */
export const providersInReach = (db: Db, caller: Caller) =>
  db
    .selectFrom('ssoProviders')
    .innerJoin('organizations', 'organizations.id', 'ssoProviders.orgId')
    .where('organizations.deletedAt', 'is', null)
    .where(within(caller, 'ssoProviders.orgId', 'ssoProviders.partnerId'))

/** One page of them, oldest first. */
export const pageOfProviders = (query: ReturnType<typeof providersInReach>, page: Page) =>
  paged(query.select(columns).orderBy('ssoProviders.createdAt').orderBy('ssoProviders.id'), page)

/**
 * @param why changes lock the provider before its identities and sessions, so that they are serialized
 * @throws NOT_FOUND for a provider that does not exist or is out of reach
 */
export async function providerById(
  db: Db,
  caller: Caller,
  id: string,
  why: 'to read' | 'to change' = 'to read',
): Promise<ProviderRow> {
  const row = await providersInReach(db, caller)
    .select(columns)
    .where('ssoProviders.id', '=', id)
    .$if(why === 'to change', (query) => query.forUpdate('ssoProviders'))
    .executeTakeFirst()
  if (row === undefined) throw notFound('SSO provider')
  return row
}

/** Active providers of active tenants, for sign-ins: the enforced ones first, then the oldest. */
export const activeProviders = (db: Db): ReturnType<typeof selected> =>
  selected(db)
    .innerJoin('organizations', 'organizations.id', 'ssoProviders.orgId')
    .innerJoin('partners', 'partners.id', 'ssoProviders.partnerId')
    .where('organizations.deletedAt', 'is', null)
    .where('partners.deletedAt', 'is', null)
    .where('partners.status', '=', 'active')
    .where('ssoProviders.status', '=', 'active')
    .orderBy('enforceSso', 'desc')
    .orderBy('ssoProviders.createdAt')
    .orderBy('ssoProviders.id')

export const activeProvidersOf = (db: Db, orgId: string): Promise<ProviderRow[]> =>
  activeProviders(db).where('ssoProviders.orgId', '=', orgId).execute()

export const findActiveProvider = (db: Db, id: string): Promise<ProviderRow | undefined> =>
  activeProviders(db).where('ssoProviders.id', '=', id).executeTakeFirst()
