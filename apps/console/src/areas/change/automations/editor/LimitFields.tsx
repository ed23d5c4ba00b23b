import { ChoiceField } from '../../../../ui/form/ChoiceField.tsx'
import { CheckField, TextField } from '../../../../ui/form/fields.tsx'
import { failureChoices, overlapChoices } from '../words.tsx'
import type { DraftProps } from './editorProps.ts'

type NumberPart = 'maxDevicesPerRun' | 'maxRunsPerHour' | 'cooldownSeconds'

/** What becomes of failures and of runs beside each other, and how far and how often an automation acts. */
export function LimitFields({ draft, faultAt, set }: DraftProps) {
  const number = (part: NumberPart, label: string, hint: string) => (
    <TextField
      label={label}
      hint={hint}
      error={faultAt(part)}
      inputMode="numeric"
      value={draft[part]}
      onChange={({ target }) => set({ [part]: target.value })}
    />
  )
  return (
    <>
      <div className="grid gap-4 sm:grid-cols-2">
        <ChoiceField
          label="When an action fails"
          value={draft.onFailure}
          options={failureChoices}
          choose={(onFailure) => set({ onFailure })}
        />
        <ChoiceField
          label="While another run is open"
          hint="One with the same devices"
          value={draft.overlap}
          options={overlapChoices}
          choose={(overlap) => set({ overlap })}
        />
      </div>
      <div className="grid gap-4 sm:grid-cols-3">
        {number('maxDevicesPerRun', 'Devices per run', 'A run with more does nothing')}
        {number('maxRunsPerHour', 'Runs per hour', 'More stop the automation')}
        {number('cooldownSeconds', 'Cooldown (seconds)', 'Between runs with the same devices')}
      </div>
      <CheckField
        label="Respect maintenance windows"
        checked={draft.respectMaintenance}
        onChange={(respectMaintenance) => set({ respectMaintenance })}
      />
    </>
  )
}
