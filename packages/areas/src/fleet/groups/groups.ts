import { emptyPage, paged } from '@muster/db/page.ts'
import { invalid, notFound } from '@muster/kit/errors.ts'
import { sql } from 'kysely'
import { removeGroupFromMembers } from '../../access/memberships/index.ts'
import { implement } from '../../operation.ts'
import { reachesNothing, requireLocation, requireWorkingOrganization } from '../../tenancy/tenancy/index.ts'
import { conditionOf } from '../devices/index.ts'
import { type Filter, FilterExpression, fieldsUsed } from '../filter-language/filter.contract.ts'
import { previewOf } from '../filters/index.ts'
import { groupById, requireNotLimitedToGroups, selectGroups } from './group.queries.ts'
import { groups as contract } from './groups.contract.ts'
import { addMembers, type Skipped } from './members.queries.ts'
import { evaluateGroup } from './membership.ts'

/** @throws VALIDATION_ERROR with the devices that the group cannot contain */
function requireAll({ skipped }: { readonly skipped: readonly Skipped[] }): void {
  if (skipped.length === 0) return
  const named = skipped.slice(0, 5).map(({ deviceId, reason }) => `${deviceId} (${reason})`)
  const more = skipped.length > named.length ? ` and ${skipped.length - named.length} more` : ''
  throw invalid(`deviceIds: ${named.join(', ')}${more}`, { skipped: skipped.slice(0, 100) })
}

const stored = (filter: Filter) => ({ filter: JSON.stringify(filter), fieldsUsed: [...fieldsUsed(filter)] })

export default implement(contract, {
  async list({ caller, input: { page, limit, orgId, siteId, type, search }, db }) {
    if (reachesNothing(caller)) return emptyPage({ page, limit })
    const found = selectGroups(db, caller)
      .$if(orgId !== undefined, (query) => query.where('orgId', '=', orgId ?? ''))
      .$if(siteId !== undefined, (query) => query.where('siteId', '=', siteId ?? ''))
      .$if(type !== undefined, (query) => query.where('type', '=', type ?? 'static'))
      .$if(search !== undefined, (query) => query.where(sql<boolean>`strpos(lower(name), lower(${search}::text)) > 0`))
    return paged(found.orderBy('name').orderBy('id'), { page, limit })
  },

  async create(call) {
    const { caller, db, audit } = call
    const { filter, deviceIds, type = filter === undefined ? 'static' : 'dynamic', ...input } = call.input
    if ((type === 'dynamic') !== (filter !== undefined))
      throw invalid('filter: a dynamic group needs one, a static group has none')
    if (filter !== undefined && deviceIds !== undefined)
      throw invalid('deviceIds: the filter of a dynamic group chooses its devices')
    const unknown = invalid('siteId: is not a site of the organization')
    const { partnerId } = await requireLocation(db, caller, input, { unknown })
    requireNotLimitedToGroups(caller, 'create a group')
    if (filter !== undefined) await conditionOf(db, filter, { partnerId, orgId: input.orgId })
    const made = await db
      .insertInto('deviceGroups')
      .values({ ...input, partnerId, type, createdBy: caller.userId, ...(filter === undefined ? {} : stored(filter)) })
      .returningAll()
      .executeTakeFirstOrThrow()
    if (filter !== undefined) await evaluateGroup(db, made, null, true)
    if (deviceIds !== undefined) requireAll(await addMembers(db, caller, made, deviceIds))
    audit({ target: made.id, name: made.name, orgId: made.orgId, partnerId, after: made })
    return groupById(db, caller, made.id)
  },

  async get({ caller, input, db }) {
    return groupById(db, caller, input.id)
  },

  async update(call) {
    const { caller, db, audit } = call
    const { id, filter, ...changes } = call.input
    const before = await groupById(db, caller, id)
    await requireWorkingOrganization(db, caller, before.orgId)
    if (filter !== undefined) requireNotLimitedToGroups(caller, 'change the filter of a group')
    if (filter !== undefined && before.type === 'static') throw invalid('filter: a static group has none')
    if (filter !== undefined) await conditionOf(db, filter, before)
    const row = await db
      .updateTable('deviceGroups')
      .set({ ...changes, ...(filter === undefined ? {} : stored(filter)), updatedAt: sql<string>`now()` })
      .where('id', '=', id)
      .returningAll()
      .executeTakeFirstOrThrow()
    if (filter !== undefined) await evaluateGroup(db, row, null)
    const after = await groupById(db, caller, id)
    audit({ target: id, name: after.name, orgId: after.orgId, partnerId: after.partnerId, before, after })
    return after
  },

  async remove({ caller, input, db, audit }) {
    const before = await groupById(db, caller, input.id)
    requireNotLimitedToGroups(caller, 'delete a group')
    await requireWorkingOrganization(db, caller, before.orgId)
    const { numDeletedRows } = await db.deleteFrom('deviceGroups').where('id', '=', before.id).executeTakeFirst()
    if (numDeletedRows === 0n) throw notFound('Group')
    await removeGroupFromMembers(db, before)
    audit({ target: before.id, name: before.name, orgId: before.orgId, partnerId: before.partnerId, before })
    return { success: true as const }
  },

  async preview({ caller, input, db, services }) {
    const group = await groupById(db, caller, input.id)
    const filter = input.filter ?? (group.filter === null ? undefined : FilterExpression.parse(group.filter))
    if (filter === undefined) throw invalid('filter: a static group has none of its own')
    const condition = await conditionOf(db, filter, group)
    const ofSite =
      group.siteId === null ? condition : sql<boolean>`(devices.site_id = ${group.siteId}::uuid AND ${condition})`
    return previewOf(db, caller, ofSite, { orgId: group.orgId, limit: input.limit, nowMs: services.clock.now() })
  },
})
