import type { Filter } from '@muster/areas/fleet/filter-language/filter.contract.ts'
import { X } from 'lucide-react'
import { useConditionWords } from './conditionWords.ts'

interface Props {
  readonly filter: Filter
  change(filter: Filter | undefined): void
}

/** The conditions of a filter in words. Each can be removed. */
export function FilterChips({ filter, change }: Props) {
  const wordsOf = useConditionWords()
  const parts = 'all' in filter ? filter.all : [filter]
  const without = (index: number) => {
    const rest = parts.toSpliced(index, 1)
    change(rest.length === 0 ? undefined : { all: rest })
  }
  return (
    <ul aria-label="Conditions" className="flex w-full flex-wrap gap-1.5">
      {parts.map((part, index) => {
        const words = wordsOf(part)
        return (
          <li key={words} className="flex items-center gap-1 rounded-md bg-accent-soft py-0.5 pr-1 pl-2 text-sm">
            <span className="max-w-80 truncate" title={words}>
              {words}
            </span>
            <button
              type="button"
              aria-label={`Remove “${words}”`}
              className="rounded p-0.5 text-muted hover:bg-hover hover:text-ink"
              onClick={() => without(index)}
            >
              <X aria-hidden className="size-3.5" />
            </button>
          </li>
        )
      })}
    </ul>
  )
}
