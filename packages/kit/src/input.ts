// What a caller sent, checked against the declaration, and the words that say what is wrong with it.
import type { z } from 'zod'
import type { AnyEndpoint } from './contract.ts'
import { type AppError, invalid } from './errors.ts'
import { unfitInput } from './storable.ts'

/** Turns what failed in a schema into the words of one error: the first problem is the message, all are listed. */
export function inputError(error: z.core.$ZodError): AppError {
  const issues = error.issues.map((issue) => ({ path: issue.path.join('.'), message: issue.message }))
  const [first] = issues
  const message =
    first === undefined ? 'Invalid input' : first.path === '' ? first.message : `${first.path}: ${first.message}`
  return invalid(message, { issues: issues.slice(0, 20) })
}

/** For those who send requests by hand: what the schema itself has no words for, said of the field that stands before it. */
export const plainWords: z.core.$ZodErrorMap = (issue) => {
  if (issue.input === undefined && /^invalid_(type|union|value)$/.test(issue.code)) return 'is required'
  switch (issue.code) {
    case 'invalid_type':
      return `must be ${kinds[issue.expected] ?? `of the type ${issue.expected}`}`
    case 'invalid_format':
      return issue.format === 'guid' ? 'must be a UUID' : undefined
    case 'invalid_value':
      return `must be one of ${issue.values.map(String).join(', ')}`
    case 'too_small':
      return issue.minimum === 1 && issue.origin in units
        ? 'must not be empty'
        : boundWords('at least', issue.minimum, issue.origin)
    case 'too_big':
      return boundWords('at most', issue.maximum, issue.origin)
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

function boundWords(least: string, bound: number | bigint, origin: string): string {
  const unit = units[origin]
  return unit === undefined ? `must be ${least} ${bound}` : `must have ${least} ${bound} ${unit}`
}

/** @throws VALIDATION_ERROR naming the field */
export function parseInput(endpoint: AnyEndpoint, given: unknown): unknown {
  const unfit = unfitInput(given)
  if (unfit !== null) throw invalid(unfit)
  const parsed = endpoint.input.safeParse(given, { error: plainWords })
  if (!parsed.success) throw inputError(parsed.error)
  return parsed.data
}
