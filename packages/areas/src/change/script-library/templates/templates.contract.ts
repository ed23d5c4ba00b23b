import { can, create, get, id, nameText, page, pageOf } from '@muster/kit/contract.ts'
import { ScriptLanguage } from '@muster/wire/commands/scripts.ts'
import { z } from 'zod'
import { OsType } from '../../../fleet/devices/devices.contract.ts'
import { ScriptParameter } from '../../scripts/parameters.contract.ts'
import { KeptScript, namesSecrets } from '../../scripts/scripts.contract.ts'

/** A script with blanks, which comes with Muster. */
export const ScriptTemplate = z.object({
  id: id(),
  key: z.string(),
  name: z.string(),
  description: z.string(),
  category: z.string(),
  language: ScriptLanguage,
  osTypes: z.array(OsType),
  /** Declared as parameters are. */
  blanks: z.array(ScriptParameter),
  /** Each blank stands in it as `{{name}}`. */
  content: z.string(),
})
export type ScriptTemplate = z.infer<typeof ScriptTemplate>

export const templates = {
  list: get('/script-library/templates', {
    summary: 'List the templates of scripts that come with Muster',
    access: can('scripts:read'),
    input: z.object({
      search: z.string().max(255).optional(),
      language: ScriptLanguage.optional(),
      osType: OsType.optional(),
      ...page,
    }),
    output: pageOf(ScriptTemplate),
  }),
  fill: create('/script-library/from-template/:templateId', {
    summary: 'Create a script from a template. Each value becomes a quoted literal of the language',
    access: can('scripts:write'),
    audit: 'script.create',
    stepUp: namesSecrets,
    input: z.object({
      templateId: id(),
      orgId: id().nullable().default(null),
      partnerId: id().optional(),
      name: nameText(),
      /** Of the blanks, by name. */
      values: z.record(z.string().max(63), z.union([z.string().max(8_192), z.number(), z.boolean()])).default({}),
    }),
    output: KeptScript,
  }),
}
