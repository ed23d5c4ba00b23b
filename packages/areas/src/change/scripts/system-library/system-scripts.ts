import { equals, isNull } from '@muster/db/conditions.ts'
import { AppError, notFound } from '@muster/kit/errors.ts'
import { type Call, implement } from '../../../operation.ts'
import {
  ofTenant,
  requireWholeOwner,
  requireWorkingTenant,
  type Tenant,
  tenantOf,
} from '../../../tenancy/tenancy/index.ts'
import { audited, createScript } from '../created-scripts.ts'
import type { StoredScript } from '../scripts.contract.ts'
import { changeableScript, scriptById } from '../scripts.queries.ts'
import { addVersion } from '../stored-versions.ts'
import { withUses } from '../uses/script-uses.ts'
import { systemScripts as contract } from './system-scripts.contract.ts'
import {
  aboutSystemScript,
  contentOfSystemScript,
  type StoredSystemScript,
  storedSystemScript,
  systemScriptsFor,
} from './system-scripts.queries.ts'

export default implement(contract, {
  async list({ caller, db, input: { page, limit, ...wanted } }) {
    return systemScriptsFor(db, caller, wanted, { page, limit })
  },

  async import(call) {
    const { caller, db, input, audit } = call
    const { id, update } = input
    const origin = await storedSystemScript(db, id)
    if (origin === undefined) throw notFound('System script')
    const tenant = await tenantOf(db, caller, input)
    requireWholeOwner(caller, tenant, 'script')
    await requireWorkingTenant(db, caller, tenant)
    const copy = await db
      .selectFrom('scripts')
      .select('id')
      .where(ofTenant(tenant, 'scripts.orgId', 'scripts.partnerId'))
      .where(equals('scripts.originId', id))
      .where(isNull('scripts.deletedAt'))
      .executeTakeFirst()
    if (copy !== undefined && !update)
      throw new AppError('CONFLICT', 'The script is imported already. `update: true` adds the newest version to it', {
        scriptId: copy.id,
      })
    const before = copy === undefined ? null : await changeableScript(call, copy.id)
    const made = before === null ? await copied(call, tenant, origin) : await updated(call, before, origin)
    const { orgId, partnerId, name } = made
    const changed = { ...(before === null ? {} : { before: audited(before) }), after: audited(made) }
    audit({
      target: made.id,
      name,
      orgId,
      partnerId,
      ...changed,
      details: { key: origin.key, version: origin.version },
    })
    return withUses(call, made)
  },
})

function copied(call: Call, tenant: Tenant, origin: StoredSystemScript): Promise<StoredScript> {
  const about = { ...aboutSystemScript(origin), originId: origin.id, originVersion: origin.version }
  return createScript(call, tenant, about, contentOfSystemScript(origin))
}

/** The copy with the content of the library. Its name, tags and severities stay. */
async function updated(
  { caller, db, input }: Call<{ readonly comment: string | null }>,
  copy: StoredScript,
  origin: StoredSystemScript,
): Promise<StoredScript> {
  const comment = input.comment ?? `Version ${origin.version} of the library`
  await addVersion(db, copy, contentOfSystemScript(origin), { comment, createdBy: caller.userId })
  await db.updateTable('scripts').set({ originVersion: origin.version }).where('id', '=', copy.id).execute()
  return scriptById(db, caller, copy.id)
}
