import type { Comparison, Filter } from '@muster/areas/fleet/filter-language/filter.contract.ts'
import { X } from 'lucide-react'
import { duration, many } from '../../../ui/text/quantity.ts'
import { useTimes } from '../../../ui/text/time.tsx'
import { usePlaceNames } from '../../tenancy/tenancy/placeNames.ts'
import { conditionsIn } from './draft.ts'
import { useFields } from './useFields.ts'
import { operatorText } from './words.ts'

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

function useConditionWords(): (filter: Filter) => string {
  const fields = useFields()
  const { orgs, sites } = usePlaceNames()
  const { moment } = useTimes()
  const one = (type: string | undefined, value: unknown): string => {
    if (typeof value === 'boolean') return value ? 'yes' : 'no'
    const text = String(value)
    return type === 'time' ? moment(text) : (orgs.get(text) ?? sites.get(text) ?? text)
  }
  const valueWords = (type: string | undefined, { op, value }: Comparison): string => {
    if (value === undefined) return ''
    if ((op === 'withinLast' || op === 'notWithinLast') && typeof value === 'number') return duration(value)
    if (!Array.isArray(value)) return one(type, value)
    return value.map((each) => one(type, each)).join(op === 'between' ? ' and ' : ', ')
  }
  return (filter) => {
    if (!('field' in filter)) {
      const kind = 'any' in filter ? 'Any of' : 'not' in filter ? 'None of' : 'All of'
      return `${kind} ${many(conditionsIn(filter), 'condition')}`
    }
    const field = fields.get(filter.field)
    return `${field?.label ?? filter.field} ${operatorText(filter.op)} ${valueWords(field?.type, filter)}`.trim()
  }
}
