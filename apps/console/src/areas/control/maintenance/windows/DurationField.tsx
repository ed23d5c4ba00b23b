import { useState } from 'react'
import { TextField } from '../../../../ui/form/fields.tsx'
import { Select } from '../../../../ui/form/Select.tsx'

interface Props {
  readonly minutes: number
  change(minutes: number): void
}

const units = [
  ['1', 'Minutes'],
  ['60', 'Hours'],
  ['1440', 'Days'],
] as const
type Unit = (typeof units)[number][0]
const unitOf = (minutes: number): Unit =>
  units.toReversed().find(([unit]) => minutes >= Number(unit) && minutes % Number(unit) === 0)?.[0] ?? '1'

/** A length of time in the largest unit that fits. */
export function DurationField({ minutes, change }: Props) {
  const [unit, setUnit] = useState(() => unitOf(minutes))
  const shown = minutes / Number(unit)
  return (
    <div className="grid grid-cols-[1fr_auto] items-end gap-2">
      <TextField
        label="Duration"
        type="number"
        min={1}
        value={Number.isNaN(shown) ? '' : shown}
        onChange={({ target }) => change(target.valueAsNumber * Number(unit))}
      />
      <Select
        label="Unit of the duration"
        value={unit}
        className="w-28"
        options={units}
        choose={(next = '1') => {
          setUnit(next)
          change(shown * Number(next))
        }}
      />
    </div>
  )
}
