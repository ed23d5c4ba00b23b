import { useId, useState } from 'react'
import { capital } from '../text/words.ts'
import { CheckField, inputClass } from './fields.tsx'

interface Choice {
  readonly id: string
  readonly group: string
  readonly label: string
  readonly hint: string
}
interface Props {
  readonly label: string
  readonly error?: string | undefined
  readonly choices: readonly Choice[]
  readonly chosen: readonly string[]
  change(chosen: string[]): void
}

/** Check boxes in groups, with a search field: for choices that are too many for one column. */
export function GroupedCheckList({ label, error, choices, chosen, change }: Props) {
  const id = useId()
  const [search, setSearch] = useState('')
  const wanted = search.trim().toLowerCase()
  const found = choices.filter((each) => `${each.group} ${each.label} ${each.hint}`.toLowerCase().includes(wanted))
  const groups = [...new Set(found.map(({ group }) => group))]
  const toggle = (which: string, on: boolean) =>
    change(choices.map((each) => each.id).filter((each) => (each === which ? on : chosen.includes(each))))
  return (
    <fieldset aria-describedby={`${id}-more`} className="grid min-w-0 gap-1">
      <legend className="mb-1 font-medium text-sm">{label}</legend>
      <input
        type="text"
        aria-label={`Search ${label.toLowerCase()}`}
        placeholder="Search"
        value={search}
        onChange={({ target }) => setSearch(target.value)}
        className={inputClass}
      />
      <div
        tabIndex={-1}
        className="grid max-h-72 gap-3 overflow-y-auto rounded-md border border-line-strong bg-surface p-2.5"
      >
        {groups.length === 0 && <p className="text-muted text-sm">No matches. Try another search.</p>}
        {groups.map((group) => (
          <div key={group} role="group" aria-label={capital(group)} className="grid gap-1.5">
            <span className="font-medium text-muted text-xs">{capital(group)}</span>
            {found
              .filter((each) => each.group === group)
              .map((each) => (
                <CheckField
                  key={each.id}
                  label={each.label}
                  hint={each.hint}
                  checked={chosen.includes(each.id)}
                  onChange={(on) => toggle(each.id, on)}
                />
              ))}
          </div>
        ))}
      </div>
      <p id={`${id}-more`} className={`text-xs ${error === undefined ? 'text-muted' : 'text-bad-text'}`}>
        {error ?? `${chosen.length} selected`}
      </p>
    </fieldset>
  )
}
