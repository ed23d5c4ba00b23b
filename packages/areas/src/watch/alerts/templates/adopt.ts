// What a rule asks, from its template and from what it sets itself.
import type { Db } from '@muster/db/database.ts'
import { invalid } from '@muster/kit/errors.ts'
import { z } from 'zod'
import type { Owner } from '../../../fleet/targets/index.ts'
import { ConditionsInput } from '../rules/conditions.contract.ts'
import type { StoredRule } from '../rules/rule.queries.ts'
import { ParameterValue } from './parameters.contract.ts'
import {
  fieldsOf,
  type RuleTemplate,
  requireKnownParameters,
  type TemplateField,
  type TemplateFields,
  templateFieldNames,
  usualFields,
} from './rule-template.ts'
import { templateFor } from './stored-templates.ts'

const Parameters = z.record(z.string(), ParameterValue)
type Parameters = z.infer<typeof Parameters>

/** What a request sets. */
export type GivenFields = { readonly [Name in TemplateField]?: TemplateFields[Name] | undefined } & {
  readonly templateId?: string | null | undefined
  readonly parameters?: Parameters | undefined
}

export interface Adopted {
  readonly fields: TemplateFields
  readonly templateId: string | null
  readonly parameters: Parameters
  /** The fields that do not follow the template. */
  readonly overrides: readonly TemplateField[]
}

const set = <Value>(given: Value | undefined, otherwise: Value): Value => (given === undefined ? otherwise : given)

/** The fields of `over` where it has some, else those of `under`. */
function layered(under: TemplateFields, over: GivenFields): TemplateFields {
  return {
    name: set(over.name, under.name),
    severity: set(over.severity, under.severity),
    conditions: set(over.conditions, under.conditions),
    forSeconds: set(over.forSeconds, under.forSeconds),
    clearForSeconds: set(over.clearForSeconds, under.clearForSeconds),
    autoResolve: set(over.autoResolve, under.autoResolve),
    reopenSeconds: set(over.reopenSeconds, under.reopenSeconds),
    title: set(over.title, under.title),
    message: set(over.message, under.message),
    channelIds: set(over.channelIds, under.channelIds),
    policyId: set(over.policyId, under.policyId),
    dependsOnRuleIds: set(over.dependsOnRuleIds, under.dependsOnRuleIds),
  }
}

function storedFields(rule: StoredRule): TemplateFields {
  return { ...rule, conditions: ConditionsInput.parse(rule.conditions) }
}

const only = (names: readonly TemplateField[], fields: TemplateFields): GivenFields =>
  Object.fromEntries(names.map((name) => [name, fields[name]]))

const isField = (name: string): name is TemplateField => templateFieldNames.some((each) => each === name)

function required({ name, severity, conditions }: GivenFields): TemplateFields {
  if (name === undefined) throw invalid('name: is required without a template')
  if (severity === undefined) throw invalid('severity: is required without a template')
  if (conditions === undefined) throw invalid('conditions: are required without a template')
  return { ...usualFields, name, severity, conditions }
}

/**
 * The rule after a request. What it sets itself no longer follows its template; naming a template again makes it follow in
 * everything that the request does not set.
 */
export async function adopt(db: Db, owner: Owner, given: GivenFields, before: StoredRule | null): Promise<Adopted> {
  const templateId = set(given.templateId, before?.templateId ?? null)
  if (templateId === null) {
    if (Object.keys(given.parameters ?? {}).length > 0) throw invalid('parameters: need a template')
    const under = before === null ? required(given) : storedFields(before)
    return { fields: layered(under, given), templateId, parameters: {}, overrides: [] }
  }
  const template = await templateFor(db, owner, templateId)
  const isSame = before?.templateId === templateId
  const parameters = given.parameters ?? (isSame ? Parameters.parse(before.parameters) : {})
  if (given.parameters !== undefined) requireKnownParameters(template, given.parameters)
  const kept = before === null ? [] : given.templateId === undefined ? before.overrides.filter(isField) : nameAlone
  const stored = before === null ? {} : only(kept, storedFields(before))
  const fields = layered(layered(fieldsOf(template, parameters), stored), given)
  const overrides = templateFieldNames.filter((name) => kept.includes(name) || given[name] !== undefined)
  return { fields, templateId, parameters, overrides }
}

/** A rule that adopts a template keeps its name. */
const nameAlone: readonly TemplateField[] = ['name']

/** The rule after a change of its template. */
export function follow(template: RuleTemplate, rule: StoredRule): Adopted {
  const overrides = rule.overrides.filter(isField)
  const parameters = Parameters.parse(rule.parameters)
  const fields = layered(fieldsOf(template, parameters), only(overrides, storedFields(rule)))
  const known = Object.entries(parameters).filter(([name]) => template.parameters.some((each) => each.name === name))
  return { fields, templateId: template.id, parameters: Object.fromEntries(known), overrides }
}
