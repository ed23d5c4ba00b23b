import { can, create, flag, get, id, page, pageOf } from '@muster/kit/contract.ts'
import { ScriptLanguage } from '@muster/wire/commands/scripts.ts'
import { z } from 'zod'
import { OsType } from '../../../fleet/devices/devices.contract.ts'
import { ScriptParameter } from '../parameters.contract.ts'
import { KeptScript, namesSecrets, ScriptSummary, versionComment } from '../scripts.contract.ts'

/** A script that comes with Muster. */
export const SystemScript = ScriptSummary.extend({
  /** Stays the same in all versions. */
  key: z.string(),
  category: z.string(),
  parameters: z.array(ScriptParameter),
  /** The copy of the organization that is asked for, else of the caller's own tenant. `version` is that of its origin. */
  imported: z.object({ scriptId: id(), version: z.number(), updateAvailable: z.boolean() }).nullable(),
})
export type SystemScript = z.infer<typeof SystemScript>

export const systemScripts = {
  list: get('/scripts/system-library', {
    summary: 'List the scripts that come with Muster, and whether they are imported',
    access: can('scripts:read'),
    input: z.object({
      search: z.string().max(255).optional(),
      language: ScriptLanguage.optional(),
      osType: OsType.optional(),
      tag: z.string().max(100).optional(),
      orgId: id().optional(),
      ...page,
    }),
    output: pageOf(SystemScript),
  }),
  import: create('/scripts/import/:id', {
    summary: 'Import a system script for a partner or one organization, or add its newest version to the copy',
    access: can('scripts:write'),
    audit: 'script.import',
    stepUp: namesSecrets,
    input: z.object({
      id: id(),
      orgId: id().nullable().default(null),
      partnerId: id().optional(),
      /** Adds a version to the copy. Without it, a second import of the same owner is refused with 409. */
      update: flag().default(false),
      /** Of the version that an update adds. */
      comment: versionComment,
    }),
    output: KeptScript,
  }),
}
