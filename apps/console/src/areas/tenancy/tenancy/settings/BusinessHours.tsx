import { ChoiceField } from '../../../../ui/form/ChoiceField.tsx'
import { CheckField, inputClass } from '../../../../ui/form/fields.tsx'
import { type Day, days, type Hours, type SettingsDraft } from './settingsForm.ts'

const presets = [
  ['24/7', '24/7'],
  ['business', 'Business hours'],
  ['extended', 'Extended hours'],
  ['custom', 'Custom hours'],
] as const

interface Props {
  readonly draft: SettingsDraft
  change(next: Partial<SettingsDraft>): void
}

/** The business hours: a preset, or hours per day. */
export function BusinessHours({ draft: { preset, hours }, change }: Props) {
  const set = (day: Day, next: Hours) => change({ hours: new Map([...hours, [day, next]]) })
  return (
    <div className="grid gap-4">
      <ChoiceField
        label="Hours"
        value={preset ?? ''}
        options={[['', 'Not set'], ...presets]}
        choose={(next) => change({ preset: next || null })}
      />
      {preset === 'custom' && (
        <div className="grid gap-2">
          {days.map((day) => (
            <DayHours key={day} day={day} hours={hours.get(day)} set={(next) => set(day, next)} />
          ))}
        </div>
      )}
    </div>
  )
}

interface DayProps {
  readonly day: Day
  readonly hours: Hours | undefined
  set(hours: Hours): void
}

function DayHours({ day, hours = { start: '08:00', end: '18:00', closed: true }, set }: DayProps) {
  const label = day.charAt(0).toUpperCase() + day.slice(1)
  const isOpen = hours.closed !== true
  const time = (which: 'start' | 'end', words: string) => (
    <input
      type="time"
      aria-label={`${label}, ${words}`}
      value={hours[which]}
      disabled={!isOpen}
      onChange={({ target }) => set({ ...hours, [which]: target.value })}
      className={`${inputClass} !w-28`}
    />
  )
  return (
    <div className="grid grid-cols-[8rem_auto_auto_auto] items-center justify-start gap-2 text-sm">
      <CheckField
        label={label}
        checked={isOpen}
        onChange={(on) => set({ start: hours.start, end: hours.end, closed: !on })}
      />
      {time('start', 'from')}
      <span className="text-muted">to</span>
      {time('end', 'to')}
    </div>
  )
}
