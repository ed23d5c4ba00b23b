import { always, equals, isNullOr } from '@muster/db/conditions.ts'
import { paged } from '@muster/db/page.ts'
import { notFound } from '@muster/kit/errors.ts'
import { sql } from 'kysely'
import { implement } from '../../operation.ts'
import { requireWholeOwner, requireWorkingTenant, tenantOf } from '../../tenancy/tenancy/index.ts'
import { audited, createScript, requireSoundAbout } from './created-scripts.ts'
import { scripts as contract, ScriptSummary, StoredScript } from './scripts.contract.ts'
import {
  changeableScript,
  lockScript,
  scriptById,
  scriptsOf,
  source,
  storedScript,
  summaryColumns,
  updateAvailable,
  withOrigin,
} from './scripts.queries.ts'
import { noteTags } from './stored-tags.ts'
import { addVersion, contentOf, requireNewest } from './stored-versions.ts'
import { isWanted, listedSystemScripts, systemScript } from './system-library/system-scripts.queries.ts'
import { requireUnused, withUses } from './uses/script-uses.ts'

const plainChanges = (given: object) =>
  Object.fromEntries(Object.entries(given).filter(([, value]) => value !== undefined))

export default implement(contract, {
  async list({ caller, db, input }) {
    const { page, limit, categoryId, orgId, source: wanted } = input
    if (wanted === 'system') return listedSystemScripts(db, input, categoryId)
    const found = scriptsOf(db, caller)
      .where(isWanted('scripts', input))
      .where(orgId === undefined ? always : isNullOr('scripts.orgId', orgId))
      .where(categoryId === undefined ? always : equals('scripts.categoryId', categoryId))
      .$if(wanted !== undefined, (query) => query.where(source, '=', wanted ?? 'partner'))
    const rows = found
      .select(summaryColumns)
      .select([source.as('source'), updateAvailable.as('updateAvailable')])
      .orderBy('scripts.name')
      .orderBy('scripts.id')
    const { data, pagination } = await paged(rows, { page, limit })
    return { data: data.map((row) => ScriptSummary.parse(withOrigin(row))), pagination }
  },

  async create(call) {
    const { caller, db, input, audit } = call
    const tenant = await tenantOf(db, caller, input)
    requireWholeOwner(caller, tenant, 'script')
    await requireWorkingTenant(db, caller, tenant)
    const { name, description, categoryId, tags, osTypes, exitCodes, sharedWithOrganizations, comment } = input
    const about = { name, description, categoryId, tags, osTypes, exitCodes, sharedWithOrganizations, comment }
    const made = await createScript(call, tenant, about, contentOf(input))
    audit({ target: made.id, name: made.name, orgId: made.orgId, partnerId: made.partnerId, after: audited(made) })
    return withUses(call, made)
  },

  async get(call) {
    const { caller, db, input } = call
    const stored = await storedScript(db, caller, input.id)
    if (stored !== undefined) return withUses(call, stored)
    const ofSystem = await systemScript(db, input.id)
    if (ofSystem === undefined) throw notFound('Script')
    return ofSystem
  },

  async update(call) {
    const { caller, db, audit } = call
    const { id, version, comment, ...given } = call.input
    const before = await changeableScript(call, id)
    requireNewest(before, version)
    const wanted = StoredScript.parse({ ...before, ...plainChanges(given) })
    const tags = [...new Set(wanted.tags)]
    if (given.categoryId !== undefined || given.sharedWithOrganizations !== undefined)
      await requireSoundAbout(call, wanted)
    const { name, description, categoryId, osTypes, sharedWithOrganizations } = wanted
    await db
      .updateTable('scripts')
      .set({ name, description, categoryId, osTypes, sharedWithOrganizations, tags })
      .set({ exitCodes: JSON.stringify(wanted.exitCodes) })
      .where('id', '=', id)
      .execute()
    await noteTags(db, wanted, tags, caller.userId)
    const isOther = JSON.stringify(contentOf(wanted)) !== JSON.stringify(contentOf(before))
    if (isOther) await addVersion(db, before, wanted, { comment, createdBy: caller.userId })
    const after = await scriptById(db, caller, id)
    const { orgId, partnerId } = after
    audit({ target: id, name: after.name, orgId, partnerId, before: audited(before), after: audited(after) })
    return withUses(call, after)
  },

  async remove(call) {
    const { caller, db, input, audit } = call
    await scriptById(db, caller, input.id)
    // Before the row, as those do that use the script and then refer to its row.
    await lockScript(db, input.id, 'deleting')
    const before = await changeableScript(call, input.id)
    await requireUnused(call, before)
    await db.updateTable('scripts').set({ deletedAt: sql`now()` }).where('id', '=', before.id).execute()
    const { id, name, orgId, partnerId } = before
    audit({ target: id, name, orgId, partnerId, before: audited(before) })
    return { success: true as const }
  },
})
