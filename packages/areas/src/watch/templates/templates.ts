import { always, isNullOr } from '@muster/db/conditions.ts'
import type { Db } from '@muster/db/database.ts'
import { paged } from '@muster/db/page.ts'
import type { Tables } from '@muster/db/tables.ts'
import type { Caller } from '@muster/kit/access.ts'
import { conflict, denied, notFound } from '@muster/kit/errors.ts'
import { type Selectable, sql } from 'kysely'
import { type Call, implement } from '../../operation.ts'
import {
  requireWholeOwner,
  requireWorkingOrganization,
  requireWorkingTenant,
  tenantOf,
  withinOrOfPartner,
} from '../../tenancy/tenancy/index.ts'
import {
  asRuleTemplate,
  type BuiltInTemplate,
  builtInTemplates,
  fieldsOf,
  followTemplate,
  lockTemplates,
  requireSharable,
  requireSound,
  ruleCountsOf,
} from '../alerts/index.ts'
import { setChannelUses } from '../channels/index.ts'
import { AlertTemplate, templates as contract } from './templates.contract.ts'

type StoredTemplate = Selectable<Tables['alertTemplates']>

/** Templates of organizations within reach, and those of the whole partner. */
const readable = (caller: Caller) => withinOrOfPartner(caller, 'orgId', 'partnerId')

const asStored = (row: StoredTemplate, ruleCount: number): AlertTemplate =>
  AlertTemplate.parse({ ...row, builtIn: false, ruleCount })

const asBuiltIn = (template: BuiltInTemplate, ruleCount: number): AlertTemplate =>
  AlertTemplate.parse({
    ...template,
    partnerId: null,
    orgId: null,
    builtIn: true,
    ruleCount,
    createdAt: null,
    updatedAt: null,
  })

const noteUses = (db: Db, { id, partnerId, orgId, channelIds }: StoredTemplate): Promise<void> =>
  setChannelUses(db, { usedBy: `template:${id}`, partnerId, orgId }, channelIds)

async function withCount(call: Call, row: StoredTemplate): Promise<AlertTemplate> {
  return asStored(row, (await ruleCountsOf(call, [row.id])).get(row.id) ?? 0)
}

/** @throws FORBIDDEN for built-in templates, and for callers who may not change what the owner has */
async function changeableTemplate({ db, caller }: Call, id: string): Promise<StoredTemplate> {
  if (builtInTemplates.some((template) => template.id === id))
    throw denied('Built-in templates cannot be changed. Create a template of your own')
  const found = await db
    .selectFrom('alertTemplates')
    .selectAll()
    .where('id', '=', id)
    .where(readable(caller))
    .executeTakeFirst()
  if (found === undefined) throw notFound('Alert template')
  requireWholeOwner(caller, found, 'template')
  await requireWorkingOrganization(db, caller, found.orgId)
  await lockTemplates(db, found.partnerId, 'writer')
  return found
}

const keyFrom = (name: string): string =>
  name
    .toLowerCase()
    .replace(/[^a-z0-9]+/g, '-')
    .replace(/^[^a-z]+|-+$/g, '')
    .slice(0, 63) || 'template'

const matches = (
  { name, category }: BuiltInTemplate,
  wanted: { category?: string | undefined; search?: string | undefined },
) =>
  (wanted.category === undefined || category === wanted.category) &&
  (wanted.search === undefined || name.toLowerCase().includes(wanted.search.toLowerCase()))

export default implement(contract, {
  async list(call) {
    const { page, limit, orgId, category, search } = call.input
    const found = call.db
      .selectFrom('alertTemplates')
      .where(readable(call.caller))
      .where(orgId === undefined ? always : isNullOr('orgId', orgId))
      .$if(category !== undefined, (query) => query.where('category', '=', category ?? ''))
      .$if(search !== undefined, (query) => query.where(sql<boolean>`strpos(lower(name), lower(${search}::text)) > 0`))
    const { data, pagination } = await paged(found.selectAll().orderBy('name').orderBy('id'), { page, limit })
    const ids = data.map(({ id }) => id)
    const counts = await ruleCountsOf(call, ids)
    return { data: data.map((row) => asStored(row, counts.get(row.id) ?? 0)), pagination }
  },

  async builtIn(call) {
    const { page, limit } = call.input
    const found = builtInTemplates.filter((template) => matches(template, call.input))
    const shown = found.slice((page - 1) * limit, page * limit)
    const ids = shown.map(({ id }) => id)
    const counts = await ruleCountsOf(call, ids)
    return {
      data: shown.map((template) => asBuiltIn(template, counts.get(template.id) ?? 0)),
      pagination: { page, limit, total: found.length },
    }
  },

  async create(call) {
    const { caller, db, audit } = call
    const { partnerId: _, orgId, key, conditions, parameters, ...input } = call.input
    const tenant = await tenantOf(db, caller, call.input)
    requireWholeOwner(caller, tenant, 'template')
    await requireWorkingTenant(db, caller, tenant)
    requireSound(fieldsOf({ ...input, id: '', conditions, parameters }, {}))
    const owner = { partnerId: tenant.partnerId, orgId: tenant.orgId }
    await requireSharable(call, owner, input)
    const made = await db
      .insertInto('alertTemplates')
      .values({
        ...input,
        ...owner,
        key: key ?? keyFrom(input.name),
        conditions: JSON.stringify(conditions),
        parameters: JSON.stringify(parameters),
      })
      .returningAll()
      .executeTakeFirstOrThrow()
    await noteUses(db, made)
    audit({ target: made.id, name: made.name, ...owner, after: made })
    return asStored(made, 0)
  },

  async update(call) {
    const { db, audit } = call
    const { id, conditions, parameters, ...changes } = call.input
    const before = await changeableTemplate(call, id)
    const after = await db
      .updateTable('alertTemplates')
      .set({
        ...changes,
        ...(conditions === undefined ? {} : { conditions: JSON.stringify(conditions) }),
        ...(parameters === undefined ? {} : { parameters: JSON.stringify(parameters) }),
      })
      .where('id', '=', id)
      .returningAll()
      .executeTakeFirstOrThrow()
    const template = asRuleTemplate(after)
    requireSound(fieldsOf(template, {}))
    await requireSharable(call, after, after)
    await noteUses(db, after)
    const rulesChanged = await followTemplate(call, template)
    const { orgId, partnerId } = after
    audit({ target: id, name: after.name, orgId, partnerId, before, after, details: { rulesChanged } })
    return withCount(call, after)
  },

  async remove(call) {
    const { db, audit } = call
    const before = await changeableTemplate(call, call.input.id)
    const used = await db
      .selectFrom('alertRules')
      .select('name')
      .where('templateId', '=', before.id)
      .orderBy('name')
      .limit(1)
      .executeTakeFirst()
    if (used !== undefined) throw conflict(`The rule ${used.name} uses this template. Change or delete its rules first`)
    const { numDeletedRows } = await db.deleteFrom('alertTemplates').where('id', '=', before.id).executeTakeFirst()
    if (numDeletedRows === 0n) throw notFound('Alert template')
    await noteUses(db, { ...before, channelIds: [] })
    audit({ target: before.id, name: before.name, orgId: before.orgId, partnerId: before.partnerId, before })
    return { success: true as const }
  },
})
