import { type FieldType, operatorsOf } from '@muster/areas/fleet/filter-language/fields.contract.ts'
import type { FilterValue } from '@muster/areas/fleet/filter-language/filter.contract.ts'

const operatorWords: Readonly<Record<string, string>> = {
  is: 'is',
  isNot: 'is not',
  contains: 'contains',
  notContains: 'does not contain',
  startsWith: 'starts with',
  endsWith: 'ends with',
  in: 'is one of',
  notIn: 'is none of',
  isSet: 'has a value',
  isNotSet: 'is empty',
  atLeast: 'is at least',
  atMost: 'is at most',
  moreThan: 'is more than',
  lessThan: 'is less than',
  between: 'is between',
  before: 'was before',
  after: 'was after',
  withinLast: 'was within the last',
  notWithinLast: 'was not within the last',
  hasAny: 'have any of',
  hasAll: 'have all of',
  hasNone: 'have none of',
  has: 'has',
  hasNot: 'does not have',
}

/** A comparison in words, such as “is at least”. */
export const operatorText = (op: string): string => operatorWords[op] ?? op

/** The operators of a type of field, each with its words. */
export const operatorsFor = (type: FieldType): readonly (readonly [string, string])[] =>
  operatorsOf[type].map((op) => [op, operatorText(op)] as const)

/** The value of a condition whose field or operator was just selected. */
export function firstValue(type: FieldType, op: string, values: readonly string[]): FilterValue | undefined {
  if (op === 'isSet' || op === 'isNotSet') return undefined
  if (op === 'withinLast' || op === 'notWithinLast') return 86_400
  if (op === 'between') return [0, 100]
  if (type === 'boolean') return true
  if (type === 'number') return 0
  if (type === 'choice') return op === 'in' || op === 'notIn' ? values.slice(0, 1) : (values[0] ?? '')
  if (type === 'time') return new Date(Math.floor(Date.now() / 60_000) * 60_000).toISOString()
  return type === 'tags' || op === 'in' || op === 'notIn' ? [] : ''
}
