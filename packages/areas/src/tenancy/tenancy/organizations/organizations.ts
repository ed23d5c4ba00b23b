import type { Db } from '@muster/db/database.ts'
import type { JsonObject } from '@muster/db/json.ts'
import { emptyPage, paged } from '@muster/db/page.ts'
import type { Caller } from '@muster/kit/access.ts'
import { badRequest, denied, invalid, notFound } from '@muster/kit/errors.ts'
import { z } from 'zod'
import { callersOf } from '../../../caller-cache.ts'
import { type Call, implement } from '../../../operation.ts'
import { claimOrganization } from '../caps.ts'
import { mergeSettings } from '../partners/merge-settings.ts'
import { reachesNothing, requireUnlimited, within } from '../reach.ts'
import { organizations as contract, type Organization } from './organizations.contract.ts'
import { inSavedOrder, reachableOrganizations, savedOrder } from './organizations.queries.ts'

export default implement(contract, {
  async all({ caller, db }) {
    if (reachesNothing(caller)) return { data: [] }
    const order = await savedOrder(db, caller.partnerId)
    return { data: await inSavedOrder(reachableOrganizations(db, caller), order).selectAll('organizations').execute() }
  },

  async list({ caller, input: { page, limit, partnerId }, db }) {
    if (caller.scope === 'partner') requireOwnPartner(caller, partnerId)
    if (reachesNothing(caller)) return emptyPage({ page, limit })
    const order = await savedOrder(db, caller.partnerId ?? partnerId ?? null)
    const reachable = reachableOrganizations(db, caller).$if(partnerId !== undefined, (query) =>
      query.where('organizations.partnerId', '=', partnerId ?? ''),
    )
    return paged(inSavedOrder(reachable, order).selectAll('organizations'), { page, limit })
  },

  async create({ caller, input, db, audit }) {
    const partnerId = partnerForNew(caller, input.partnerId)
    requireContractDates(input)
    await claimOrganization(db, partnerId)
    const organization = await db
      .insertInto('organizations')
      .values({ ...input, partnerId, settings: mergeSettings({}, input.settings ?? {}) })
      .returningAll()
      .executeTakeFirstOrThrow()
    const { id, name, status, type } = organization
    audit({
      target: id,
      name,
      orgId: id,
      partnerId,
      after: organization,
      details: { partnerId, status, type },
    })
    return organization
  },

  async get({ caller, input, db }) {
    return organizationById(db, caller, input.id)
  },

  async update(call) {
    const { caller, input, db, audit, afterCommit, services } = call
    const { id, settings, ...changes } = input
    const before = await organizationById(db, caller, id, 'to change')
    requireContractDates({ ...before, ...changes })
    const merged = settings === undefined ? {} : { settings: mergeSettings(before.settings, settings) }
    requirePersonForSecurity(caller, before, { ...before, ...changes, ...merged })
    if (weakensSecondFactor(before.settings, merged.settings ?? before.settings)) await call.stepUp()
    const after = await db
      .updateTable('organizations')
      .set({ ...changes, ...merged })
      .where('id', '=', id)
      .returningAll()
      .executeTakeFirstOrThrow()
    audit({ target: id, name: after.name, orgId: id, partnerId: after.partnerId, before, after })
    afterCommit(() => callersOf(services).clear())
    return after
  },

  async remove({ caller, input, db, audit, afterCommit, services }) {
    const { id } = input
    const before = await organizationById(db, caller, id, 'to change')
    const deletedAt = new Date(services.clock.now()).toISOString()
    await db.updateTable('organizations').set({ deletedAt }).where('id', '=', id).execute()
    audit({ target: id, name: before.name, orgId: id, partnerId: before.partnerId, before })
    afterCommit(() => callersOf(services).clear())
    return { success: true as const }
  },

  async order(call) {
    requireUnlimited(call.caller)
    return saveOrder(call, call.caller.partnerId ?? '')
  },
})

const Security = z.object({
  requireMfa: z.boolean().catch(false),
  allowedMfaMethods: z.object({ sms: z.boolean().catch(true) }).catch({ sms: true }),
})
const securityOf = ({ security }: JsonObject) => Security.parse(security ?? {})

/** Whether the change accepts weaker second factors, or none. */
function weakensSecondFactor(now: JsonObject, wanted: JsonObject): boolean {
  const [before, after] = [securityOf(now), securityOf(wanted)]
  const allowsSms = !before.allowedMfaMethods.sms && after.allowedMfaMethods.sms
  return (before.requireMfa && !after.requireMfa) || allowsSms
}

/** A stolen API key must not be able to change how users sign in. @throws FORBIDDEN */
function requirePersonForSecurity(caller: Caller, before: Organization, after: Organization): void {
  if (caller.sessionId !== null) return
  const security = ({ settings, ssoConfig }: Organization) =>
    JSON.stringify([settings.security ?? null, ssoConfig ?? null])
  if (security(before) === security(after)) return
  throw denied(`${caller.kindName} cannot change settings.security or ssoConfig. Sign in to change them`)
}

function requireOwnPartner(caller: Caller, partnerId: string | undefined): void {
  if (partnerId !== undefined && partnerId !== caller.partnerId) throw denied('Access denied to this partner')
}

function partnerForNew(caller: Caller, partnerId: string | undefined): string {
  if (caller.scope === 'system') {
    if (partnerId === undefined) throw badRequest('partnerId is required for system scope')
    return partnerId
  }
  if (caller.partnerId === null) throw badRequest('Partner context required to create organizations')
  requireOwnPartner(caller, partnerId)
  requireUnlimited(caller)
  return caller.partnerId
}

function requireContractDates({ contractStart, contractEnd }: Partial<Organization>): void {
  if (contractStart == null || contractEnd == null || contractStart <= contractEnd) return
  throw invalid('contractEnd: must not be before contractStart')
}

async function organizationById(
  db: Db,
  caller: Caller,
  id: string,
  why: 'to read' | 'to change' = 'to read',
): Promise<Organization> {
  const organization = await db
    .selectFrom('organizations')
    .selectAll()
    .where('id', '=', id)
    .where('deletedAt', 'is', null)
    .where(within(caller, 'id', 'partnerId'))
    .$if(why === 'to change', (query) => query.forNoKeyUpdate())
    .executeTakeFirst()
  if (organization === undefined) throw notFound('Organization')
  return organization
}

/** Saves the known organizations in the given order, once each, and appends the others by time of creation. */
async function saveOrder({ db, input, audit }: Call<{ organizationOrder: string[] }>, partnerId: string) {
  const partner = await db
    .selectFrom('partners')
    .select(['name', 'settings'])
    .where('id', '=', partnerId)
    .forNoKeyUpdate()
    .executeTakeFirstOrThrow()
  const live = await db
    .selectFrom('organizations')
    .select('id')
    .where('partnerId', '=', partnerId)
    .where('deletedAt', 'is', null)
    .orderBy('createdAt')
    .orderBy('id')
    .execute()
  const known = new Set(live.map(({ id }) => id))
  const wanted = input.organizationOrder.map((id) => id.toLowerCase()).filter((id) => known.has(id))
  const organizationOrder = [...new Set([...wanted, ...known])]
  await db
    .updateTable('partners')
    .set({ settings: { ...partner.settings, organizationOrder } })
    .where('id', '=', partnerId)
    .execute()
  const before = { organizationOrder: partner.settings.organizationOrder ?? [] }
  audit({ target: partnerId, name: partner.name, before, after: { organizationOrder } })
  return { organizationOrder }
}
