import { allOf, anyOf, equals } from '@muster/db/conditions.ts'
import { paged } from '@muster/db/page.ts'
import type { Caller } from '@muster/kit/access.ts'
import { denied, notFound } from '@muster/kit/errors.ts'
import { sql } from 'kysely'
import { type Call, implement } from '../../operation.ts'
import { findOrganization, withinOrOfPartner } from '../../tenancy/tenancy/index.ts'
import { conditionOf } from '../devices/index.ts'
import { type Field, fields, operatorsOf } from '../filter-language/fields.contract.ts'
import { FilterExpression } from '../filter-language/filter.contract.ts'
import { previewOf } from './filter.queries.ts'
import { filters as contract, View } from './filters.contract.ts'

/** The caller's own filters and shared ones within reach. A filter shared with a partner is visible to its organizations. */
const readable = (caller: Caller) =>
  anyOf(
    equals('ownerId', caller.userId),
    allOf(equals('shared', true), withinOrOfPartner(caller, 'orgId', 'partnerId')),
  )

const savedFilter = <Row extends { view: unknown }>(row: Row) => ({ ...row, view: View.nullable().parse(row.view) })
const asJson = (value: object | null) => (value === null ? null : JSON.stringify(value))

async function filterById({ db, caller }: Call, id: string) {
  const found = await db
    .selectFrom('savedFilters')
    .selectAll()
    .where('id', '=', id)
    .where(readable(caller))
    .executeTakeFirst()
  if (found === undefined) throw notFound('Filter')
  return savedFilter(found)
}

async function ownFilter(call: Call, id: string) {
  const found = await filterById(call, id)
  if (found.ownerId !== call.caller.userId) throw denied('Only its owner can change a filter')
  return found
}

async function orgOf({ db, caller }: Call, orgId: string | undefined) {
  const wanted = orgId ?? caller.orgId
  if (wanted === null) return { orgId: null, partnerId: caller.partnerId }
  const organization = await findOrganization(db, caller, wanted)
  if (organization === undefined) throw notFound('Organization')
  return { orgId: organization.id, partnerId: organization.partnerId }
}

export default implement(contract, {
  async fields() {
    const described = Object.entries<Field>(fields).map(([name, { label, type, values }]) => ({
      name,
      label,
      type,
      operators: [...operatorsOf[type]],
      values: values === undefined ? null : [...values],
    }))
    return { fields: described }
  },

  async preview(call) {
    const { caller, db, services } = call
    const { filter, orgId, limit } = call.input
    const tenant = await orgOf(call, orgId)
    return previewOf(db, caller, await conditionOf(db, filter, tenant), { orgId, limit, nowMs: services.clock.now() })
  },

  async list({ caller, input: { page, limit, search, hasView }, db }) {
    const found = db
      .selectFrom('savedFilters')
      .where(readable(caller))
      .$if(search !== undefined, (query) => query.where(sql<boolean>`strpos(lower(name), lower(${search}::text)) > 0`))
      .$if(hasView !== undefined, (query) => query.where('view', hasView === true ? 'is not' : 'is', null))
    const { data, pagination } = await paged(found.selectAll().orderBy('name').orderBy('id'), { page, limit })
    return { data: data.map(savedFilter), pagination }
  },

  async create(call) {
    const { caller, db, audit } = call
    const { orgId, filter, view, ...input } = call.input
    const tenant = await orgOf(call, orgId)
    await conditionOf(db, filter, tenant)
    const made = await db
      .insertInto('savedFilters')
      .values({ ...input, ...tenant, ownerId: caller.userId, filter: JSON.stringify(filter), view: asJson(view) })
      .returningAll()
      .executeTakeFirstOrThrow()
    const saved = savedFilter(made)
    audit({ target: saved.id, name: saved.name, ...tenant, after: saved })
    return saved
  },

  async get(call) {
    return filterById(call, call.input.id)
  },

  async update(call) {
    const { db, audit } = call
    const { id, filter, view, ...changes } = call.input
    const before = await ownFilter(call, id)
    if (filter !== undefined) await conditionOf(db, filter, before)
    const changed = await db
      .updateTable('savedFilters')
      .set({
        ...changes,
        ...(filter === undefined ? {} : { filter: JSON.stringify(filter) }),
        ...(view === undefined ? {} : { view: asJson(view) }),
      })
      .where('id', '=', id)
      .returningAll()
      .executeTakeFirstOrThrow()
    const after = savedFilter(changed)
    audit({ target: id, name: after.name, orgId: after.orgId, partnerId: after.partnerId, before, after })
    return after
  },

  async remove(call) {
    const before = await ownFilter(call, call.input.id)
    const { numDeletedRows } = await call.db.deleteFrom('savedFilters').where('id', '=', before.id).executeTakeFirst()
    if (numDeletedRows === 0n) throw notFound('Filter')
    call.audit({ target: before.id, name: before.name, orgId: before.orgId, partnerId: before.partnerId, before })
    return { success: true as const }
  },

  async previewSaved(call) {
    const { caller, db, services, input } = call
    const saved = await filterById(call, input.id)
    const condition = await conditionOf(db, FilterExpression.parse(saved.filter), saved)
    return previewOf(db, caller, condition, {
      orgId: saved.orgId ?? undefined,
      limit: input.limit,
      nowMs: services.clock.now(),
    })
  },
})
