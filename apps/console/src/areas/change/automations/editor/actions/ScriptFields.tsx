import { KeptScript } from '@muster/areas/change/scripts/scripts.contract.ts'
import { useApiQuery, useFullList } from '../../../../../queries.ts'
import { useCan } from '../../../../../session/session.tsx'
import { Options, SelectField, TextField } from '../../../../../ui/form/fields.tsx'
import { ValueFields } from '../../../scripts/runs/ValueFields.tsx'
import type { ActionProps } from '../editorProps.ts'
import { type ScriptDraft, scriptDraftOf, shownValues } from './scriptAction.ts'

/** The script that an action runs, with the values of its parameters. */
export function ScriptFields({ draft, orgId, faultAt, change }: ActionProps) {
  const { script } = draft
  const enabled = useCan()('scripts:read')
  const { data = [] } = useFullList((api) => api.scripts.scripts.list, {}, { enabled, staleMs: 60_000 })
  // Scripts of other organizations are not run on its devices.
  const own = data.filter((each) => each.source !== 'system' && (each.orgId === null || each.orgId === orgId))
  const chosen = useApiQuery(
    (api) => api.scripts.scripts.get,
    { id: script.id },
    { enabled: enabled && script.id !== '', staleMs: 60_000 },
  ).data
  const parameters = KeptScript.safeParse(chosen).data?.parameters ?? []
  const set = (part: Partial<ScriptDraft>) => change({ ...draft, script: { ...script, ...part } })
  const isGone = script.id !== '' && !own.some(({ id }) => id === script.id)
  const fault = faultAt('parameters')
  return (
    <>
      <div className="grid gap-3 sm:grid-cols-2">
        <SelectField
          label="Script"
          error={faultAt('scriptId')}
          value={script.id}
          onChange={({ target }) => set(scriptDraftOf(target.value))}
        >
          {script.id === '' && <option value="">{own.length === 0 ? 'No scripts' : 'Select a script'}</option>}
          <Options of={own} />
          {isGone && <option value={script.id}>{chosen?.name ?? 'A script that you cannot see'}</option>}
        </SelectField>
        {draft.type === 'run_script' && (
          <TextField
            label="Wait at most (seconds)"
            optional
            hint="As long as the script may take unless given; 0 for not at all"
            error={faultAt('waitSeconds')}
            inputMode="numeric"
            value={script.waitSeconds}
            onChange={({ target }) => set({ waitSeconds: target.value })}
          />
        )}
      </div>
      <ValueFields
        parameters={parameters}
        drafts={shownValues(script, parameters)}
        takesFields
        change={(values) => set({ changed: { parameters, values } })}
      />
      {fault !== undefined && <p className="text-bad-text text-xs">{fault}</p>}
      <p className="text-muted text-xs">
        The version that is approved now runs until the automation is enabled or edited again.
      </p>
    </>
  )
}
