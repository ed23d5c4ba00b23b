import { randomUUID } from 'node:crypto'
import { asCaller, type Db } from '@muster/db/database.ts'
import { emptyPage, paged } from '@muster/db/page.ts'
import type { Caller } from '@muster/kit/access.ts'
import { badRequest, conflict, invalid, notFound } from '@muster/kit/errors.ts'
import { seal } from '@muster/kit/secrets/sealed.ts'
import { callersOf } from '../../../caller-cache.ts'
import { type Call, implement } from '../../../operation.ts'
import {
  findOrganization,
  reachesNothing,
  requireUnlimited,
  requireWorkingTenant,
  type Tenant,
} from '../../../tenancy/tenancy/index.ts'
import { limitsOf, revokeSessionsOfProvider } from '../../auth/index.ts'
import { roleFor } from '../../roles/index.ts'
import { isSharedIssuer, presets } from './presets.rules.ts'
import { attemptDiscovery, examine } from './provider-examination.ts'
import { providers as contract, type Provider } from './providers.contract.ts'
import {
  type ProviderRow,
  pageOfProviders,
  providerById,
  providersInReach,
  recordProven,
  registrationOf,
  secretContext,
  shown,
} from './providers.queries.ts'

export default implement(contract, {
  async presets() {
    return { data: presets.map((preset) => ({ ...preset, attributeMapping: { ...preset.attributeMapping } })) }
  },

  async list({ caller, input: { page, limit, orgId }, db, services }) {
    if (orgId !== undefined) await organizationById(db, caller, orgId)
    if (reachesNothing(caller)) return emptyPage({ page, limit })
    const found = providersInReach(db, caller).$if(orgId !== undefined, (query) =>
      query.where('ssoProviders.orgId', '=', orgId ?? ''),
    )
    const { data, pagination } = await pageOfProviders(found, { page, limit })
    return { data: data.map((row) => shown(services, row)), pagination }
  },

  async get({ caller, input, db, services }) {
    return shown(services, await providerById(db, caller, input.id))
  },

  async create(call) {
    const { caller, input, db, services, audit, afterCommit, answerLater } = call
    requireUnlimited(caller)
    if (input.type === 'saml') throw badRequest('type: saml is not supported. Use oidc')
    const { orgId: _, clientSecret, enforceSSO, attributeMapping, ...fields } = input
    const tenant = await namedOrganization(call, input.orgId)
    await requireWorkingTenant(db, caller, tenant)
    await requireConsistent(db, tenant, input)
    const id = randomUUID()
    await db
      .insertInto('ssoProviders')
      .values({
        ...fields,
        id,
        orgId: tenant.orgId,
        partnerId: tenant.partnerId,
        clientSecret: clientSecret === null ? null : seal(services.keyring, clientSecret, secretContext(id)),
        attributeMapping: JSON.stringify(attributeMapping),
        enforceSso: enforceSSO,
      })
      .execute()
    const made = shown(services, await providerById(db, caller, id))
    audit({ ...subject(made), after: made })
    afterCommit(() => callersOf(services).clear())
    answerLater(async () => ({ ...made, discovery: await attemptDiscovery(services, made.issuer) }))
    return { ...made, discovery: null }
  },

  async update(call) {
    const { caller, input, db, services, audit, afterCommit, answerLater } = call
    requireUnlimited(caller)
    const { id, clientSecret, enforceSSO, attributeMapping, ...fields } = input
    const row = await providerById(db, caller, id, 'to change')
    const tenant = tenantOfProvider(row)
    await requireWorkingTenant(db, caller, tenant)
    await requireConsistent(db, tenant, { ...row, ...fields })
    const isAnother = (fields.issuer ?? row.issuer) !== row.issuer || (fields.clientId ?? row.clientId) !== row.clientId
    const enforces = enforceSSO ?? row.enforceSso
    if (row.status === 'active' && enforces && (isAnother || !row.enforceSso)) {
      requireProven(isAnother ? { provenAt: null } : row)
    }
    // A secret must not be sent to another provider whose URL is entered later.
    if (isAnother && row.clientSecret !== null && clientSecret === undefined) {
      throw invalid('clientSecret: is required again when the issuer or the client changes')
    }
    const secret =
      clientSecret === undefined || clientSecret === null
        ? clientSecret
        : seal(services.keyring, clientSecret, secretContext(id))
    await db
      .updateTable('ssoProviders')
      .set({
        ...fields,
        ...(secret === undefined ? {} : { clientSecret: secret }),
        ...(enforceSSO === undefined ? {} : { enforceSso: enforceSSO }),
        ...(attributeMapping === undefined ? {} : { attributeMapping: JSON.stringify(attributeMapping) }),
        ...(isAnother ? { provenAt: null } : {}),
        // Always written, so that a change of the secret alone updates the row.
        name: fields.name ?? row.name,
      })
      .where('id', '=', id)
      .execute()
    if (isAnother) await unlinkAll(db, id)
    const changed = shown(services, await providerById(db, caller, id))
    const secretChange = secret === undefined ? {} : { clientSecret: 'another' }
    audit({ ...subject(changed), before: shown(services, row), after: { ...changed, ...secretChange } })
    afterCommit(() => callersOf(services).clear())
    if (isAnother)
      answerLater(async () => ({ ...changed, discovery: await attemptDiscovery(services, changed.issuer) }))
    return { ...changed, discovery: null }
  },

  async remove({ caller, input, db, services, audit, afterCommit }) {
    requireUnlimited(caller)
    const row = await providerById(db, caller, input.id, 'to change')
    await unlinkAll(db, row.id)
    await db.deleteFrom('ssoProviders').where('id', '=', row.id).execute()
    audit({ ...subject(row), before: shown(services, row) })
    afterCommit(() => callersOf(services).clear())
    return { success: true as const }
  },

  async status(call) {
    const { caller, input, db, services, audit, afterCommit } = call
    requireUnlimited(caller)
    const row = await providerById(db, caller, input.id, 'to change')
    if (input.status === 'active') {
      await requireWorkingTenant(db, caller, tenantOfProvider(row))
      await requireConsistent(db, tenantOfProvider(row), row)
      if (row.enforceSso && row.status !== 'active') requireProven(row)
    }
    await db.updateTable('ssoProviders').set({ status: input.status }).where('id', '=', row.id).execute()
    if (input.status === 'inactive') await revokeSessionsOfProvider(db, row.id)
    const changed = shown(services, await providerById(db, caller, row.id))
    audit({ ...subject(row), before: { status: row.status }, after: { status: changed.status } })
    afterCommit(() => callersOf(services).clear())
    return changed
  },

  async test({ caller, input, services }) {
    requireUnlimited(caller)
    await limitsOf(services).take('ssoTestPerUser', caller.userId)
    const row = await asCaller(services.people, caller, 'read', (db) => providerById(db, caller, input.id))
    const report = await examine(services, registrationOf(services, row), row.scopes)
    const at = new Date(services.clock.now()).toISOString()
    if (report.success) await asCaller(services.people, caller, 'write', (db) => recordProven(db, row, at))
    return report
  },

  async identities({ caller, input: { id, page, limit }, db }) {
    const provider = await providerById(db, caller, id)
    const found = db.selectFrom('ssoIdentities').where('providerId', '=', provider.id)
    return paged(
      found
        .select(['id', 'providerId', 'userId', 'issuer', 'subject', 'email', 'createdAt', 'lastLoginAt'])
        .orderBy('email')
        .orderBy('id'),
      { page, limit },
    )
  },

  async unlink({ caller, input, db, services, audit, afterCommit }) {
    requireUnlimited(caller)
    const provider = await providerById(db, caller, input.id, 'to change')
    const gone = await db
      .deleteFrom('ssoIdentities')
      .where('id', '=', input.identityId)
      .where('providerId', '=', provider.id)
      .returning(['userId', 'email', 'subject'])
      .executeTakeFirst()
    if (gone === undefined) throw notFound('Identity')
    await revokeSessionsOfProvider(db, provider.id, gone.userId)
    const { orgId, partnerId } = provider
    audit({ target: gone.userId, name: gone.email, orgId, partnerId, details: { provider: provider.id, ...gone } })
    afterCommit(() => callersOf(services).clear())
    return { success: true as const }
  },
})

/** With an enforced provider that does not work, all members would be locked out. @throws CONFLICT */
function requireProven({ provenAt }: Pick<ProviderRow, 'provenAt'>): void {
  if (provenAt !== null) return
  throw conflict(
    'enforceSSO: the provider has not worked yet. Test it or sign in through it first, or turn enforceSSO off',
  )
}

const subject = ({ id, name, orgId, partnerId }: Pick<Provider, 'id' | 'name' | 'orgId' | 'partnerId'>) => ({
  target: id,
  name,
  orgId,
  partnerId,
})

type Organization = Tenant & { scope: 'organization' }
const tenantOfProvider = ({ orgId, partnerId }: ProviderRow): Organization => ({
  scope: 'organization',
  orgId,
  partnerId,
  name: '',
})

async function namedOrganization({ db, caller }: Call, orgId: string | undefined): Promise<Organization> {
  const wanted = orgId ?? caller.orgId
  if (wanted === null) throw invalid('orgId: is required')
  const { id, partnerId, name } = await organizationById(db, caller, wanted)
  return { scope: 'organization', orgId: id, partnerId, name }
}

async function organizationById(db: Db, caller: Caller, orgId: string) {
  const organization = await findOrganization(db, caller, orgId)
  if (organization === undefined) throw notFound('Organization')
  return organization
}

/** Checks rules that span several settings. @throws VALIDATION_ERROR; NOT_FOUND for a role that members cannot have */
async function requireConsistent(
  db: Db,
  tenant: Tenant,
  {
    autoProvision,
    defaultRoleId,
    issuer,
    allowedDomains,
  }: Pick<ProviderRow, 'autoProvision' | 'defaultRoleId' | 'issuer' | 'allowedDomains'>,
): Promise<void> {
  if (autoProvision && defaultRoleId === null) throw invalid('defaultRoleId: is required when autoProvision is on')
  if (autoProvision && allowedDomains === '' && isSharedIssuer(issuer)) {
    throw invalid(
      'allowedDomains: is required with autoProvision, because all customers of this provider share the issuer',
    )
  }
  if (defaultRoleId !== null) await roleFor(db, tenant, defaultRoleId)
}

/** Unlinks all users and ends the sessions that the provider opened. */
async function unlinkAll(db: Db, providerId: string): Promise<void> {
  await db.deleteFrom('ssoIdentities').where('providerId', '=', providerId).execute()
  await revokeSessionsOfProvider(db, providerId)
}
