// A script while it is edited.
import { ExitCodes, type ScriptSeverity } from '@muster/areas/change/scripts/exit-codes.contract.ts'
import { ScriptParameter } from '@muster/areas/change/scripts/parameters.contract.ts'
import type { KeptScript } from '@muster/areas/change/scripts/scripts.contract.ts'

export type ParameterType = ScriptParameter['type']

export interface ParameterDraft {
  readonly key: string
  readonly name: string
  readonly label: string
  readonly type: ParameterType
  readonly required: boolean
  /** As text; of a secret its name. */
  readonly usual: string
  /** Separated by commas. */
  readonly choices: string
  readonly pattern: string
  readonly min: string
  readonly max: string
  /** A default that names a field of devices, which stays as it is. */
  readonly field: string | null
}

export interface ExitCodeDraft {
  readonly key: string
  readonly code: string
  readonly severity: ScriptSeverity
}

export interface ScriptDraft {
  readonly name: string
  readonly description: string
  readonly categoryId: string
  readonly tags: string
  readonly osTypes: readonly KeptScript['osTypes'][number][]
  readonly language: KeptScript['language']
  readonly content: string
  readonly parameters: readonly ParameterDraft[]
  /** One on each line. */
  readonly args: string
  readonly timeoutSeconds: string
  readonly runAs: KeptScript['runAs']
  readonly runAsUser: string
  readonly exitCodes: readonly ExitCodeDraft[]
  readonly sharedWithOrganizations: boolean
  readonly comment: string
}

let made = 0
const newKey = () => `row-${++made}`

export const newParameter = (): ParameterDraft => ({
  ...{ key: newKey(), name: '', label: '', type: 'text', required: false },
  ...{ usual: '', choices: '', pattern: '', min: '', max: '', field: null },
})

export const newExitCode = (): ExitCodeDraft => ({ key: newKey(), code: '', severity: 'warning' })

const textOf = (value: number | null) => (value === null ? '' : String(value))

export function parameterDraftOf({ default: usual, choices, label, pattern, min, max, ...rest }: ScriptParameter) {
  const named = typeof usual === 'object' ? usual : null
  return {
    ...newParameter(),
    ...rest,
    ...{ label: label ?? '', choices: choices.join(', '), pattern: pattern ?? '', min: textOf(min), max: textOf(max) },
    usual: named !== null && 'secret' in named ? named.secret : typeof usual === 'object' ? '' : String(usual),
    field: named !== null && 'field' in named ? named.field : null,
  }
}

export const emptyScript: ScriptDraft = {
  ...{ name: '', description: '', categoryId: '', tags: '', osTypes: [], language: 'bash' },
  ...{ content: '#!/usr/bin/env bash\nset -euo pipefail\n\n', parameters: [], args: '', timeoutSeconds: '300' },
  ...{ runAs: 'system', runAsUser: '', exitCodes: [], sharedWithOrganizations: false, comment: '' },
}

export const scriptDraftOf = (script: KeptScript): ScriptDraft => ({
  ...script,
  description: script.description ?? '',
  categoryId: script.categoryId ?? '',
  tags: script.tags.join(', '),
  parameters: script.parameters.map(parameterDraftOf),
  args: script.args.join('\n'),
  timeoutSeconds: String(script.timeoutSeconds),
  runAsUser: script.runAsUser ?? '',
  exitCodes: Object.entries(script.exitCodes).map(([code, severity]) => ({ key: newKey(), code, severity })),
  comment: '',
})

const listed = (text: string, separator: string | RegExp): string[] => [
  ...new Set(
    text
      .split(separator)
      .map((part) => part.trim())
      .filter((part) => part !== ''),
  ),
]

const numberOf = (text: string): number | null => (text.trim() === '' ? null : Number(text))

function defaultOf({ type, usual, field }: ParameterDraft): ScriptParameter['default'] {
  if (field !== null) return { field }
  if (usual === '') return null
  if (type === 'secret') return { secret: usual }
  if (type === 'boolean') return usual === 'true'
  return type === 'number' ? Number(usual) : usual
}

export const parameterOf = (draft: ParameterDraft): ScriptParameter => ({
  ...{ name: draft.name.trim(), label: draft.label.trim() || null, type: draft.type, required: draft.required },
  default: defaultOf(draft),
  choices: draft.type === 'choice' ? listed(draft.choices, ',') : [],
  pattern: draft.type === 'text' ? draft.pattern || null : null,
  min: draft.type === 'text' || draft.type === 'number' ? numberOf(draft.min) : null,
  max: draft.type === 'text' || draft.type === 'number' ? numberOf(draft.max) : null,
})

/** What a draft says in a request. */
export const scriptOf = (draft: ScriptDraft) => ({
  name: draft.name.trim(),
  description: draft.description.trim() || null,
  categoryId: draft.categoryId || null,
  tags: listed(draft.tags, ','),
  osTypes: [...draft.osTypes],
  language: draft.language,
  content: draft.content,
  parameters: draft.parameters.map(parameterOf),
  args: draft.args === '' ? [] : draft.args.split('\n'),
  timeoutSeconds: Number(draft.timeoutSeconds),
  runAs: draft.runAs,
  runAsUser: draft.runAs === 'user' ? draft.runAsUser.trim() || null : null,
  exitCodes: Object.fromEntries(draft.exitCodes.map(({ code, severity }) => [code.trim(), severity])),
  sharedWithOrganizations: draft.sharedWithOrganizations,
  comment: draft.comment.trim() || null,
})

/** Why a draft cannot be saved; undefined when it can. */
export function faultOfScript(draft: ScriptDraft): string | undefined {
  if (draft.name.trim() === '') return 'Enter a name'
  if (draft.content.trim() === '') return 'Write the script'
  if (!/^\d{1,5}$/.test(draft.timeoutSeconds) || Number(draft.timeoutSeconds) < 1) return 'Timeout: enter seconds'
  for (const each of draft.parameters) {
    const parsed = ScriptParameter.safeParse(parameterOf(each))
    if (!parsed.success) return `${each.name || 'Parameter'}: ${parsed.error.issues[0]?.message ?? 'is not valid'}`
  }
  const codes = draft.exitCodes.map(({ code }) => code.trim())
  if (new Set(codes).size < codes.length) return 'Two exit codes are the same'
  const parsed = ExitCodes.safeParse(scriptOf(draft).exitCodes)
  return parsed.success ? undefined : 'Exit codes: enter a number or *'
}
