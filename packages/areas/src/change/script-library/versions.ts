import type { Db } from '@muster/db/database.ts'
import { paged } from '@muster/db/page.ts'
import { conflict, notFound } from '@muster/kit/errors.ts'
import { requireIndependent } from '../../control/commands/index.ts'
import { type Call, implement } from '../../operation.ts'
import {
  addVersion,
  changeableScript,
  contentOf,
  judgeVersion,
  requireNewest,
  scriptById,
  withUses,
} from '../scripts/index.ts'
import type { StoredScript } from '../scripts/scripts.contract.ts'
import { versions as contract, ScriptVersion } from './versions.contract.ts'

const columns = [
  'id',
  'scriptId',
  'version',
  'sha256',
  'language',
  'content',
  'parameters',
  'args',
  'timeoutSeconds',
  'runAs',
  'runAsUser',
  'warnings',
  'comment',
  'status',
  'judgedBy',
  'judgedAt',
  'createdBy',
  'createdAt',
] as const

const versionsOf = (db: Db, scriptId: string) =>
  db.selectFrom('scriptVersions').where('scriptId', '=', scriptId).select(columns)

/** @throws NOT_FOUND */
async function versionById(db: Db, scriptId: string, id: string) {
  const found = await versionsOf(db, scriptId).where('id', '=', id).executeTakeFirst()
  if (found === undefined) throw notFound('Version')
  return ScriptVersion.parse(found)
}

export default implement(contract, {
  async list({ caller, db, input: { id, page, limit } }) {
    await scriptById(db, caller, id)
    const { data, pagination } = await paged(versionsOf(db, id).orderBy('version', 'desc'), { page, limit })
    return { data: data.map((row) => ScriptVersion.parse(row)), pagination }
  },

  async create(call) {
    const { caller, db, audit } = call
    const { id, version, comment, ...given } = call.input
    const script = await changeableScript(call, id)
    requireNewest(script, version)
    const changed = Object.entries(given).filter(([, value]) => value !== undefined)
    const wanted = contentOf({ ...script, ...Object.fromEntries(changed) })
    const versionId = await addVersion(db, script, wanted, { comment, createdBy: caller.userId })
    const made = await versionById(db, id, versionId)
    const { name, orgId, partnerId } = script
    audit({ target: id, name, orgId, partnerId, details: { versionId, version: made.version, sha256: made.sha256 } })
    return made
  },

  async rollback(call) {
    const { caller, db, audit } = call
    const { id, versionId, version, comment } = call.input
    const script = await changeableScript(call, id)
    requireNewest(script, version)
    const earlier = await versionById(db, id, versionId)
    await addVersion(db, script, earlier, {
      comment: comment ?? `Version ${earlier.version} again`,
      createdBy: caller.userId,
    })
    const after = await scriptById(db, caller, id)
    const { name, orgId, partnerId } = script
    audit({ target: id, name, orgId, partnerId, details: { from: earlier.version, version: after.version } })
    return withUses(call, after)
  },

  async approve(call) {
    const { caller, db, input, audit } = call
    const { script, version } = await waitingVersion(call)
    await requireIndependent(call, version.createdBy ?? caller.userId)
    await judgeVersion(db, version, 'approved', caller.userId)
    audit(noteOf(script, version))
    return versionById(db, input.id, version.id)
  },

  async reject(call) {
    const { caller, db, input, audit } = call
    const { script, version } = await waitingVersion(call)
    await judgeVersion(db, version, 'rejected', caller.userId)
    audit(noteOf(script, version, { reason: input.reason }))
    return versionById(db, input.id, version.id)
  },
})

/** A version that waits for its approval, with its script locked. @throws CONFLICT if it was approved or rejected */
async function waitingVersion(call: Call<{ readonly id: string; readonly versionId: string }>) {
  const { db, input } = call
  const script = await changeableScript(call, input.id)
  const version = await versionById(db, input.id, input.versionId)
  if (version.status !== 'pending_approval') throw conflict(`The version does not wait for approval: ${version.status}`)
  return { script, version }
}

const noteOf = (
  { id: target, name, orgId, partnerId }: StoredScript,
  { id: versionId, version, sha256, createdBy }: ScriptVersion,
  more: object = {},
) => ({ target, name, orgId, partnerId, details: { versionId, version, sha256, createdBy, ...more } })
