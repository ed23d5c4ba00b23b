// The parameters of a script. Their values reach the script in its environment alone, as PARAM_ and the name in capitals.
import { nameText } from '@muster/kit/contract.ts'
import { z } from 'zod'

const ParameterType = z.enum(['text', 'number', 'boolean', 'choice', 'secret'])
const text = z
  .string()
  .max(4_000)
  .refine((given) => !given.includes('\0'), { error: 'must not contain NUL' })

/** A value as it is written, the name of a secret, or the name of a field of the device. */
export const ParameterValue = z.union([
  text,
  z.number(),
  z.boolean(),
  z.strictObject({ secret: z.string().min(1).max(128) }),
  z.strictObject({ field: z.string().min(1).max(128) }),
])
export type ParameterValue = z.infer<typeof ParameterValue>

export const ScriptParameter = z.strictObject({
  name: z
    .string()
    .regex(/^[A-Za-z][A-Za-z0-9_]{0,62}$/, { error: 'must be letters, digits and _, beginning with a letter' }),
  label: nameText().nullable().default(null),
  type: ParameterType,
  required: z.boolean().default(false),
  default: ParameterValue.nullable().default(null),
  /** Of a choice. */
  choices: z.array(nameText()).max(100).default([]),
  /** Of a text: a regular expression of the syntax of RE2, which matches the whole value. */
  pattern: z.string().min(1).max(200).nullable().default(null),
  /** The least and the greatest number, or length of a text. */
  min: z.number().nullable().default(null),
  max: z.number().nullable().default(null),
})
export type ScriptParameter = z.infer<typeof ScriptParameter>

export const ScriptParameters = z
  .array(ScriptParameter)
  .max(50)
  .refine((given) => new Set(given.map(({ name }) => name.toUpperCase())).size === given.length, {
    error: 'must have names that differ not only in case',
  })
export type ScriptParameters = z.infer<typeof ScriptParameters>
