// The script of an action while it is edited.
import type { ParameterValue, ScriptParameter } from '@muster/areas/change/scripts/parameters.contract.ts'
import { type ValueDrafts, valueDraftsOf, valuesOf } from '../../../scripts/runs/runDraft.ts'

type Values = Readonly<Record<string, ParameterValue>>

export interface ScriptDraft {
  readonly id: string
  /** The values as they are stored. */
  readonly stored: Values
  /** The values that were changed, with the parameters that they are for; null as long as none was. */
  readonly changed: { readonly parameters: readonly ScriptParameter[]; readonly values: ValueDrafts } | null
  /** Empty: as long as the script may take. */
  readonly waitSeconds: string
}

export const scriptDraftOf = (id: string, stored: Values = {}, waitSeconds?: number): ScriptDraft => ({
  ...{ id, stored, changed: null },
  waitSeconds: waitSeconds === undefined ? '' : String(waitSeconds),
})

/** The values as they are shown: changed, stored or default ones. */
export const shownValues = ({ stored, changed }: ScriptDraft, parameters: readonly ScriptParameter[]): ValueDrafts =>
  changed?.values ?? valueDraftsOf(parameters.map((each) => ({ ...each, default: stored[each.name] ?? each.default })))

/** What a draft says in a request. */
export function scriptOf({ id: scriptId, stored, changed, waitSeconds }: ScriptDraft) {
  const values = changed === null ? stored : valuesOf(changed.parameters, changed.values)
  return {
    scriptId,
    ...(Object.keys(values).length > 0 && { parameters: values }),
    ...(waitSeconds.trim() !== '' && { waitSeconds: Number(waitSeconds) }),
  }
}
