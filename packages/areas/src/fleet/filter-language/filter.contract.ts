// The filter language: one JSON tree, used by saved filters, dynamic groups, device lists and bulk targets.
// `{ "all": [] }` matches all devices.
//   { "all": [ { "field": "status", "op": "is", "value": "online" }, { "not": { "field": "tags", "op": "hasAny", "value": ["lab"] } } ] }
import { z } from 'zod'
import { type Field, fields, isFieldName, operatorsOf } from './fields.contract.ts'

export const filterDepthMax = 6
export const filterNodesMax = 100
const valuesMax = 500
const textMax = 500

// Text columns cannot store NUL.
const Text = z
  .string()
  .max(textMax)
  .refine((text) => !text.includes('\0'), { error: 'must not contain NUL' })
const Value = z.union([
  Text,
  z.number(),
  z.boolean(),
  z
    .array(z.union([Text, z.number()]))
    .min(1)
    .max(valuesMax),
])
export type FilterValue = z.infer<typeof Value>

export interface Comparison {
  field: string
  op: string
  value?: FilterValue
}
export type Filter = { all: Filter[] } | { any: Filter[] } | { not: Filter } | Comparison

const Comparison = z.strictObject({ field: z.string().max(100), op: z.string().max(30), value: Value.optional() })
const Node: z.ZodType<Filter> = z.lazy(() =>
  z.union(
    [
      z.strictObject({ all: z.array(Node).max(filterNodesMax) }),
      z.strictObject({ any: z.array(Node).min(1).max(filterNodesMax) }),
      z.strictObject({ not: Node }),
      Comparison,
    ],
    { error: 'must be { field, op, value }, or { all: […] }, { any: […] } or { not: … } of such conditions' },
  ),
)

const childrenOf = (filter: object): unknown[] =>
  'all' in filter && Array.isArray(filter.all)
    ? filter.all
    : 'any' in filter && Array.isArray(filter.any)
      ? filter.any
      : 'not' in filter
        ? [filter.not]
        : []

/** Measures a filter without recursion before it is parsed; null when it is too deep or too large. */
function fits(root: unknown): boolean {
  let level: unknown[] = [root]
  let nodes = 0
  for (let depth = 0; level.length > 0; depth++) {
    nodes += level.length
    if (depth >= filterDepthMax || nodes > filterNodesMax) return false
    level = level.flatMap((node) => (node !== null && typeof node === 'object' ? childrenOf(node) : []))
  }
  return true
}

const isTextual = (value: FilterValue | undefined): value is string => typeof value === 'string'
const isIsoTime = (value: FilterValue | undefined) =>
  isTextual(value) && z.iso.datetime({ offset: true }).safeParse(value).success
const list = (value: FilterValue | undefined, item: (one: string | number) => boolean) =>
  Array.isArray(value) && value.every(item)
const text = (one: unknown) => typeof one === 'string'
const number = (one: unknown) => typeof one === 'number' && Number.isFinite(one)

type Check = (value: FilterValue | undefined, known: Field) => string | null
const expects = (fine: boolean, words: string): string | null => (fine ? null : `the value must be ${words}`)
const choiceWords = ({ values = [] }: Field) => `one of ${values.join(', ')}`

const checks: Record<Field['type'], Check> = {
  text: (value) => expects(text(value) || list(value, text), 'a text'),
  number: (value) => expects(number(value), 'a number'),
  boolean: (value) => expects(typeof value === 'boolean', 'true or false'),
  choice: (value, known) => expects(isTextual(value) && (known.values ?? []).includes(value), choiceWords(known)),
  id: (value) => expects(z.guid().safeParse(value).success, 'an id'),
  time: (value) => expects(isIsoTime(value), 'an ISO 8601 time'),
  version: (value) => expects(isTextual(value) && /^\d+(\.\d+){0,3}/.test(value), 'a version such as 1.2.3'),
  tags: (value) => expects(list(value, text), 'a list of tags'),
  items: (value) => expects(isTextual(value) && value !== '', 'a text'),
}

/** The problem of one comparison, in words for its author; null when there is none. */
export function faultOf({ field, op, value }: Comparison, known: Field): string | null {
  const operators: readonly string[] = operatorsOf[known.type]
  if (!operators.includes(op)) return `${op} cannot be used with ${field}; use ${operators.join(', ')}`
  if (op === 'isSet' || op === 'isNotSet') return expects(value === undefined, 'left out')
  if (op === 'in' || op === 'notIn') {
    const each = (one: string | number) => checks[known.type](one, known) === null
    return expects(
      list(value, each),
      known.type === 'choice' ? `a list with ${choiceWords(known)}` : 'a list of values',
    )
  }
  if (op === 'between') return expects(list(value, number) && Array.isArray(value) && value.length === 2, 'two numbers')
  if (op === 'withinLast' || op === 'notWithinLast')
    return expects(number(value) && Number(value) > 0, 'a number of seconds')
  if (known.type === 'text' && Array.isArray(value)) return 'the value must be a text'
  return checks[known.type](value, known)
}

const customPrefix = 'custom.'
/** The key of a custom field, for `custom.<key>`. */
export const customKeyOf = (field: string): string | null =>
  field.startsWith(customPrefix) && /^[a-z][a-z0-9_]{0,62}$/.test(field.slice(customPrefix.length))
    ? field.slice(customPrefix.length)
    : null

function explain(
  filter: Filter,
  path: (string | number)[],
  problem: (path: (string | number)[], message: string) => void,
): void {
  const within = (name: string, parts: Filter[]) => {
    for (const [index, part] of parts.entries()) explain(part, [...path, name, index], problem)
  }
  if ('all' in filter) within('all', filter.all)
  else if ('any' in filter) within('any', filter.any)
  else if ('not' in filter) explain(filter.not, [...path, 'not'], problem)
  else if (isFieldName(filter.field)) {
    const fault = faultOf(filter, fields[filter.field])
    if (fault !== null) problem(path, fault)
  } else if (customKeyOf(filter.field) === null) problem(path, `there is no field ${filter.field}`)
}

/** A filter with valid shape, size, fields, operators and values. Custom fields are checked against their definitions later. */
export const FilterExpression: z.ZodType<Filter> = z
  .unknown()
  .superRefine((given, context) => {
    if (!fits(given)) {
      context.addIssue({
        code: 'custom',
        message: `a filter may have ${filterNodesMax} conditions and be nested ${filterDepthMax} deep`,
        continue: false,
      })
    }
  })
  .pipe(Node)
  .superRefine((filter, context) =>
    explain(filter, [], (path, message) => context.addIssue({ code: 'custom', path, message })),
  )

/** The fields that a filter reads. Its result can change only when one of them changes. */
export function fieldsUsed(filter: Filter): Set<string> {
  const used = new Set<string>()
  const walk = (node: Filter): void => {
    if ('field' in node) used.add(node.field)
    else for (const part of 'all' in node ? node.all : 'any' in node ? node.any : [node.not]) walk(part)
  }
  walk(filter)
  return used
}
