import { allOf, always, type Condition, equals, isNullOr } from '@muster/db/conditions.ts'
import type { Db } from '@muster/db/database.ts'
import { paged } from '@muster/db/page.ts'
import type { Caller } from '@muster/kit/access.ts'
import { notFound } from '@muster/kit/errors.ts'
import { sql } from 'kysely'
import { type Call, implement } from '../../operation.ts'
import {
  requireWholeOwner,
  requireWorkingOrganization,
  requireWorkingTenant,
  tenantOf,
  withinOrOfPartner,
} from '../../tenancy/tenancy/index.ts'
import { moveScripts, readableScripts } from '../scripts/index.ts'
import { categories as contract, ScriptCategory } from './categories.contract.ts'
import { requireSoundPlace } from './category-tree.ts'

/** Categories of organizations within reach; those of the whole partner for the partner's own people. */
const readable = (caller: Caller): Condition =>
  caller.scope === 'organization'
    ? equals('scriptCategories.orgId', caller.orgId)
    : withinOrOfPartner(caller, 'scriptCategories.orgId', 'scriptCategories.partnerId')

const categoriesOf = (db: Db, caller: Caller) =>
  db
    .selectFrom('scriptCategories')
    .where(readable(caller))
    .selectAll('scriptCategories')
    .select((eb) =>
      eb
        .selectFrom('scripts')
        .whereRef('scripts.categoryId', '=', 'scriptCategories.id')
        .where(readableScripts(caller))
        .select(sql<number>`count(*)::int`.as('count'))
        .as('scriptCount'),
    )

/** @throws NOT_FOUND */
async function categoryById({ db, caller }: Pick<Call, 'db' | 'caller'>, id: string) {
  const found = await categoriesOf(db, caller).where('scriptCategories.id', '=', id).executeTakeFirst()
  if (found === undefined) throw notFound('Category')
  return ScriptCategory.parse(found)
}

interface Owner {
  readonly partnerId: string
  readonly orgId: string | null
}

/** All categories of an owner. Changes of the tree follow one another. */
async function lockTree(db: Db, { partnerId, orgId }: Owner) {
  await sql`SELECT pg_advisory_xact_lock(hashtextextended(${`script categories ${orgId ?? partnerId}`}, 0))`.execute(db)
  const own = allOf(equals('partnerId', partnerId), sql`org_id IS NOT DISTINCT FROM ${orgId}::uuid`)
  return db.selectFrom('scriptCategories').select(['id', 'parentId']).where(own).execute()
}

/** @throws NOT_FOUND, FORBIDDEN for callers who may not change it */
async function changeableCategory(call: Call, id: string) {
  const { db, caller } = call
  const seen = await categoryById(call, id)
  requireWholeOwner(caller, seen, 'category')
  await requireWorkingOrganization(db, caller, seen.orgId)
  const nodes = await lockTree(db, seen)
  return { before: await categoryById(call, id), nodes }
}

export default implement(contract, {
  async list({ caller, db, input: { page, limit, orgId } }) {
    const found = categoriesOf(db, caller)
      .where(orgId === undefined ? always : isNullOr('scriptCategories.orgId', orgId))
      .orderBy('name')
      .orderBy('id')
    const { data, pagination } = await paged(found, { page, limit })
    return { data: data.map((row) => ScriptCategory.parse(row)), pagination }
  },

  async create(call) {
    const { caller, db, input, audit } = call
    const tenant = await tenantOf(db, caller, input)
    requireWholeOwner(caller, tenant, 'category')
    await requireWorkingTenant(db, caller, tenant)
    const { partnerId, orgId } = tenant
    requireSoundPlace(await lockTree(db, tenant), null, input.parentId)
    const { parentId, name, description } = input
    const { id } = await db
      .insertInto('scriptCategories')
      .values({ partnerId, orgId, parentId, name, description, createdBy: caller.userId })
      .returning('id')
      .executeTakeFirstOrThrow()
    const made = await categoryById(call, id)
    audit({ target: id, name, orgId, partnerId, after: made })
    return made
  },

  async get(call) {
    return categoryById(call, call.input.id)
  },

  async update(call) {
    const { db, audit } = call
    const { id, ...changes } = call.input
    const { before, nodes } = await changeableCategory(call, id)
    if (changes.parentId !== undefined) requireSoundPlace(nodes, id, changes.parentId)
    await db.updateTable('scriptCategories').set(changes).where('id', '=', id).execute()
    const after = await categoryById(call, id)
    audit({ target: id, name: after.name, orgId: after.orgId, partnerId: after.partnerId, before, after })
    return after
  },

  async remove(call) {
    const { db, audit } = call
    const { before } = await changeableCategory(call, call.input.id)
    const { id, parentId, name, orgId, partnerId } = before
    const scripts = await moveScripts(db, id, parentId)
    await db.updateTable('scriptCategories').set({ parentId }).where('parentId', '=', id).execute()
    await db.deleteFrom('scriptCategories').where('id', '=', id).execute()
    audit({ target: id, name, orgId, partnerId, before, details: { movedScripts: scripts } })
    return { success: true as const }
  },
})
