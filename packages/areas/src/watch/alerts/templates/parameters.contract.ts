// The parameters of a template. Its conditions name one as `{"parameter": "threshold"}`, its texts as `{{ parameters.threshold }}`.
import { z } from 'zod'

const bytesMax = 20_000
const depthMax = 16

export const ParameterName = z
  .string()
  .regex(/^[a-z][A-Za-z0-9_]{0,62}$/, { error: 'must be letters, digits and _, beginning with a lower-case letter' })

export const ParameterValue = z.union([z.string().max(500), z.number(), z.boolean()])
export type ParameterValue = z.infer<typeof ParameterValue>

export const TemplateParameter = z.strictObject({
  name: ParameterName,
  type: z.enum(['number', 'text', 'boolean']),
  default: ParameterValue,
  /** The least and the greatest number, or length of a text. */
  min: z.number().nullable().default(null),
  max: z.number().nullable().default(null),
})
export type TemplateParameter = z.infer<typeof TemplateParameter>

const isRecord = (value: unknown): value is Readonly<Record<string, unknown>> =>
  typeof value === 'object' && value !== null && !Array.isArray(value)

/** Measures without recursion, so that what passes can be walked with it. */
function isBounded(root: unknown): boolean {
  let level: unknown[] = [root]
  let nodes = 0
  for (let depth = 0; level.length > 0; depth++) {
    nodes += level.length
    if (depth > depthMax || nodes > 2_000) return false
    level = level.flatMap((node) => (Array.isArray(node) ? node : isRecord(node) ? Object.values(node) : []))
  }
  return JSON.stringify(root).length <= bytesMax
}

const Conditions = z.json()
export type TemplateConditions = z.infer<typeof Conditions>

/** Conditions of a rule with parameters in the place of values. They are checked together with the parameters. */
export const TemplateConditions = z
  .unknown()
  .refine((given) => isRecord(given) && isBounded(given), { error: 'must be conditions of a rule' })
  .transform((given): TemplateConditions => Conditions.parse(given))

const wordsOf = { number: 'a number', text: 'a text', boolean: 'true or false' } as const

/** Why a value is none of a parameter; null if it is one. */
export function faultOfParameter({ type, min, max }: TemplateParameter, value: ParameterValue): string | null {
  if (typeof value !== (type === 'text' ? 'string' : type)) return `must be ${wordsOf[type]}`
  const size = typeof value === 'string' ? value.length : value
  if (typeof size !== 'number') return null
  const unit = typeof value === 'string' ? ' characters long' : ''
  if (min !== null && size < min) return `must be at least ${min}${unit}`
  if (max !== null && size > max) return `must be at most ${max}${unit}`
  return null
}

const nameIn = (node: unknown): string | null => {
  if (!isRecord(node) || Object.keys(node).length !== 1) return null
  return typeof node.parameter === 'string' ? node.parameter : null
}

/** Conditions with values in the place of parameters. Unknown names stay, and are no conditions of a rule. */
export function fillConditions(node: unknown, values: ReadonlyMap<string, ParameterValue>): unknown {
  const name = nameIn(node)
  if (name !== null) return values.get(name) ?? node
  if (Array.isArray(node)) return node.map((each) => fillConditions(each, values))
  if (!isRecord(node)) return node
  return Object.fromEntries(Object.entries(node).map(([key, value]) => [key, fillConditions(value, values)]))
}

/** A text with values in the place of parameters. */
export const fillText = (text: string | null, values: ReadonlyMap<string, ParameterValue>): string | null =>
  text?.replace(/\{\{\s*parameters\.([A-Za-z0-9_]+)\s*\}\}/g, (whole, name: string) =>
    String(values.get(name) ?? whole),
  ) ?? null
