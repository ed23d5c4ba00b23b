import { useId } from 'react'
import { ChoiceField } from '../../../../ui/form/ChoiceField.tsx'
import { SelectField, TextField } from '../../../../ui/form/fields.tsx'
import { Select } from '../../../../ui/form/Select.tsx'
import { plainRecurrence, positions, type Recurrence, ruleOf, weekdays } from './recurrence.ts'

interface Props {
  readonly value: Recurrence
  readonly startsAt: string
  change(value: Recurrence): void
}

const kinds = [
  ['once', 'Does not repeat'],
  ['daily', 'Daily'],
  ['weekly', 'Weekly'],
  ['monthly', 'Monthly'],
  ['custom', 'Custom rule'],
] as const
const units = { daily: 'days', weekly: 'weeks', monthly: 'months' } as const
const ends = [
  ['never', 'Never'],
  ['until', 'On a day'],
  ['count', 'After a number of times'],
] as const

/** How a window repeats: plain fields, or a rule in text. */
export function RecurrenceFields({ value, startsAt, change }: Props) {
  const { kind, rule } = value
  const set = (part: Partial<Recurrence>) => change({ ...value, ...part })
  const choose = (next: Recurrence['kind']) => {
    // The fields begin with the day of the start, the rule with what the fields said.
    if (kind === 'once') change({ ...plainRecurrence(startsAt), kind: next })
    else set({ kind: next, ...(next === 'custom' && { rule: ruleOf(value) ?? '' }) })
  }
  return (
    <div className="grid gap-3">
      <ChoiceField label="Repeats" value={kind} options={kinds} choose={choose} />
      {kind === 'custom' && (
        <TextField
          label="Recurrence rule"
          hint="As in RFC 5545, such as FREQ=MONTHLY;BYDAY=2TU. Days and longer only."
          spellCheck={false}
          className="font-mono"
          value={rule}
          onChange={({ target }) => set({ rule: target.value })}
        />
      )}
      {kind !== 'once' && kind !== 'custom' && (
        <>
          <TextField
            label={`Every (${units[kind]})`}
            type="number"
            min={1}
            value={Number.isNaN(value.every) ? '' : value.every}
            onChange={({ target }) => set({ every: target.valueAsNumber })}
          />
          {kind === 'weekly' && <Weekdays chosen={value.days} change={(days) => set({ days })} />}
          {kind === 'monthly' && <MonthlyFields value={value} set={set} />}
          <EndFields value={value} set={set} />
        </>
      )}
    </div>
  )
}

interface WeekdaysProps {
  readonly chosen: Recurrence['days']
  change(days: Recurrence['days']): void
}
function Weekdays({ chosen, change }: WeekdaysProps) {
  const id = useId()
  return (
    <div role="group" aria-labelledby={id} className="grid gap-1">
      <span id={id} className="font-medium text-sm">
        On
      </span>
      <span className="flex flex-wrap gap-1">
        {weekdays.map(([day, name]) => (
          <button
            key={day}
            type="button"
            aria-label={name}
            aria-pressed={chosen.includes(day)}
            className="h-8 w-11 rounded-md border border-line-strong text-sm aria-pressed:border-accent aria-pressed:bg-accent-soft aria-pressed:text-accent-text"
            onClick={() => change(chosen.includes(day) ? chosen.filter((each) => each !== day) : [...chosen, day])}
          >
            {name.slice(0, 3)}
          </button>
        ))}
      </span>
    </div>
  )
}

interface PartProps {
  readonly value: Recurrence
  set(part: Partial<Recurrence>): void
}
const monthDays = [
  ...Array.from({ length: 31 }, (_, index) => [String(index + 1), `Day ${index + 1}`] as const),
  ['-1', 'Last day'] as const,
]

function MonthlyFields({ value: { monthly, monthDay, position, weekday }, set }: PartProps) {
  return (
    <div role="group" aria-label="Day of the month" className="flex flex-wrap gap-2">
      <Select
        label="Chosen by"
        value={monthly}
        className="w-40"
        options={[
          ['date', 'By date'],
          ['weekday', 'By weekday'],
        ]}
        choose={(next = 'date') => set({ monthly: next })}
      />
      {monthly === 'date' ? (
        <Select
          label="Date"
          value={String(monthDay)}
          className="w-32"
          options={monthDays}
          choose={(next) => set({ monthDay: Number(next) })}
        />
      ) : (
        <>
          <Select
            label="Position"
            value={position}
            className="w-28"
            options={positions}
            choose={(next) => set({ position: next ?? '1' })}
          />
          <Select
            label="Weekday"
            value={weekday}
            className="w-36"
            options={weekdays}
            choose={(next = 'MO') => set({ weekday: next })}
          />
        </>
      )}
    </div>
  )
}

function EndFields({ value: { end, until, count }, set }: PartProps) {
  return (
    <div className="grid gap-3 sm:grid-cols-2">
      <SelectField
        label="Ends"
        value={end}
        onChange={({ target }) => set({ end: ends.find(([each]) => each === target.value)?.[0] ?? 'never' })}
      >
        {ends.map(([each, words]) => (
          <option key={each} value={each}>
            {words}
          </option>
        ))}
      </SelectField>
      {end === 'until' && (
        <TextField label="Last day" type="date" value={until} onChange={({ target }) => set({ until: target.value })} />
      )}
      {end === 'count' && (
        <TextField
          label="Number of times"
          type="number"
          min={1}
          value={Number.isNaN(count) ? '' : count}
          onChange={({ target }) => set({ count: target.valueAsNumber })}
        />
      )}
    </div>
  )
}
