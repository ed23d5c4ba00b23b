// What is wrong with an input, in words. Browsers load this too.
import { z } from 'zod'

/** Messages for problems that the schema itself does not describe. They follow the name of the field. */
export const plainWords: z.core.$ZodErrorMap = (issue) => {
  const isOfAnotherType = /^invalid_(type|union|value)$/.test(issue.code)
  if (issue.input === undefined && isOfAnotherType) return 'is required'
  // A repeated query parameter arrives as a list.
  if (Array.isArray(issue.input) && isOfAnotherType) return 'must be a single value. Send it once, not as a list'
  switch (issue.code) {
    case 'invalid_type':
      return `must be ${kinds[issue.expected] ?? `of the type ${issue.expected}`}`
    case 'invalid_format':
      return issue.format === 'guid' ? 'must be a UUID' : undefined
    case 'invalid_union':
      return unionWords(issue.errors)
    case 'invalid_value':
      return `must be one of ${issue.values.map(String).join(', ')}`
    case 'too_small':
      return issue.minimum === 1 && issue.origin in units
        ? 'must not be empty'
        : boundWords('at least', issue.minimum, issue.origin)
    case 'too_big':
      return boundWords('at most', issue.maximum, issue.origin)
    case 'invalid_key':
      return issue.issues[0]?.message
    case 'unrecognized_keys':
      return unknownFields(issue.path ?? [], issue.keys, fieldsOf(issue.inst))
    default:
      return undefined
  }
}
const kinds: Readonly<Record<string, string>> = {
  string: 'a text',
  number: 'a number',
  int: 'a whole number',
  boolean: 'true or false',
  array: 'a list',
  object: 'an object',
  record: 'an object',
}
const units: Readonly<Record<string, string>> = { string: 'characters', array: 'entries' }

/** What each option of a union takes, if they differ only in their type. */
function unionWords(options: readonly (readonly z.core.$ZodIssue[])[]): string | undefined {
  const taken = options.map(([first]) =>
    first?.code === 'invalid_type' && first.path.length === 0 ? kinds[first.expected] : undefined,
  )
  return taken.length > 0 && !taken.includes(undefined) ? `must be ${[...new Set(taken)].join(' or ')}` : undefined
}

function boundWords(least: string, bound: number | bigint, origin: string): string {
  const unit = units[origin]
  return unit === undefined ? `must be ${least} ${bound}` : `must have ${least} ${bound} ${unit}`
}

const fieldsOf = (schema: unknown): string[] =>
  schema instanceof z.core.$ZodObject ? Object.keys(schema._zod.def.shape) : []

/** Letters and digits without a list ending, for suggestions: `org_id`, `orgID` and `orgIds[]` are all close to `orgId`. */
const bare = (name: string) =>
  name
    .toLowerCase()
    .replace(/[^a-z0-9]/g, '')
    .replace(/s$/, '')

const knownMax = 20

function unknownFields(path: readonly PropertyKey[], keys: readonly string[], known: readonly string[]): string {
  const shown = keys.slice(0, 5).map((key) => [...path.map(String), key.slice(0, 100)].join('.'))
  const said = `Unknown field${keys.length > 1 ? 's' : ''}: ${shown.join(', ')}`
  const near = known.find((name) => keys.some((key) => bare(key) === bare(name)))
  if (near !== undefined) return `${said}. Did you mean ${near}?`
  if (known.length === 0) return `${said}. No fields are known here`
  const further = known.length - knownMax
  const more = further > 0 ? ` and ${further} more, see the API description` : ''
  return `${said}. Known fields: ${known.slice(0, knownMax).join(', ')}${more}`
}
