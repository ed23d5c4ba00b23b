// A filter while it is edited: the same tree, with ids for its parts and room for invalid conditions.
import { type Field, fields } from '@muster/areas/fleet/filter-language/fields.contract.ts'
import {
  type Comparison,
  type Filter,
  type FilterValue,
  faultOf,
} from '@muster/areas/fleet/filter-language/filter.contract.ts'

export interface Rule {
  readonly id: string
  readonly field: string
  readonly op: string
  readonly value: FilterValue | undefined
}
export type Kind = 'all' | 'any' | 'none'
export interface Group {
  readonly id: string
  readonly kind: Kind
  readonly parts: readonly Part[]
}
export type Part = Rule | Group
export type Fields = ReadonlyMap<string, Field>

export const isGroup = (part: Part): part is Group => 'parts' in part

let made = 0
const newId = () => `part-${++made}`

export const emptyGroup = (kind: Kind = 'all'): Group => ({ id: newId(), kind, parts: [] })
export const newRule = (): Rule => ({ id: newId(), field: 'status', op: 'is', value: 'online' })
export const groupOfOne = (): Group => ({ ...emptyGroup('any'), parts: [newRule()] })

/** The draft of a stored filter. Its root is always a group. */
export function draftOf(filter: Filter | undefined): Group {
  if (filter === undefined) return emptyGroup()
  const root = partOf(filter)
  return isGroup(root) ? root : { ...emptyGroup(), parts: [root] }
}

function partOf(filter: Filter): Part {
  if ('all' in filter) return { id: newId(), kind: 'all', parts: filter.all.map(partOf) }
  if ('any' in filter) return { id: newId(), kind: 'any', parts: filter.any.map(partOf) }
  if ('not' in filter) {
    const inner = filter.not
    return { id: newId(), kind: 'none', parts: 'any' in inner ? inner.any.map(partOf) : [partOf(inner)] }
  }
  const { field, op, value } = filter
  return { id: newId(), field, op, value }
}

/** The filter that a draft stands for; groups without conditions are left out, and undefined means: nothing is asked. */
export function filterOf(draft: Group): Filter | undefined {
  const parts = draft.parts.flatMap((part): Filter[] => {
    if (!isGroup(part)) return [comparisonOf(part)]
    const filter = filterOf(part)
    return filter === undefined ? [] : [filter]
  })
  if (parts.length === 0) return undefined
  if (draft.kind === 'none') return { not: { any: parts } }
  return draft.kind === 'all' ? { all: parts } : { any: parts }
}

const comparisonOf = ({ field, op, value }: Rule): Comparison =>
  value === undefined ? { field, op } : { field, op, value }

/** Why a condition is invalid; null when it is valid. */
export function faultIn(rule: Rule, known: Fields): string | null {
  const field = known.get(rule.field)
  return field === undefined ? `There is no field ${rule.field}` : faultOf(comparisonOf(rule), field)
}

/** Whether all conditions of the draft are valid. */
export const isSound = (draft: Group, known: Fields): boolean =>
  draft.parts.every((part) => (isGroup(part) ? isSound(part, known) : faultIn(part, known) === null))

/** How many conditions there are, at all depths. */
export const conditionsIn = (filter: Filter | undefined): number => {
  if (filter === undefined) return 0
  if ('field' in filter) return 1
  const parts = 'all' in filter ? filter.all : 'any' in filter ? filter.any : [filter.not]
  return parts.reduce((sum, part) => sum + conditionsIn(part), 0)
}

export const builtInFields: Fields = new Map<string, Field>(Object.entries(fields))
