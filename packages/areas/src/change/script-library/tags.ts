import { always, type Condition, equals, isNullOr } from '@muster/db/conditions.ts'
import type { Db } from '@muster/db/database.ts'
import { paged } from '@muster/db/page.ts'
import type { Caller } from '@muster/kit/access.ts'
import { notFound } from '@muster/kit/errors.ts'
import { sql } from 'kysely'
import { implement } from '../../operation.ts'
import {
  requireWholeOwner,
  requireWorkingOrganization,
  requireWorkingTenant,
  tenantOf,
  withinOrOfPartner,
} from '../../tenancy/tenancy/index.ts'
import { insertTag, readableScripts, removeTag } from '../scripts/index.ts'
import { tags as contract, ScriptTagRow } from './tags.contract.ts'

/** Tags of organizations within reach; those of the whole partner for the partner's own people. */
const readable = (caller: Caller): Condition =>
  caller.scope === 'organization'
    ? equals('scriptTags.orgId', caller.orgId)
    : withinOrOfPartner(caller, 'scriptTags.orgId', 'scriptTags.partnerId')

const tagsOf = (db: Db, caller: Caller) =>
  db
    .selectFrom('scriptTags')
    .where(readable(caller))
    .selectAll('scriptTags')
    .select((eb) =>
      eb
        .selectFrom('scripts')
        .whereRef('scripts.partnerId', '=', 'scriptTags.partnerId')
        .where(sql<boolean>`scripts.org_id IS NOT DISTINCT FROM script_tags.org_id`)
        .where(sql<boolean>`scripts.tags @> ARRAY[script_tags.name]::text[]`)
        .where(readableScripts(caller))
        .select(sql<number>`count(*)::int`.as('count'))
        .as('scriptCount'),
    )

export default implement(contract, {
  async list({ caller, db, input: { page, limit, orgId, search } }) {
    const found = tagsOf(db, caller)
      .where(orgId === undefined ? always : isNullOr('scriptTags.orgId', orgId))
      .$if(search !== undefined, (query) => query.where(sql<boolean>`strpos(lower(name), lower(${search}::text)) > 0`))
      .orderBy('name')
      .orderBy('id')
    const { data, pagination } = await paged(found, { page, limit })
    return { data: data.map((row) => ScriptTagRow.parse(row)), pagination }
  },

  async create({ caller, db, input, audit }) {
    const tenant = await tenantOf(db, caller, input)
    requireWholeOwner(caller, tenant, 'tag')
    await requireWorkingTenant(db, caller, tenant)
    const { partnerId, orgId } = tenant
    const { name, description } = input
    const { id } = await insertTag(db, { partnerId, orgId, name, description, createdBy: caller.userId })
    const made = ScriptTagRow.parse(await tagsOf(db, caller).where('scriptTags.id', '=', id).executeTakeFirstOrThrow())
    audit({ target: id, name, orgId, partnerId, after: made })
    return made
  },

  async remove({ caller, db, input, audit }) {
    const before = await tagsOf(db, caller).where('scriptTags.id', '=', input.id).executeTakeFirst()
    if (before === undefined) throw notFound('Tag')
    const { id, name, orgId, partnerId } = before
    requireWholeOwner(caller, before, 'tag')
    await requireWorkingOrganization(db, caller, orgId)
    const scripts = await removeTag(db, before)
    audit({ target: id, name, orgId, partnerId, before, details: { scripts } })
    return { success: true as const }
  },
})
