// Inputs with which a caller might extend its reach. Each id in an operation's example is replaced by the caller's own
// and by every other id of that kind. Each field that limits or grants access is set as wide as its schema allows.
import type { Operation } from '@muster/areas/operation.ts'
import { z } from 'zod'
import { probesOf } from './budget.ts'

/** Ids of things of one kind, the caller's own first. */
export type Kinds = Readonly<Record<string, readonly string[]>>

interface FieldSchema {
  readonly type?: string
  readonly enum?: readonly unknown[]
  readonly anyOf?: readonly FieldSchema[]
}

/** The kind of thing that a field names, by the end of the field's name. */
const named: readonly (readonly [RegExp, string])[] = [
  [/^(site)s?Ids?$|^siteIds?$/, 'site'],
  [/groupIds?$/i, 'group'],
  [/^(org|organization)Ids?$/, 'org'],
  [/^deviceIds?$/, 'device'],
  [/roleId$/i, 'role'],
  [/^userIds?$/, 'user'],
  [/^partnerId$/, 'partner'],
]
/** Longer lists of choices are catalogs of commands or actions, not levels of access. */
const choicesMost = 4
const everything = { all: [] }
/** The value that grants or selects most, for fields that do not hold ids. */
const widest: Readonly<Record<string, readonly unknown[]>> = {
  filter: [everything],
  permissions: [[{ resource: '*', action: '*' }]],
  scopes: [['*:*']],
  orgAccess: ['all'],
}

const variants = (field: FieldSchema): readonly FieldSchema[] => [field, ...(field.anyOf ?? [])]
const isList = (field: FieldSchema) => variants(field).some(({ type }) => type === 'array')
const isNullable = (field: FieldSchema) => variants(field).some(({ type }) => type === 'null')

function valuesFor(name: string, field: FieldSchema, kinds: Kinds): readonly unknown[] {
  const known = widest[name]
  if (known !== undefined) return known
  const none = isNullable(field) ? [null] : []
  const kind = named.find(([pattern]) => pattern.test(name))?.[1]
  const ids = kind === undefined ? undefined : kinds[kind]
  if (ids !== undefined) return isList(field) ? [...none, ids] : [...none, ...ids]
  const choices = variants(field).flatMap((one) => one.enum ?? [])
  if (choices.length > 0) return choices.slice(0, choicesMost)
  return variants(field).some(({ type }) => type === 'boolean') ? [true, false] : []
}

/** The same input with each id replaced by the other ids of its kind. */
function aboutOthers(input: Readonly<Record<string, unknown>>, kinds: Kinds): Record<string, unknown>[] {
  return Object.entries(input).flatMap(([name, value]) => {
    const kind = typeof value === 'string' ? Object.values(kinds).find((ids) => ids.includes(value)) : undefined
    return (kind ?? []).filter((id) => id !== value).map((id) => ({ ...input, [name]: id }))
  })
}

/** Inputs made from one example: each of its fields widened, and the same with other ids of the kinds that it names. */
function widened({ endpoint }: Operation, example: object, kinds: Kinds): { core: object[]; further: object[] } {
  const given = { ...example } as Record<string, unknown>
  const described = z.toJSONSchema(endpoint.input, { io: 'input', unrepresentable: 'any' })
  const fields = Object.entries(described.properties ?? {}) as [string, FieldSchema][]
  const wide = fields.map(([name, field]) => [name, valuesFor(name, field, kinds)] as const)
  const others = aboutOthers(given, kinds)
  const all = Object.fromEntries(wide.flatMap(([name, [value]]) => (value === undefined ? [] : [[name, value]])))
  return {
    core: [given, ...wide.flatMap(([name, values]) => values.map((value) => ({ ...given, [name]: value })))],
    further: [
      // With other ids one value for each field is enough; with the example's ids every value is tried.
      ...others.flatMap((base) => [
        base,
        ...wide.flatMap(([name, values]) => values.slice(0, 1).map((value) => ({ ...base, [name]: value }))),
      ]),
      ...[given, ...others].map((base) => ({ ...all, ...base })),
    ],
  }
}

/** Distinct inputs for a caller: the core of the first example, the other examples, and more within the budget. */
export function wideningInputs(
  operation: Operation,
  examples: readonly object[],
  kinds: Kinds,
  budget: number,
): readonly object[] {
  const around = examples.map((example) => widened(operation, example, kinds))
  const textOf = (input: object) => JSON.stringify(input)
  const core = new Set([...(around[0]?.core ?? []), ...examples].map(textOf))
  const all = around.flatMap((each) => [...each.core, ...each.further])
  const distinct = [...new Map(all.map((input) => [textOf(input), input])).values()]
  return probesOf(operation, distinct, { budget, isCore: (input) => core.has(textOf(input)) })
}
