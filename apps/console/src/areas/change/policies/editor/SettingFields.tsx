import { ChoiceField } from '../../../../ui/form/ChoiceField.tsx'
import { faultAt, type Issue } from '../../../../ui/form/faults.ts'
import { TextField } from '../../../../ui/form/fields.tsx'
import { settingWords } from '../settings.ts'
import type { SettingDraft } from './settingDraft.ts'

interface Props {
  readonly draft: SettingDraft
  readonly issues: readonly Issue[]
  change(draft: SettingDraft): void
}

const choices = [
  ['', 'Not set'],
  ['yes', 'Yes'],
  ['no', 'No'],
] as const

/** What a policy sets on its devices. */
export const SettingFields = ({ draft, issues, change }: Props) => (
  <div className="grid gap-4 sm:grid-cols-3">
    <TextField
      label={settingWords['agent.heartbeatSeconds']}
      optional
      hint="From 5 to 3,600"
      inputMode="numeric"
      error={faultAt(issues, 'agent.heartbeatSeconds')}
      value={draft.heartbeatSeconds}
      onChange={({ target }) => change({ ...draft, heartbeatSeconds: target.value })}
    />
    <ChoiceField
      label={settingWords['agent.autoUpdate']}
      value={draft.autoUpdate}
      options={choices}
      choose={(autoUpdate) => change({ ...draft, autoUpdate })}
    />
    <ChoiceField
      label={settingWords['scripts.allowed']}
      value={draft.scriptsAllowed}
      options={choices}
      choose={(scriptsAllowed) => change({ ...draft, scriptsAllowed })}
    />
  </div>
)
