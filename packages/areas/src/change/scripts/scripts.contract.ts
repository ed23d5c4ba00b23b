import {
  can,
  changes,
  create,
  del,
  flag,
  get,
  id,
  nameText,
  noStepUp,
  page,
  pageOf,
  put,
  success,
  time,
} from '@muster/kit/contract.ts'
import { ScriptLanguage, scriptBytesMax } from '@muster/wire/commands/scripts.ts'
import { z } from 'zod'
import { OsType } from '../../fleet/devices/devices.contract.ts'
import { ExitCodes } from './exit-codes.contract.ts'
import { ScriptParameter, ScriptParameters } from './parameters.contract.ts'
import { UsedBy } from './uses/used-by.contract.ts'

const description = z.string().trim().max(2_000).nullable()
const encoder = new TextEncoder()
const line = (most: number) =>
  z
    .string()
    .max(most)
    .refine((text) => !text.includes('\0'), { error: 'must not contain NUL' })
const content = line(scriptBytesMax)
  .min(1)
  .refine((text) => encoder.encode(text).length <= scriptBytesMax, {
    error: `must be at most ${scriptBytesMax} bytes long`,
  })
/** The version that a change is based on. */
export const basedOn = z.int().min(1).optional()
export const versionComment = z.string().trim().max(500).nullable().default(null)

/** Why changes of scripts take no fresh proof. */
export const namesSecrets = noStepUp('parameters name secrets; the answer has no value of one')

export const RunAs = z.enum(['system', 'user'])
export const ScriptTag = nameText(100)

/** What a version consists of. It never changes: another one is made. */
export const versionInput = {
  language: ScriptLanguage,
  content,
  parameters: ScriptParameters,
  args: z.array(line(8_192)).max(64),
  timeoutSeconds: z.int().min(1).max(86_400),
  runAs: RunAs,
  /** The account for `user`: who is signed in unless given. */
  runAsUser: z.string().trim().min(1).max(255).nullable(),
}

/** What belongs to all versions of a script. */
const about = {
  name: nameText(),
  description,
  categoryId: id().nullable(),
  tags: z.array(ScriptTag).max(50),
  osTypes: z.array(OsType).max(3),
  exitCodes: ExitCodes,
  /** Of a script of the whole partner: its organizations see it and run it. */
  sharedWithOrganizations: flag(),
}

/** `system` scripts come with Muster. They are imported before they are changed or run. */
export const ScriptSource = z.enum(['system', 'partner', 'organization'])

/** What the grammar of the language finds in the content. A script with warnings can run. */
export const ScriptWarning = z.object({
  /** From 1; null where it concerns the whole content. */
  line: z.number().nullable(),
  column: z.number().nullable(),
  message: z.string(),
})
export type ScriptWarning = z.infer<typeof ScriptWarning>

/** The system script that a script was imported from. */
const Origin = z.object({ systemScriptId: id(), version: z.number() })

/** A script of a tenant in lists, without its content. Without an organization it belongs to the whole partner. */
const KeptScriptSummary = z.object({
  id: id(),
  partnerId: id(),
  orgId: id().nullable(),
  source: z.enum(['partner', 'organization']),
  name: z.string(),
  description: z.string().nullable(),
  categoryId: id().nullable(),
  tags: z.array(z.string()),
  language: ScriptLanguage,
  /** Empty for any. */
  osTypes: z.array(OsType),
  exitCodes: ExitCodes,
  sharedWithOrganizations: z.boolean(),
  /** Of the newest version. */
  version: z.number(),
  versionId: id(),
  /** The version that executions take. */
  approvedVersionId: id().nullable(),
  origin: Origin.nullable(),
  /** Whether the library has a newer version of its origin. */
  updateAvailable: z.boolean(),
  /** Of the newest version. */
  warnings: z.array(ScriptWarning),
  createdBy: id().nullable(),
  createdAt: time(),
  updatedAt: time(),
})

const whole = {
  /** Of the content of the newest version. */
  sha256: z.string(),
  content: z.string(),
  parameters: z.array(ScriptParameter),
  args: z.array(z.string()),
  timeoutSeconds: z.number(),
  runAs: RunAs,
  runAsUser: z.string().nullable(),
  /** What runs it or will run it, at most 20 of each kind within reach. A script that is used is not deleted. */
  usedBy: z.array(UsedBy),
}

/** A script of a tenant. */
export const KeptScript = KeptScriptSummary.extend(whole)
export type KeptScript = z.infer<typeof KeptScript>

/** A script without what uses it. */
export const StoredScript = KeptScript.omit({ usedBy: true })
export type StoredScript = z.infer<typeof StoredScript>

/** System scripts belong to no tenant, and their versions have no IDs. */
const ofAnySource = { partnerId: id().nullable(), source: ScriptSource, versionId: id().nullable() }
export const ScriptSummary = KeptScriptSummary.extend(ofAnySource)
export type ScriptSummary = z.infer<typeof ScriptSummary>
export const Script = KeptScript.extend(ofAnySource)
export type Script = z.infer<typeof Script>

const one = { id: id() }

export const scripts = {
  list: get('/scripts', {
    summary: 'List scripts, without their content. Those of the system are listed with `source=system` alone',
    access: can('scripts:read'),
    input: z.object({
      search: z.string().max(255).optional(),
      language: ScriptLanguage.optional(),
      osType: OsType.optional(),
      categoryId: id().optional(),
      tag: z.string().max(100).optional(),
      orgId: id().optional(),
      source: ScriptSource.optional(),
      ...page,
    }),
    output: pageOf(ScriptSummary),
  }),
  create: create('/scripts', {
    summary: 'Create a script for a partner or one organization',
    access: can('scripts:write'),
    audit: 'script.create',
    stepUp: namesSecrets,
    input: z.object({
      orgId: id().nullable().default(null),
      partnerId: id().optional(),
      name: about.name,
      description: description.default(null),
      categoryId: about.categoryId.default(null),
      tags: about.tags.default([]),
      osTypes: about.osTypes.default([]),
      exitCodes: ExitCodes.default({}),
      sharedWithOrganizations: flag().default(false),
      language: versionInput.language,
      content,
      parameters: ScriptParameters.default([]),
      args: versionInput.args.default([]),
      timeoutSeconds: versionInput.timeoutSeconds.default(300),
      runAs: versionInput.runAs.default('system'),
      runAsUser: versionInput.runAsUser.default(null),
      comment: versionComment,
    }),
    output: KeptScript,
  }),
  get: get('/scripts/:id', {
    summary: 'Get a script with its content',
    access: can('scripts:read'),
    input: z.object(one),
    output: Script,
  }),
  update: put('/scripts/:id', {
    summary: 'Update the given fields of a script. A change of what runs makes a version',
    access: can('scripts:write'),
    audit: 'script.update',
    stepUp: namesSecrets,
    input: changes(
      {
        ...one,
        /** The version that the change is based on. If another is the newest by now, 409. */
        version: basedOn,
        /** Of the version that this makes. */
        comment: versionComment,
      },
      { ...about, ...versionInput },
    ),
    output: KeptScript,
  }),
  remove: del('/scripts/:id', {
    summary: 'Delete a script. Its versions and runs are kept',
    access: can('scripts:delete'),
    audit: 'script.delete',
    input: z.object(one),
    output: success,
  }),
}
