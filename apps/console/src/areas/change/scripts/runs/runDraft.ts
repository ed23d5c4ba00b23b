// The values of a run while they are chosen.
import type { ParameterValue, ScriptParameter } from '@muster/areas/change/scripts/parameters.contract.ts'

/** Where a value comes from: it is typed, or it is a field of each device. */
export type ValueKind = 'typed' | 'field'

export interface ValueDraft {
  readonly kind: ValueKind
  /** What is typed, the name of a secret, or the name of a field. */
  readonly text: string
}

export type ValueDrafts = Readonly<Record<string, ValueDraft>>

/** The defaults. */
export const valueDraftsOf = (parameters: readonly ScriptParameter[]): ValueDrafts =>
  Object.fromEntries(parameters.map((parameter) => [parameter.name, valueDraftOf(parameter)]))

function valueDraftOf({ type, default: usual }: ScriptParameter): ValueDraft {
  if (usual === null) return { kind: 'typed', text: type === 'boolean' ? 'false' : '' }
  if (typeof usual !== 'object') return { kind: 'typed', text: String(usual) }
  return 'field' in usual ? { kind: 'field', text: usual.field } : { kind: 'typed', text: usual.secret }
}

function chosenValue({ type }: ScriptParameter, { kind, text }: ValueDraft): ParameterValue {
  if (kind === 'field') return { field: text }
  if (type === 'secret') return { secret: text }
  if (type === 'boolean') return text === 'true'
  return type === 'number' ? Number(text) : text
}

/** What the drafts say in a request. What is empty is left out. */
export const valuesOf = (parameters: readonly ScriptParameter[], drafts: ValueDrafts): Record<string, ParameterValue> =>
  Object.fromEntries(
    parameters.flatMap((parameter) => {
      const draft = drafts[parameter.name]
      return draft === undefined || draft.text.trim() === '' ? [] : [[parameter.name, chosenValue(parameter, draft)]]
    }),
  )

/** Why a run cannot be sent yet; undefined when it can. The server checks the rest. */
export function faultOfValues(parameters: readonly ScriptParameter[], drafts: ValueDrafts): string | undefined {
  for (const { name, label, type, required } of parameters) {
    const { kind, text } = drafts[name] ?? { kind: 'typed', text: '' }
    if (required && text.trim() === '') return `${label ?? name}: enter a value`
    if (type === 'number' && kind === 'typed' && !Number.isFinite(Number(text)))
      return `${label ?? name}: enter a number`
  }
  return undefined
}
