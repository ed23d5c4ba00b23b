import { isOneOf } from '@muster/db/conditions.ts'
import type { Db } from '@muster/db/database.ts'
import { emptyPage, paged } from '@muster/db/page.ts'
import type { Caller } from '@muster/kit/access.ts'
import { denied, notFound } from '@muster/kit/errors.ts'
import { type Call, implement } from '../../../operation.ts'
import { findOrganization, requireWorking } from '../organizations/organizations.queries.ts'
import { mergeSettings } from '../partners/merge-settings.ts'
import { reachesNothing, requireWholeOrganization, within } from '../reach.ts'
import { sites as contract, type Site } from './sites.contract.ts'

export default implement(contract, {
  async list({ caller, input: { page, limit, ...input }, db }) {
    const orgId = input.orgId ?? input.organizationId
    if (reachesNothing(caller)) return emptyPage({ page, limit })
    const reachable = db
      .selectFrom('sites')
      .innerJoin('organizations', 'organizations.id', 'sites.orgId')
      .where('organizations.deletedAt', 'is', null)
      .where(within(caller, 'sites.orgId', 'sites.partnerId'))
      .$if(orgId !== undefined, (query) => query.where('sites.orgId', '=', orgId ?? ''))
      .$if(caller.siteIds !== null, (query) => query.where(isOneOf('sites.id', caller.siteIds ?? [])))
    return paged(reachable.selectAll('sites').orderBy('sites.name').orderBy('sites.id'), { page, limit })
  },

  async get(call) {
    return siteById(call, call.input.id)
  },

  async create({ caller, input, db, audit }) {
    requireWholeOrganization(caller)
    const organization = await organizationOrDenied(db, caller, input.orgId)
    requireWorking(organization)
    const { partnerId } = organization
    const site = await db
      .insertInto('sites')
      .values({ ...input, partnerId })
      .returningAll()
      .executeTakeFirstOrThrow()
    audit({ target: site.id, name: site.name, orgId: site.orgId, partnerId, after: site })
    return site
  },

  async update(call) {
    const { db, audit } = call
    const { id, settings, ...changes } = call.input
    const before = await siteById(call, id, 'to change')
    const merged = settings === undefined ? {} : { settings: mergeSettings(before.settings, settings) }
    const after = await db
      .updateTable('sites')
      .set({ ...changes, ...merged })
      .where('id', '=', id)
      .returningAll()
      .executeTakeFirstOrThrow()
    audit({ target: id, name: after.name, orgId: after.orgId, partnerId: after.partnerId, before, after })
    return after
  },

  async remove(call) {
    const { caller, db, audit, input } = call
    requireWholeOrganization(caller)
    const before = await siteById(call, input.id, 'to delete')
    const { orgId, partnerId } = before
    const endedKeys = await keysOf(db, input.id)
    await db.deleteFrom('sites').where('id', '=', input.id).execute()
    const details = endedKeys.length === 0 ? {} : { details: { enrollmentKeysEnded: endedKeys } }
    audit({ target: input.id, name: before.name, orgId, partnerId, before, ...details })
    return { success: true as const }
  },
})

/** The names of the keys that end with the site. */
async function keysOf(db: Db, siteId: string): Promise<string[]> {
  const ending = await db
    .selectFrom('enrollmentKeys')
    .select('name')
    .where('siteId', '=', siteId)
    .where('deviceId', 'is', null)
    .execute()
  return ending.map(({ name }) => name)
}

async function organizationOrDenied(db: Db, caller: Caller, orgId: string) {
  const organization = await findOrganization(db, caller, orgId)
  if (organization === undefined) throw denied('Access to this organization denied')
  return organization
}

/**
 * A site within the caller's reach. The contract distinguishes a site out of reach (403) from an unknown one (404). Sites of
 * a deleted organization are kept but cannot be found.
 */
async function siteById(
  { db, caller, services }: Call,
  id: string,
  why: 'to read' | 'to change' | 'to delete' = 'to read',
): Promise<Site & { partnerId: string }> {
  const site = await db
    .selectFrom('sites')
    .selectAll('sites')
    .innerJoin('organizations', 'organizations.id', 'sites.orgId')
    .select('organizations.status')
    .where('sites.id', '=', id)
    .where(within(caller, 'sites.orgId', 'sites.partnerId'))
    .where('organizations.deletedAt', 'is', null)
    .$if(caller.siteIds !== null, (query) => query.where(isOneOf('sites.id', caller.siteIds ?? [])))
    // Lock the row, so that a simultaneous deletion waits or this query finds nothing.
    .$if(why === 'to change', (query) => query.forNoKeyUpdate('sites'))
    // The stronger lock also keeps other rows from referring to it meanwhile.
    .$if(why === 'to delete', (query) => query.forUpdate('sites'))
    .executeTakeFirst()
  if (site === undefined) {
    const { rowCount } = await services.system.query('SELECT FROM sites WHERE id = $1', [id])
    throw caller.scope === 'system' || rowCount === 0 ? notFound('Site') : denied('Access to this site denied')
  }
  const { status, ...fields } = site
  if (why !== 'to read') requireWorking({ status })
  return fields
}
