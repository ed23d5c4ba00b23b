import { inputClass } from './fields.tsx'

interface Props<Value extends string> {
  readonly label: string
  readonly value: Value | ''
  /** What stands for no choice; without it there is always one. */
  readonly none?: string
  readonly options: readonly (readonly [Value, string])[]
  readonly className?: string
  choose(value: Value | undefined): void
}

/** A choice in a row of tools, whose label is only read out. */
export function Select<Value extends string>({
  label,
  value,
  none,
  options,
  className = '!w-44',
  choose,
}: Props<Value>) {
  return (
    <select
      aria-label={label}
      value={value}
      className={`${inputClass} ${className} ${none !== undefined && value !== '' ? '!border-accent' : ''}`}
      onChange={({ target }) => choose(options.find(([each]) => each === target.value)?.[0])}
    >
      {none !== undefined && <option value="">{none}</option>}
      {options.map(([each, words]) => (
        <option key={each} value={each}>
          {words}
        </option>
      ))}
    </select>
  )
}
