// What a template gives to its rules.
import { invalid } from '@muster/kit/errors.ts'
import type { Severity } from '../../../platform/events/severity.contract.ts'
import { type Conditions, ConditionsInput } from '../rules/conditions.contract.ts'
import {
  faultOfParameter,
  fillConditions,
  fillText,
  type ParameterValue,
  type TemplateParameter,
} from './parameters.contract.ts'

/** The fields that a rule takes from its template unless it overrides them. */
export const templateFieldNames = [
  'name',
  'severity',
  'conditions',
  'forSeconds',
  'clearForSeconds',
  'autoResolve',
  'reopenSeconds',
  'title',
  'message',
  'channelIds',
  'policyId',
  'dependsOnRuleIds',
] as const
export type TemplateField = (typeof templateFieldNames)[number]

export interface TemplateFields {
  readonly name: string
  readonly severity: Severity
  readonly conditions: Conditions
  readonly forSeconds: number
  readonly clearForSeconds: number
  readonly autoResolve: boolean
  readonly reopenSeconds: number
  readonly title: string | null
  readonly message: string | null
  readonly channelIds: readonly string[]
  readonly policyId: string | null
  readonly dependsOnRuleIds: readonly string[]
}

export interface RuleTemplate extends Omit<TemplateFields, 'conditions'> {
  readonly id: string
  readonly conditions: unknown
  readonly parameters: readonly TemplateParameter[]
}

const noIds: readonly string[] = []

/** What a rule uses where its template and it say nothing. */
export const usualFields = {
  forSeconds: 0,
  clearForSeconds: 0,
  autoResolve: true,
  reopenSeconds: 300,
  title: null,
  message: null,
  channelIds: noIds,
  policyId: null,
  dependsOnRuleIds: noIds,
} as const

type Given = Readonly<Record<string, ParameterValue>>

function valuesOf({ parameters }: RuleTemplate, given: Given): Map<string, ParameterValue> {
  return new Map(
    parameters.map((parameter) => {
      const value = Object.hasOwn(given, parameter.name)
        ? (given[parameter.name] ?? parameter.default)
        : parameter.default
      const fault = faultOfParameter(parameter, value)
      if (fault !== null) throw invalid(`parameters.${parameter.name}: ${fault}`)
      return [parameter.name, value]
    }),
  )
}

/** @throws VALIDATION_ERROR for parameters that the template does not have */
export function requireKnownParameters({ parameters }: RuleTemplate, given: Given): void {
  const unknown = Object.keys(given).find((name) => !parameters.some((parameter) => parameter.name === name))
  if (unknown !== undefined) throw invalid(`parameters.${unknown}: the template has no such parameter`)
}

/** The fields of a rule with these parameters. @throws VALIDATION_ERROR for values that do not fit */
export function fieldsOf(template: RuleTemplate, given: Given): TemplateFields {
  const values = valuesOf(template, given)
  const conditions = ConditionsInput.safeParse(fillConditions(template.conditions, values))
  if (!conditions.success) {
    const [issue] = conditions.error.issues
    throw invalid(`${['conditions', ...(issue?.path ?? [])].join('.')}: ${issue?.message ?? 'are no conditions'}`)
  }
  const title = fillText(template.title, values)
  const message = fillText(template.message, values)
  if ((title?.length ?? 0) > 1_000) throw invalid('title: is longer than 1000 characters with these parameters')
  if ((message?.length ?? 0) > 4_000) throw invalid('message: is longer than 4000 characters with these parameters')
  const { name, severity, forSeconds, clearForSeconds, autoResolve, reopenSeconds } = template
  const { channelIds, policyId, dependsOnRuleIds } = template
  return {
    ...{ name, severity, conditions: conditions.data, forSeconds, clearForSeconds, autoResolve, reopenSeconds },
    ...{ title, message, channelIds, policyId, dependsOnRuleIds },
  }
}
