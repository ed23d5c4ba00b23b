import type { Effect, Effects } from '@muster/areas/control/maintenance/maintenance.contract.ts'
import type { z } from 'zod'
import { Select } from '../../../../ui/form/Select.tsx'
import { activities } from '../words.tsx'

interface Props {
  readonly value: Effects
  change(value: Effects): void
}

type Choice = z.infer<typeof Effect>
const choices: readonly (readonly [Choice, string])[] = [
  ['none', 'No effect'],
  ['suppress', 'Suppress during windows'],
  ['confine', 'Only during windows'],
]
/** Alerts happen at any time, so they cannot be confined. */
const alertChoices = choices.filter(([choice]) => choice !== 'confine')

const withEffect = (effects: Effects, activity: keyof Effects, choice: Choice): Effects => {
  if (activity !== 'alerts') return { ...effects, [activity]: choice }
  return choice === 'confine' ? effects : { ...effects, alerts: choice }
}

/** What a window does to each activity. */
export function EffectFields({ value, change }: Props) {
  return (
    <fieldset className="grid gap-1.5">
      <legend className="mb-1 font-medium text-sm">Effects</legend>
      {activities.map(([activity, label]) => (
        <div key={activity} className="flex items-center justify-between gap-3 text-sm">
          <span aria-hidden>{label}</span>
          <Select
            label={label}
            value={value[activity]}
            className="w-56"
            options={activity === 'alerts' ? alertChoices : choices}
            choose={(next = 'none') => change(withEffect(value, activity, next))}
          />
        </div>
      ))}
    </fieldset>
  )
}
