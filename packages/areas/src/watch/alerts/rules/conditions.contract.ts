// What a rule asks. A tree of metrics is evaluated on each heartbeat, the other kinds by jobs, followers and agents.

import { nameText } from '@muster/kit/contract.ts'
import { z } from 'zod'
import { FilterExpression } from '../../../fleet/filter-language/filter.contract.ts'

export const conditionDepthMax = 3
export const conditionLeavesMax = 10
/** Windows are kept in memory, for each device. */
export const windowSecondsMax = 3_600

/** The figures of a heartbeat that rules can read. */
export const metricNames = [
  'cpuPercent',
  'memoryUsed',
  'memoryTotal',
  'memoryPercent',
  'memoryFree',
  'diskUsed',
  'diskTotal',
  'diskPercent',
  'diskFree',
  'load1m',
  'uptimeSeconds',
  'networkRxBytes',
  'networkTxBytes',
  'processCount',
  'networkRxPerSecond',
  'networkTxPerSecond',
] as const
export const Metric = z.enum(metricNames)
export type Metric = z.infer<typeof Metric>

const figure = z.number().min(-1e15).max(1e15)

export const MetricCondition = z
  .strictObject({
    kind: z.literal('metric'),
    metric: Metric,
    operator: z.enum(['gt', 'gte', 'lt', 'lte']),
    threshold: figure,
    clearThreshold: figure.optional(),
    aggregate: z.enum(['last', 'avg', 'min', 'max']).default('last'),
    windowSeconds: z.int().min(10).max(windowSecondsMax).optional(),
  })
  .superRefine(({ operator, threshold, clearThreshold, aggregate, windowSeconds }, context) => {
    const problem = (path: string, message: string) => context.addIssue({ code: 'custom', path: [path], message })
    if (aggregate !== 'last' && windowSeconds === undefined) problem('windowSeconds', `${aggregate} needs a window`)
    if (clearThreshold === undefined) return
    const isRising = operator === 'gt' || operator === 'gte'
    if (isRising && clearThreshold > threshold) problem('clearThreshold', 'must not be above the threshold')
    if (!isRising && clearThreshold < threshold) problem('clearThreshold', 'must not be below the threshold')
  })
export type MetricCondition = z.infer<typeof MetricCondition>

export type MetricTree = MetricCondition | { all: MetricTree[] } | { any: MetricTree[] }

const Node: z.ZodType<MetricTree> = z.lazy(() =>
  z.union([
    z.strictObject({ all: z.array(Node).min(1).max(conditionLeavesMax) }),
    z.strictObject({ any: z.array(Node).min(1).max(conditionLeavesMax) }),
    MetricCondition,
  ]),
)

const count = z.int().min(0).max(100_000)
const named = nameText()
const seconds = (least: number, most: number) => z.int().min(least).max(most)
const daySeconds = 86_400

const single = {
  offline: z.strictObject({ kind: z.literal('offline'), seconds: seconds(60, 90 * daySeconds) }),
  siteOffline: z.strictObject({
    kind: z.literal('siteOffline'),
    percent: z.number().min(1).max(100),
    minDevices: z.int().min(1).max(10_000),
    seconds: seconds(60, 90 * daySeconds),
  }),
  filter: z.strictObject({ kind: z.literal('filter'), filter: FilterExpression }),
  forecast: z.strictObject({
    kind: z.literal('forecast'),
    metric: Metric,
    threshold: figure,
    withinHours: z.number().min(1).max(2_160),
  }),
  event: z.strictObject({
    kind: z.literal('event'),
    type: z.string().regex(/^[a-z_]+\.[a-z_]+$/, { error: 'must be the type of an event, such as device.enrolled' }),
    where: z
      .record(z.string().max(100), z.union([z.string().max(500), z.number(), z.boolean(), z.null()]))
      .refine((given) => Object.keys(given).length <= 10, { error: 'must have at most 10 fields' })
      .optional(),
  }),
  service: z.strictObject({ kind: z.literal('service'), name: named }),
  process: z
    .strictObject({ kind: z.literal('process'), name: named, min: count.optional(), max: count.optional() })
    .refine(({ min, max }) => min !== undefined || max !== undefined, { error: 'needs min or max' })
    .refine(({ min = 0, max = min }) => min <= max, { error: 'min must not be above max' }),
  disk: z.strictObject({ kind: z.literal('disk'), mount: named, freePercent: z.number().min(0).max(100) }),
  eventLog: z.strictObject({
    kind: z.literal('eventLog'),
    log: named,
    text: z.string().min(1).max(500),
    count: z.int().min(1).max(10_000),
    windowSeconds: seconds(60, daySeconds),
  }),
  certificate: z.strictObject({
    kind: z.literal('certificate'),
    host: z.string().regex(/^[A-Za-z0-9.:-]{1,253}$/, { error: 'must be a host name or an address' }),
    port: z.int().min(1).max(65_535),
    days: z.int().min(1).max(365),
  }),
} as const

/** The kinds of conditions. */
export const conditionKinds = ['metric', ...(Object.keys(single) as (keyof typeof single)[])] as const
export type ConditionKind = (typeof conditionKinds)[number]

const Single = z.discriminatedUnion('kind', [
  single.offline,
  single.siteOffline,
  single.filter,
  single.forecast,
  single.event,
  single.service,
  single.process,
  single.disk,
  single.eventLog,
  single.certificate,
])
export type SingleCondition = z.infer<typeof Single>
export type Conditions = MetricTree | SingleCondition

const isRecord = (value: unknown): value is Readonly<Record<string, unknown>> =>
  typeof value === 'object' && value !== null && !Array.isArray(value)

/** Measures a tree without recursion before it is parsed. */
function faultOfSize(root: unknown): string | null {
  let level: unknown[] = [root]
  let leaves = 0
  for (let depth = 0; level.length > 0; depth++) {
    const below = level.flatMap((node) => {
      const parts = isRecord(node) ? (node.all ?? node.any) : undefined
      return Array.isArray(parts) ? parts : []
    })
    leaves += level.filter((node) => isRecord(node) && 'kind' in node).length
    if (below.length > 0 && depth >= conditionDepthMax) return `may be nested ${conditionDepthMax} deep`
    if (leaves > conditionLeavesMax || below.length > conditionLeavesMax)
      return `may have ${conditionLeavesMax} conditions`
    level = below
  }
  return null
}

const isSingle = (given: unknown) => isRecord(given) && typeof given.kind === 'string' && given.kind !== 'metric'

type Issue = z.core.$ZodIssue

interface Fault {
  readonly path: readonly PropertyKey[]
  readonly message: string
}

/** The branches of a node: `all`, `any`, and a leaf. */
const branchOf = (node: unknown): number => (!isRecord(node) ? 2 : 'all' in node ? 0 : 'any' in node ? 1 : 2)

const nodeAt = (root: unknown, path: readonly PropertyKey[]): unknown =>
  path.reduce<unknown>(
    (node, key) => (Array.isArray(node) || isRecord(node) ? Reflect.get(node, key) : undefined),
    root,
  )

const kinds: Readonly<Record<string, string>> = {
  string: 'a text',
  number: 'a number',
  int: 'a whole number',
  array: 'a list',
  object: 'an object',
}

function wordsOf(issue: Issue): string {
  const isEmpty = issue.code === 'too_small' && issue.minimum === 1 && /^(string|array)$/.test(issue.origin)
  if (isEmpty) return 'must not be empty'
  if (/received undefined$/.test(issue.message)) return 'is required'
  if (issue.code === 'invalid_value')
    return `must be ${issue.values.length > 1 ? 'one of ' : ''}${issue.values.map(String).join(', ')}`
  if (issue.code === 'invalid_union') return `must be one of ${conditionKinds.join(', ')}`
  if (issue.code === 'invalid_type') return `must be ${kinds[issue.expected] ?? `of the type ${issue.expected}`}`
  if (issue.code === 'too_small') return `must be at least ${issue.minimum}`
  if (issue.code === 'too_big') return `must be at most ${issue.maximum}`
  if (issue.code === 'unrecognized_keys') return `has unknown fields: ${issue.keys.join(', ')}`
  return issue.message
}

/** What is wrong with conditions, by the field. Of the forms of a node, the one that it seems to have counts. */
function faultsOf(issues: readonly Issue[], root: unknown, under: readonly PropertyKey[] = []): Fault[] {
  return issues.flatMap((issue): Fault[] => {
    const path = [...under, ...issue.path]
    if (issue.path[0] === 'filter') return [{ path, message: issue.message }]
    const branch = issue.code === 'invalid_union' ? issue.errors[branchOf(nodeAt(root, path))] : undefined
    return branch === undefined ? [{ path, message: wordsOf(issue) }] : faultsOf(branch, root, path)
  })
}

/** A tree of metrics, or one condition of another kind. */
export const ConditionsInput: z.ZodType<Conditions> = z.unknown().transform((given, context): Conditions => {
  const fault = faultOfSize(given)
  if (fault !== null) {
    context.addIssue({ code: 'custom', message: fault })
    return z.NEVER
  }
  const parsed = isSingle(given) ? Single.safeParse(given) : Node.safeParse(given)
  if (parsed.success) return parsed.data
  for (const { path, message } of faultsOf(parsed.error.issues, given))
    context.addIssue({ code: 'custom', path: [...path], message })
  return z.NEVER
})

export const kindOf = (conditions: Conditions): ConditionKind => ('kind' in conditions ? conditions.kind : 'metric')

export const isMetricTree = (conditions: Conditions): conditions is MetricTree => kindOf(conditions) === 'metric'

/** The leaves of a tree, in order. */
export function leavesOf(tree: MetricTree): MetricCondition[] {
  if ('all' in tree) return tree.all.flatMap(leavesOf)
  if ('any' in tree) return tree.any.flatMap(leavesOf)
  return [tree]
}

/** The filter of conditions, as stored; null if they are of another kind. */
export function filterOf(stored: unknown): z.infer<typeof FilterExpression> | null {
  if (!isRecord(stored) || stored.kind !== 'filter') return null
  const parsed = FilterExpression.safeParse(stored.filter)
  return parsed.success ? parsed.data : null
}
