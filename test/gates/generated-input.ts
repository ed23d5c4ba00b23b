// Inputs generated from an operation's own schema: valid ones, edge cases and invalid ones.

import fc from 'fast-check'
import { z } from 'zod'

interface JsonSchema {
  readonly type?: string | readonly string[]
  readonly enum?: readonly unknown[]
  readonly const?: unknown
  readonly format?: string
  readonly pattern?: string
  readonly minLength?: number
  readonly maxLength?: number
  readonly minimum?: number
  readonly maximum?: number
  readonly minItems?: number
  readonly maxItems?: number
  readonly items?: JsonSchema
  readonly properties?: Readonly<Record<string, JsonSchema>>
  readonly anyOf?: readonly JsonSchema[]
  readonly allOf?: readonly JsonSchema[]
}
type Json = fc.Arbitrary<unknown>

/** Values that have broken services before, for any field. */
const rubbish = [
  null,
  '',
  ' ',
  0,
  -1,
  -0,
  1e308,
  1e-320,
  2 ** 31,
  2 ** 53,
  -(2 ** 63),
  0.1,
  true,
  [],
  {},
  [[]],
  [null],
  'null',
  'undefined',
  'NaN',
  '\0',
  'a\0b',
  '\ud800',
  '\u202e',
  '💥',
  'ﷺ'.repeat(50),
  'ß'.repeat(300),
  '%s%n%x',
  "'; DROP TABLE users; --",
  '" OR ""="',
  '{{7*7}}',
  '#{7*7}',
  '../../etc/passwd',
  '<script>alert(1)</script>',
  '\\',
  '%',
  '_',
  '%00',
  'x'.repeat(10_000),
  '0000-00-00',
  '0000-01-01T00:00:00Z',
  '9999-12-31T23:59:59.999999999Z',
  '2026-02-30',
  '1e1000000000',
  '00000000-0000-0000-0000-000000000000',
  'FFFFFFFF-FFFF-FFFF-FFFF-FFFFFFFFFFFF',
  '-'.repeat(36),
  { __proto__: null, constructor: { prototype: { admin: true } } },
  JSON.parse('{"__proto__": {"admin": true}}'),
  { $ne: null },
  { length: 1e9 },
  Array.from({ length: 2_000 }, (_, index) => index),
]
const anyRubbish: Json = fc.oneof(
  { weight: 4, arbitrary: fc.constantFrom(...rubbish) },
  { weight: 2, arbitrary: fc.jsonValue({ maxDepth: 4 }) },
  { weight: 1, arbitrary: fc.string({ unit: 'binary', maxLength: 300 }) },
  { weight: 1, arbitrary: fc.double() },
)

const formats: Readonly<Record<string, Json>> = {
  uuid: fc.uuid(),
  guid: fc.uuid(),
  email: fc.emailAddress(),
  uri: fc.webUrl(),
  date: fc.date({ noInvalidDate: true }).map((date) => date.toISOString().slice(0, 10)),
  'date-time': fc.oneof(
    fc.date({ noInvalidDate: true }).map((date) => date.toISOString()),
    fc.constantFrom(
      '1900-01-01T00:00:00Z',
      '9999-12-31T23:59:59Z',
      '2026-06-30T23:59:60Z',
      '2026-01-01T00:00:00+23:59',
    ),
  ),
}

function textFor({ format = '', minLength = 0, maxLength = 40, pattern }: JsonSchema): Json {
  const known = formats[format]
  if (known !== undefined) return known
  const edge = fc.constantFrom(minLength, minLength + 1, Math.min(maxLength, 5_000), Math.min(maxLength, 5_000) + 1)
  const text = fc.oneof(
    fc.string({ unit: 'grapheme', minLength, maxLength: Math.max(minLength, Math.min(maxLength, 60)) }),
    edge.map((length) => 'x'.repeat(length)),
  )
  if (pattern === undefined) return text
  try {
    return fc.oneof(fc.stringMatching(new RegExp(pattern, 'u'), { size: 'small' }), text)
  } catch {
    return text
  }
}

const numberFor = ({ minimum = -1e6, maximum = 1e6, type }: JsonSchema): Json => {
  const [least, most] = [Math.max(minimum, -(2 ** 53)), Math.min(maximum, 2 ** 53)]
  const inside =
    type === 'integer'
      ? fc.integer({ min: Math.max(least, -(2 ** 31)), max: Math.min(most, 2 ** 31 - 1) })
      : fc.double({ min: least, max: most, noNaN: true })
  return fc.oneof(inside, fc.constantFrom(least, most, least - 1, most + 1, least + 0.5))
}

function listFor({ items = {}, minItems = 0, maxItems = 5 }: JsonSchema): Json {
  const most = Math.max(minItems, Math.min(maxItems, 6))
  return fc.array(arbitraryOf(items), { minLength: minItems, maxLength: most })
}

/** Values that the JSON Schema allows, and some just outside of it. */
function arbitraryOf(schema: JsonSchema): Json {
  if (schema.const !== undefined) return fc.constant(schema.const)
  if (schema.enum !== undefined) return fc.constantFrom(...schema.enum)
  if (schema.anyOf !== undefined) return fc.oneof(...schema.anyOf.map(arbitraryOf))
  if (schema.allOf !== undefined) return fc.oneof(...schema.allOf.map(arbitraryOf))
  switch (schema.type) {
    case 'string':
      return textFor(schema)
    case 'integer':
    case 'number':
      return numberFor(schema)
    case 'boolean':
      return fc.boolean()
    case 'null':
      return fc.constant(null)
    case 'array':
      return listFor(schema)
    case 'object':
      return objectOf(schema)
    default:
      return fc.oneof(fc.string({ maxLength: 20 }), fc.integer(), fc.constant(null), fc.jsonValue({ maxDepth: 2 }))
  }
}

const objectOf = ({ properties = {} }: JsonSchema): fc.Arbitrary<Record<string, unknown>> =>
  fc.record(Object.fromEntries(Object.entries(properties).map(([name, its]) => [name, arbitraryOf(its)])), {
    requiredKeys: [],
  })

/** Some operations wait by design; the tests shorten the wait. */
const impatient = (input: unknown): unknown =>
  typeof input === 'object' &&
  input !== null &&
  'waitMs' in input &&
  typeof input.waitMs === 'number' &&
  input.waitMs > 20
    ? { ...input, waitMs: 20 }
    : input

/**
 * Inputs for an operation, derived from a valid one.
 * @param right an input that the operation accepts
 */
export function inputsFor(schema: z.ZodType, right: object): fc.Arbitrary<unknown> {
  const described = z.toJSONSchema(schema, { io: 'input', unrepresentable: 'any' }) as JsonSchema
  const names = [...new Set([...Object.keys(described.properties ?? {}), ...Object.keys(right)])]
  const field = names.length === 0 ? fc.constant('nothing') : fc.constantFrom(...names)
  const spoilt = fc
    .uniqueArray(fc.tuple(field, anyRubbish), { minLength: 1, maxLength: 3, selector: ([name]) => name })
    .map((changes) => ({ ...right, ...Object.fromEntries(changes) }))
  const edged = objectOf(described).map((changes) => ({ ...right, ...changes }))
  const partial = fc
    .uniqueArray(field, { minLength: 1, maxLength: 3 })
    .map((missing) => Object.fromEntries(Object.entries(right).filter(([name]) => !missing.includes(name))))
  const more = fc
    .dictionary(fc.string({ maxLength: 20 }), anyRubbish, { maxKeys: 4 })
    .map((extra) => ({ ...extra, ...right }))
  return fc
    .oneof(
      { weight: 5, arbitrary: spoilt },
      { weight: 5, arbitrary: edged },
      { weight: 2, arbitrary: objectOf(described) },
      { weight: 1, arbitrary: partial },
      { weight: 1, arbitrary: more },
      { weight: 1, arbitrary: anyRubbish },
    )
    .map(impatient)
}
