import {
  can,
  changes,
  create,
  del,
  get,
  id,
  nameText,
  page,
  pageOf,
  patch,
  success,
  time,
} from '@muster/kit/contract.ts'
import { z } from 'zod'
import { ruleFields, shownRuleFields } from '../alerts/rules/rule-fields.contract.ts'
import { TemplateConditions, TemplateParameter } from '../alerts/templates/parameters.contract.ts'

const name = nameText()
const description = z.string().trim().max(2_000).nullable()
const category = nameText(50)
const key = z
  .string()
  .regex(/^[a-z][a-z0-9_-]{0,62}$/, { error: 'must be lower-case letters, digits, - and _, beginning with a letter' })
const parameters = z
  .array(TemplateParameter)
  .max(20)
  .refine((given) => new Set(given.map((each) => each.name)).size === given.length, {
    error: 'must have names of their own',
  })

/** What rules have in common. Without an organization, all rules of the partner may use it. */
export const AlertTemplate = z.object({
  id: id(),
  /** Null for built-in templates. */
  partnerId: id().nullable(),
  orgId: id().nullable(),
  key: z.string(),
  category: z.string(),
  name: z.string(),
  description: z.string().nullable(),
  ...shownRuleFields,
  parameters: z.array(TemplateParameter),
  builtIn: z.boolean(),
  /** Rules within reach that use it. */
  ruleCount: z.number(),
  createdAt: time().nullable(),
  updatedAt: time().nullable(),
})
export type AlertTemplate = z.infer<typeof AlertTemplate>

const search = { category: z.string().max(50).optional(), search: z.string().max(255).optional(), ...page }

export const templates = {
  list: get('/alert-templates/templates', {
    summary: 'List alert templates of your own',
    access: can('alerts:read'),
    input: z.object({ orgId: id().optional(), ...search }),
    output: pageOf(AlertTemplate),
  }),
  builtIn: get('/alert-templates/templates/built-in', {
    summary: 'List built-in alert templates',
    access: can('alerts:read'),
    input: z.object(search),
    output: pageOf(AlertTemplate),
  }),
  create: create('/alert-templates/templates', {
    summary: 'Create an alert template for a partner or one organization',
    access: can('alerts:write'),
    audit: 'alert_template.create',
    input: z.object({
      orgId: id().nullable().default(null),
      partnerId: id().optional(),
      /** Made from the name if it is missing. */
      key: key.optional(),
      category: category.default('custom'),
      name,
      description: description.default(null),
      severity: ruleFields.severity,
      conditions: TemplateConditions,
      forSeconds: ruleFields.forSeconds.default(0),
      clearForSeconds: ruleFields.clearForSeconds.default(0),
      autoResolve: ruleFields.autoResolve.default(true),
      reopenSeconds: ruleFields.reopenSeconds.default(300),
      title: ruleFields.title.default(null),
      message: ruleFields.message.default(null),
      channelIds: ruleFields.channelIds.default([]),
      policyId: ruleFields.policyId.default(null),
      dependsOnRuleIds: ruleFields.dependsOnRuleIds.default([]),
      parameters: parameters.default([]),
    }),
    output: AlertTemplate,
  }),
  update: patch('/alert-templates/templates/:id', {
    summary: 'Update an alert template, and its rules where they do not override it',
    access: can('alerts:write'),
    audit: 'alert_template.update',
    input: changes(
      { id: id() },
      {
        key,
        category,
        name,
        description,
        ...ruleFields,
        conditions: TemplateConditions,
        parameters,
      },
    ),
    output: AlertTemplate,
  }),
  remove: del('/alert-templates/templates/:id', {
    summary: 'Delete an alert template that no rule uses',
    access: can('alerts:write'),
    audit: 'alert_template.delete',
    input: z.object({ id: id() }),
    output: success,
  }),
}
