import {
  can,
  changes,
  create,
  get,
  id,
  limit,
  noStepUp,
  pageNumber,
  pageOf,
  personCan,
  post,
  time,
} from '@muster/kit/contract.ts'
import { z } from 'zod'
import { basedOn, KeptScript, namesSecrets, versionComment, versionInput } from '../scripts/scripts.contract.ts'

/** What a script consisted of when the version was made. It never changes. */
export const ScriptVersion = KeptScript.pick({
  version: true,
  sha256: true,
  language: true,
  content: true,
  parameters: true,
  args: true,
  timeoutSeconds: true,
  runAs: true,
  runAsUser: true,
  warnings: true,
  createdBy: true,
  createdAt: true,
}).extend({
  id: id(),
  scriptId: id(),
  comment: z.string().nullable(),
  /** Executions take approved versions. Where a second person is required, another one approves each. */
  status: z.enum(['approved', 'pending_approval', 'rejected']),
  /** Who approved or rejected it. */
  judgedBy: id().nullable(),
  judgedAt: time().nullable(),
  createdAt: time(),
})
export type ScriptVersion = z.infer<typeof ScriptVersion>

const one = { id: id() }
const version = z.object({ ...one, versionId: id() })

export const versions = {
  list: get('/script-library/scripts/:id/versions', {
    summary: 'List the versions of a script, newest first',
    access: can('scripts:read'),
    // Shorter pages than usual, because each version has up to 256 KiB of content.
    input: z.object({ ...one, page: pageNumber(), limit: limit(100, 20) }),
    output: pageOf(ScriptVersion),
  }),
  create: create('/script-library/scripts/:id/versions', {
    summary: 'Create a version of a script with the given changes of the newest one',
    access: can('scripts:write'),
    audit: 'script.version.create',
    stepUp: namesSecrets,
    input: changes({ ...one, version: basedOn, comment: versionComment }, versionInput),
    output: ScriptVersion,
  }),
  rollback: create('/script-library/scripts/:id/rollback/:versionId', {
    summary: 'Create a version of a script with the content of an earlier one',
    access: can('scripts:write'),
    audit: 'script.rollback',
    stepUp: namesSecrets,
    input: z.object({ ...one, versionId: id(), version: basedOn, comment: versionComment }),
    output: KeptScript,
  }),
  approve: post('/script-library/scripts/:id/versions/:versionId/approve', {
    summary: 'Approve a version as the second person, so that executions take it. Its author cannot approve it',
    access: personCan('scripts:write'),
    audit: 'script.version.approve',
    stepUp: 'always',
    input: version,
    output: ScriptVersion,
  }),
  reject: post('/script-library/scripts/:id/versions/:versionId/reject', {
    summary: 'Refuse a version that waits for approval, which stays rejected',
    access: personCan('scripts:write'),
    audit: 'script.version.reject',
    stepUp: noStepUp('executions still take the version that was approved before'),
    input: version.extend({ reason: z.string().trim().max(500).nullable().default(null) }),
    output: ScriptVersion,
  }),
}
