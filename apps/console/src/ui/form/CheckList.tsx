import { type ReactNode, useId } from 'react'
import { CheckField } from './fields.tsx'

interface Choice {
  readonly id: string
  readonly label: string
  readonly hint?: string
  /** Why it cannot be chosen. */
  readonly blocked?: string | undefined
}
interface Props {
  readonly label: string
  readonly hint?: ReactNode
  readonly error?: string | undefined
  readonly choices: readonly Choice[]
  readonly chosen: readonly string[]
  change(chosen: string[]): void
}

/** Several of many, with a box each. */
export function CheckList({ label, hint, error, choices, chosen, change }: Props) {
  const id = useId()
  const toggle = (which: string, on: boolean) =>
    change(choices.map((each) => each.id).filter((each) => (each === which ? on : chosen.includes(each))))
  return (
    <fieldset aria-describedby={`${id}-more`} className="grid gap-1">
      <legend className="mb-1 font-medium text-sm">{label}</legend>
      <div
        tabIndex={-1}
        className="grid max-h-60 gap-2 overflow-y-auto rounded-md border border-line-strong bg-surface p-2.5"
      >
        {choices.length === 0 && <p className="text-muted text-sm">No options</p>}
        {choices.map((each) => (
          <CheckField
            key={each.id}
            label={each.label}
            {...((each.blocked ?? each.hint) !== undefined && { hint: each.blocked ?? each.hint ?? '' })}
            disabled={each.blocked !== undefined && !chosen.includes(each.id)}
            checked={chosen.includes(each.id)}
            onChange={(on) => toggle(each.id, on)}
          />
        ))}
      </div>
      <p id={`${id}-more`} className={`text-xs ${error === undefined ? 'text-muted' : 'text-bad-text'}`}>
        {error ?? hint}
      </p>
    </fieldset>
  )
}
