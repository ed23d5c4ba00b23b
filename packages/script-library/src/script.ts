import { z } from 'zod'

const name = z.string().regex(/^[a-z][a-z0-9_]{0,62}$/)
const text = z.string().min(1).max(300)
const key = z.string().regex(/^[a-z]+\/[a-z0-9]+(-[a-z0-9]+)*$/)

/** A value that a script takes as `PARAM_` and its name in capitals, or a blank of a template. */
const Parameter = z
  .strictObject({
    name,
    label: text,
    type: z.enum(['text', 'number', 'boolean', 'choice', 'secret']),
    required: z.boolean().default(false),
    default: z.union([z.string(), z.number(), z.boolean()]).optional(),
    choices: z.array(text).min(2).optional(),
    /** A regular expression, which matches the whole value. */
    pattern: z.string().optional(),
    min: z.number().optional(),
    max: z.number().optional(),
  })
  .refine(({ type, choices }) => (type === 'choice') === (choices !== undefined), { error: 'a choice has choices' })
  .refine((each) => !each.required || each.default === undefined, { error: 'a required value has no default' })
export type Parameter = z.infer<typeof Parameter>

const described = {
  key,
  name: text,
  description: text,
  category: text,
  language: z.enum(['bash', 'sh', 'python', 'powershell']),
  osTypes: z.array(z.enum(['linux', 'macos', 'windows'])).min(1),
}

/** What the catalog says of a system script; its content is a file of its own. */
export const CatalogScript = z.strictObject({
  ...described,
  /** Raised with each change of the content or of the parameters. */
  version: z.int().min(1).default(1),
  tags: z.array(z.string().regex(/^[a-z][a-z0-9-]*$/)),
  parameters: z.array(Parameter).default([]),
  args: z.array(z.string()).default([]),
  runAs: z.enum(['system', 'user']).default('system'),
  timeoutSeconds: z.int().min(1).max(86_400).default(300),
  exitCodes: z
    .record(z.string().regex(/^(\*|\d{1,3})$/), z.enum(['success', 'info', 'warning', 'error', 'critical']))
    .default({ '0': 'success', '1': 'error', '2': 'warning', '*': 'error' }),
})

/** What the catalog says of a template; its content with the blanks is a file of its own. */
export const CatalogTemplate = z.strictObject({
  ...described,
  blanks: z.array(Parameter.refine(({ type }) => type !== 'secret', { error: 'a secret never stands in a script' })),
})

export type ScriptInput = z.input<typeof CatalogScript>
export type TemplateInput = z.input<typeof CatalogTemplate>
export type TemplateLanguage = z.infer<typeof described.language>
