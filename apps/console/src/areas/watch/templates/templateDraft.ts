// A template while it is edited.

import { ConditionsInput, MetricCondition } from '@muster/areas/watch/alerts/rules/conditions.contract.ts'
import {
  faultOfParameter,
  fillConditions,
  type ParameterValue,
  TemplateConditions,
  TemplateParameter,
} from '@muster/areas/watch/alerts/templates/parameters.contract.ts'
import { spelledOut } from '../../../ui/text/words.ts'

export interface ParameterDraft {
  readonly key: string
  readonly name: string
  readonly type: TemplateParameter['type']
  readonly usual: string
  readonly min: string
  readonly max: string
}

let made = 0
export const newParameter = (): ParameterDraft => ({
  key: `parameter-${++made}`,
  name: '',
  type: 'number',
  usual: '',
  min: '',
  max: '',
})

export const parameterDraftOf = ({ name, type, default: usual, min, max }: TemplateParameter): ParameterDraft => ({
  ...newParameter(),
  name,
  type,
  usual: String(usual),
  min: min === null ? '' : String(min),
  max: max === null ? '' : String(max),
})

/** A value as its type wants it. Text that is no number stays text, which is a fault. */
export function parameterValue(type: TemplateParameter['type'], text: string): ParameterValue {
  if (type === 'boolean') return text === 'true'
  return type === 'number' && text.trim() !== '' && Number.isFinite(Number(text)) ? Number(text) : text
}
const bound = (text: string): number | null => (text.trim() === '' ? null : Number(text))

export const parameterOf = ({ name, type, usual, min, max }: ParameterDraft) => ({
  name,
  type,
  default: parameterValue(type, usual),
  min: bound(min),
  max: bound(max),
})

/** Why parameters cannot be saved; undefined when they can. */
export function faultOfParameters(drafts: readonly ParameterDraft[]): string | undefined {
  for (const draft of drafts) {
    const parsed = TemplateParameter.safeParse(parameterOf(draft))
    const name = draft.name || 'Parameter without a name'
    if (!parsed.success) return `${name}: ${parsed.error.issues[0]?.message ?? 'is not valid'}`
    const fault = faultOfParameter(parsed.data, parsed.data.default)
    if (fault !== null) return `${name}: the default ${fault}`
  }
  const names = drafts.map(({ name }) => name)
  return new Set(names).size < names.length ? 'Two parameters have the same name' : undefined
}

/** The conditions on metrics in a tree. */
const metricsIn = (node: unknown): unknown[] => {
  if (Array.isArray(node)) return node.flatMap(metricsIn)
  if (typeof node !== 'object' || node === null) return []
  return 'kind' in node ? (node.kind === 'metric' ? [node] : []) : Object.values(node).flatMap(metricsIn)
}

/** Why the conditions are not valid with these values; undefined when they are. */
export function faultOfConditions(
  conditions: unknown,
  values: ReadonlyMap<string, ParameterValue> = new Map(),
): string | undefined {
  const filled = fillConditions(conditions, values)
  const parsed = ConditionsInput.safeParse(filled)
  if (parsed.success) return undefined
  // The check of a tree only says that no form fits: the condition itself says more.
  const faults = metricsIn(filled).map((each) => MetricCondition.safeParse(each).error?.issues[0])
  const issue = faults.find((each) => each !== undefined) ?? parsed.error.issues[0]
  const where = issue?.path.at(-1)
  const isNoNumber = issue?.code === 'invalid_type' && issue.expected === 'number'
  const why = isNoNumber ? 'must be a number' : (issue?.message ?? 'are not valid')
  return `${typeof where === 'string' ? spelledOut(where) : 'Conditions'}: ${why}`
}

/** The conditions as the operations take them. @throws for what `faultOfConditions` rejects */
export const templateConditions = (conditions: unknown): TemplateConditions => TemplateConditions.parse(conditions)
