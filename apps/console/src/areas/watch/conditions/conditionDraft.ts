// The conditions of a rule or a template while they are edited. Values are text, so that a template can name its parameters.
import { FilterExpression } from '@muster/areas/fleet/filter-language/filter.contract.ts'
import { type ConditionKind, conditionKinds } from '@muster/areas/watch/alerts/rules/conditions.contract.ts'
import { draftOf, filterOf, type Group } from '../../fleet/filters/draft.ts'
import { usualValues, valueFields } from './kinds.ts'

export interface Leaf {
  readonly id: string
  readonly metric: string
  readonly operator: string
  readonly threshold: string
  readonly clearThreshold: string
  readonly aggregate: string
  readonly windowSeconds: string
}
export interface Tree {
  readonly id: string
  readonly kind: 'all' | 'any'
  readonly parts: readonly (Leaf | Tree)[]
}
export interface ConditionDraft {
  readonly kind: ConditionKind
  readonly tree: Tree
  readonly filter: Group
  /** The values of the other kinds, by name. */
  readonly values: Readonly<Record<string, string>>
}
export const isTree = (part: Leaf | Tree): part is Tree => 'parts' in part

let made = 0
const newId = () => `condition-${++made}`
export const newLeaf = (): Leaf => ({
  id: newId(),
  metric: 'cpuPercent',
  operator: 'gt',
  threshold: '90',
  clearThreshold: '',
  aggregate: 'avg',
  windowSeconds: '300',
})
export const newTree = (parts: readonly (Leaf | Tree)[] = [newLeaf()]): Tree => ({ id: newId(), kind: 'all', parts })

export const newConditions = (kind: ConditionKind = 'metric'): ConditionDraft => ({
  kind,
  tree: newTree(),
  filter: draftOf(undefined),
  values: usualValues(kind),
})

const isRecord = (value: unknown): value is Readonly<Record<string, unknown>> =>
  typeof value === 'object' && value !== null && !Array.isArray(value)

/** A value as text; that of a parameter as `{{name}}`. Null if it is neither. */
function textOf(value: unknown): string | null {
  if (value === undefined) return ''
  if (typeof value === 'string') return value
  if (typeof value === 'number' || typeof value === 'boolean' || value === null) return String(value)
  return isRecord(value) && typeof value.parameter === 'string' ? `{{${value.parameter}}}` : null
}

/** The draft of stored conditions; null if the editor cannot show them. */
export function conditionDraftOf(stored: unknown): ConditionDraft | null {
  if (!isRecord(stored)) return null
  if (stored.kind === undefined || stored.kind === 'metric') {
    const part = partOf(stored)
    if (part === null) return null
    return { ...newConditions(), tree: isTree(part) ? part : newTree([part]) }
  }
  if (stored.kind === 'filter') {
    const filter = FilterExpression.safeParse(stored.filter)
    return filter.success ? { ...newConditions('filter'), filter: draftOf(filter.data) } : null
  }
  return singleDraftOf(stored)
}

function singleDraftOf(stored: Readonly<Record<string, unknown>>): ConditionDraft | null {
  const kind = conditionKinds.find((each) => each === stored.kind)
  if (kind === undefined) return null
  const values: Record<string, string> = {}
  for (const { name } of valueFields[kind]) {
    const text = name === 'where' ? linesOf(stored.where) : textOf(stored[name])
    if (text === null) return null
    values[name] = text
  }
  return { ...newConditions(kind), values }
}

function partOf(node: unknown): Leaf | Tree | null {
  if (!isRecord(node)) return null
  const kind = 'any' in node ? 'any' : 'all'
  const below = node[kind]
  if (Array.isArray(below)) {
    const parts = below.map(partOf)
    return parts.includes(null) ? null : { id: newId(), kind, parts: parts.flatMap((part) => part ?? []) }
  }
  const { metric, operator, aggregate = 'last' } = node
  const texts = [node.threshold, node.clearThreshold, node.windowSeconds].map(textOf)
  const [threshold, clearThreshold, windowSeconds] = texts
  if (typeof metric !== 'string' || typeof operator !== 'string' || typeof aggregate !== 'string') return null
  if (threshold == null || clearThreshold == null || windowSeconds == null) return null
  return { id: newId(), metric, operator, aggregate, threshold, clearThreshold, windowSeconds }
}

const parameterForm = /^\{\{\s*([A-Za-z0-9_]+)\s*\}\}$/
/** A parameter, a number, or text that the check of the conditions rejects. */
function numberOf(text: string): unknown {
  const parameter = parameterForm.exec(text)?.[1]
  if (parameter !== undefined) return { parameter }
  return text.trim() !== '' && Number.isFinite(Number(text)) ? Number(text) : text
}
const wordOf = (text: string): unknown => {
  const parameter = parameterForm.exec(text)?.[1]
  return parameter === undefined ? text : { parameter }
}

const given = (name: string, text: string, read: (text: string) => unknown) =>
  text.trim() === '' ? {} : { [name]: read(text) }

function nodeOf(part: Leaf | Tree): unknown {
  if (isTree(part)) return { [part.kind]: part.parts.map(nodeOf) }
  const { metric, operator, aggregate, threshold, clearThreshold, windowSeconds } = part
  return {
    kind: 'metric',
    metric,
    operator,
    threshold: numberOf(threshold),
    ...given('clearThreshold', clearThreshold, numberOf),
    aggregate,
    ...given('windowSeconds', windowSeconds, numberOf),
  }
}

/** The conditions that a draft stands for. They may be invalid. */
export function conditionsOf({ kind, tree, filter, values }: ConditionDraft): unknown {
  if (kind === 'metric') {
    const [only] = tree.parts
    return tree.parts.length === 1 && only !== undefined ? nodeOf(only) : nodeOf(tree)
  }
  if (kind === 'filter') return { kind, filter: filterOf(filter) }
  const fields = valueFields[kind].map(({ name, type }) => {
    const text = values[name] ?? ''
    if (name === 'where') return text.trim() === '' ? {} : { where: fieldsIn(text) }
    return given(name, text, type === 'number' ? numberOf : wordOf)
  })
  return Object.assign({ kind }, ...fields)
}

const literals = new Map<string, unknown>([
  ['true', true],
  ['false', false],
  ['null', null],
])

/** Fields and values from lines `name: value`. */
function fieldsIn(text: string): Record<string, unknown> {
  const pairs = text.split('\n').flatMap((line): [string, unknown][] => {
    const colon = line.indexOf(':')
    if (line.trim() === '') return []
    const value = colon < 0 ? '' : line.slice(colon + 1).trim()
    const read = literals.has(value) ? literals.get(value) : numberOf(value)
    return [[(colon < 0 ? line : line.slice(0, colon)).trim(), read]]
  })
  return Object.fromEntries(pairs)
}

function linesOf(where: unknown): string | null {
  if (where === undefined) return ''
  if (!isRecord(where)) return null
  const lines = Object.entries(where).map(([name, value]) => [name, textOf(value)] as const)
  return lines.some(([, text]) => text === null) ? null : lines.map(([name, text]) => `${name}: ${text}`).join('\n')
}
