import type { Comparison, Filter } from '@muster/areas/fleet/filter-language/filter.contract.ts'
import { duration, many } from '../../../ui/text/quantity.ts'
import { useTimes } from '../../../ui/text/time.tsx'
import { usePlaceNames } from '../../tenancy/tenancy/placeNames.ts'
import { conditionsIn } from './draft.ts'
import { useFields } from './useFields.ts'
import { operatorText } from './words.ts'

/** Writes a condition of a filter in words. Of a group it says how many conditions it has. */
export function useConditionWords(): (filter: Filter) => string {
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
