import { ChevronDown } from 'lucide-react'
import type { ComponentProps, ReactNode } from 'react'

type Option<Value extends string> = readonly [Value, string]
/** Options below a heading. */
export interface OptionGroup<Value extends string> {
  readonly label: string
  readonly options: readonly Option<Value>[]
}

/** The one select of the console: the browser's own list, which phones and keyboards know, in our look. */
export function BareSelect({ className = '', children, ...rest }: ComponentProps<'select'>) {
  return (
    <span className={`relative inline-flex max-w-full ${className || 'w-full'}`}>
      <select
        {...rest}
        className="h-8 w-full cursor-pointer appearance-none truncate rounded-md border border-line-strong bg-surface pr-8 pl-2.5 text-ink text-sm hover:bg-hover disabled:opacity-60 aria-invalid:border-bad data-[chosen]:border-accent data-[chosen]:text-accent-text"
      >
        {children}
      </select>
      <ChevronDown
        aria-hidden
        className="-translate-y-1/2 pointer-events-none absolute top-1/2 right-2.5 size-4 text-muted"
      />
    </span>
  )
}

interface Props<Value extends string> {
  readonly label: string
  readonly value: Value | '' | undefined
  /** Stands for no choice; without it there is always one. */
  readonly none?: string
  readonly options: readonly Option<Value>[]
  readonly groups?: readonly OptionGroup<Value>[]
  readonly className?: string
  choose(value: Value | undefined): void
}

/** A choice in a row of tools, whose label is only read out. */
export function Select<Value extends string>({
  label,
  value = '',
  none,
  options,
  groups = [],
  className = 'w-44',
  choose,
}: Props<Value>) {
  const all = [...options, ...groups.flatMap((group) => group.options)]
  return (
    <BareSelect
      aria-label={label}
      value={value}
      className={className}
      data-chosen={none !== undefined && value !== '' ? true : undefined}
      onChange={({ target }) => choose(all.find(([each]) => each === target.value)?.[0])}
    >
      {none !== undefined && <option value="">{none}</option>}
      <OptionList options={options} />
      {groups.map((group) => (
        <optgroup key={group.label} label={group.label}>
          <OptionList options={group.options} />
        </optgroup>
      ))}
    </BareSelect>
  )
}

export const OptionList = ({ options }: { readonly options: readonly Option<string>[] }): ReactNode =>
  options.map(([each, words]) => (
    <option key={each} value={each}>
      {words}
    </option>
  ))
