import { Search } from 'lucide-react'
import { useEffect, useState } from 'react'
import { inputClass } from './fields.tsx'

const typingMs = 120

interface Props {
  readonly label: string
  readonly placeholder?: string
  readonly value: string | undefined
  /** Told a moment after the last key, so that a fast typist asks once; undefined when the field is empty. */
  change(text: string | undefined): void
}

/** The field that narrows a list; `/` jumps to it. */
export function SearchBox({ label, placeholder = 'Search', value = '', change }: Props) {
  const [typed, setTyped] = useState(value)
  useEffect(() => setTyped(value), [value])
  // biome-ignore lint/correctness/useExhaustiveDependencies: only what is typed starts the clock
  useEffect(() => {
    if (typed.trim() === value) return
    const timer = setTimeout(() => change(typed.trim() || undefined), typingMs)
    return () => clearTimeout(timer)
  }, [typed])
  return (
    <span className="relative w-72 max-w-full">
      <Search aria-hidden className="-translate-y-1/2 absolute top-1/2 left-2.5 size-4 text-muted" />
      <input
        type="search"
        aria-label={label}
        placeholder={placeholder}
        value={typed}
        onChange={(event) => setTyped(event.target.value)}
        className={`${inputClass} !pl-8`}
      />
    </span>
  )
}
