import { Search } from 'lucide-react'
import { useEffect, useEffectEvent, useRef, useState } from 'react'
import { inputClass } from './fields.tsx'

/** The least time between two requests while a user types. */
const apartMs = 80

interface Props {
  readonly label: string
  readonly placeholder: string
  readonly value: string | undefined
  /** Undefined when the field is empty. */
  change(text: string | undefined): void
}

/** Searches with the first key at once, then at most once per interval; always with the last key. */
export function SearchField({ label, placeholder, value = '', change }: Props) {
  const [typed, setTyped] = useState(value)
  const asked = useRef([value])
  const askedAt = useRef(0)
  useEffect(() => {
    // A value from here comes back late and must not undo what was typed meanwhile.
    const place = asked.current.indexOf(value)
    if (place < 0) setTyped(value)
    asked.current = place < 0 ? [value] : asked.current.slice(place)
  }, [value])
  const ask = useEffectEvent((text: string) => {
    askedAt.current = Date.now()
    asked.current.push(text)
    change(text || undefined)
  })
  useEffect(() => {
    const text = typed.trim()
    if (text === asked.current.at(-1)) return
    const timer = setTimeout(() => ask(text), Math.max(0, askedAt.current + apartMs - Date.now()))
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
