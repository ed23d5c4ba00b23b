import { X } from 'lucide-react'
import { useState } from 'react'
import { Button } from '../../../../ui/button/Button.tsx'
import { TextField } from '../../../../ui/form/fields.tsx'

interface Props {
  /** Local starts of occurrences that are left out. */
  readonly exDates: readonly string[]
  readonly startsAt: string
  change(exDates: readonly string[]): void
}

/** Days on which a window that repeats does not happen. */
export function SkippedDates({ exDates, startsAt, change }: Props) {
  const [day, setDay] = useState('')
  const exDate = `${day}${startsAt.slice(10)}`
  const add = () => {
    change([...new Set([...exDates, exDate])].sort())
    setDay('')
  }
  return (
    <fieldset className="grid gap-1.5">
      <legend className="mb-1 font-medium text-sm">Skipped days</legend>
      <ul aria-label="Skipped days" className="flex flex-wrap gap-1.5">
        {exDates.length === 0 && <li className="text-muted text-sm">None</li>}
        {exDates.map((each) => (
          <li key={each} className="flex items-center gap-1 rounded-md bg-sunken py-0.5 pr-0.5 pl-2 text-sm">
            {each.replace('T', ' ')}
            <button
              type="button"
              aria-label={`Do not skip ${each.replace('T', ' ')}`}
              className="rounded p-1 hover:bg-hover"
              onClick={() => change(exDates.filter((one) => one !== each))}
            >
              <X aria-hidden className="size-3.5" />
            </button>
          </li>
        ))}
      </ul>
      <div className="flex items-end gap-2">
        <TextField label="Day to skip" type="date" value={day} onChange={({ target }) => setDay(target.value)} />
        <Button blocked={day === '' && 'Enter a day first'} onClick={add}>
          Skip day
        </Button>
      </div>
    </fieldset>
  )
}
