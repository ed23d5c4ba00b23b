import {
  can,
  changes,
  create,
  del,
  flag,
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
import { Severity } from '../../platform/events/severity.contract.ts'
import { TemplateConditions, TemplateParameter } from '../alerts/templates/parameters.contract.ts'

const seconds = z.int().min(0).max(86_400)
const name = nameText()
const description = z.string().trim().max(2_000).nullable()
const category = nameText(50)
const title = z.string().trim().min(1).max(1_000).nullable()
const message = z.string().trim().min(1).max(4_000).nullable()
const key = z
  .string()
  .regex(/^[a-z][a-z0-9_-]{0,62}$/, { error: 'must be lower-case letters, digits, - and _, beginning with a letter' })
const channelIds = z.array(id()).max(20)
const dependsOnRuleIds = z.array(id()).max(20)
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
  severity: Severity,
  conditions: z.json(),
  forSeconds: z.number(),
  clearForSeconds: z.number(),
  autoResolve: z.boolean(),
  reopenSeconds: z.number(),
  title: z.string().nullable(),
  message: z.string().nullable(),
  channelIds: z.array(id()),
  policyId: id().nullable(),
  dependsOnRuleIds: z.array(id()),
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
      severity: Severity,
      conditions: TemplateConditions,
      forSeconds: seconds.default(0),
      clearForSeconds: seconds.default(0),
      autoResolve: flag().default(true),
      reopenSeconds: seconds.default(300),
      title: title.default(null),
      message: message.default(null),
      channelIds: channelIds.default([]),
      policyId: id().nullable().default(null),
      dependsOnRuleIds: dependsOnRuleIds.default([]),
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
        severity: Severity,
        conditions: TemplateConditions,
        forSeconds: seconds,
        clearForSeconds: seconds,
        autoResolve: flag(),
        reopenSeconds: seconds,
        title,
        message,
        channelIds,
        policyId: id().nullable(),
        dependsOnRuleIds,
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
