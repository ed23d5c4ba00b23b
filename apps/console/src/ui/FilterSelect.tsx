import { inputClass } from './fields.tsx'

interface Props<Value extends string> {
  readonly label: string
  /** What stands there while nothing is chosen, such as “Every status”. */
  readonly every: string
  readonly value: Value | undefined
  readonly options: readonly (readonly [Value, string])[]
  change(value: Value | undefined): void
}

/** Narrows a list to one of a few values. */
export function FilterSelect<Value extends string>({ label, every, value, options, change }: Props<Value>) {
  return (
    <select
      aria-label={label}
      value={value ?? ''}
      className={`${inputClass} !w-44`}
      onChange={({ target }) => change(options.find(([each]) => each === target.value)?.[0])}
    >
      <option value="">{every}</option>
      {options.map(([each, words]) => (
        <option key={each} value={each}>
          {words}
        </option>
      ))}
    </select>
  )
}
