import { literalOf } from './literal.ts'
import type { Parameter } from './script.ts'
import type { ScriptTemplate } from './script-templates.ts'

type Value = string | number | boolean

interface Problem {
  /** The name of the blank. */
  blank: string
  /** Follows the name in a sentence: `must be a number`. */
  message: string
}

type Filled = { content: string } | { problems: Problem[] }

const textCharsMax = 8192

/** Fills the blanks of a template: every value becomes a quoted literal of the language, and never code. */
export function fillTemplate(
  { blanks, content, language }: Pick<ScriptTemplate, 'blanks' | 'content' | 'language'>,
  values: Readonly<Record<string, unknown>>,
): Filled {
  const given = blanks.map((blank) => ({
    blank,
    value: Object.hasOwn(values, blank.name) ? values[blank.name] : blank.default,
  }))
  const unknown = Object.keys(values).filter((name) => blanks.every((blank) => blank.name !== name))
  const judged = given.map(({ blank, value }) => ({ blank, ...judge(blank, value) }))
  const problems = [
    ...unknown.map((blank) => ({ blank, message: 'is not a blank of this template' })),
    ...judged.flatMap(({ blank, message }) => (message === undefined ? [] : [{ blank: blank.name, message }])),
  ]
  if (problems.length > 0) return { problems }
  const literals = new Map(judged.map(({ blank, value = '' }) => [blank.name, literalOf(language, value)]))
  // One pass: a value that looks like a blank stays as it is.
  return { content: content.replace(/\{\{([a-z0-9_]+)\}\}/g, (whole, name: string) => literals.get(name) ?? whole) }
}

function judge(
  blank: Parameter,
  value: unknown,
): { value: Value; message?: undefined } | { value?: undefined; message: string } {
  if (value === undefined || value === null) return { message: 'is required' }
  if (blank.type === 'boolean') return typeof value === 'boolean' ? { value } : { message: 'must be true or false' }
  if (blank.type === 'number') return judgeNumber(blank, value)
  if (typeof value !== 'string') return { message: 'must be a text' }
  if (value.length > textCharsMax) return { message: `must have at most ${textCharsMax} characters` }
  if (/[\p{Cc}\p{Cs}\u2028\u2029]/u.test(value)) return { message: 'must be one line without control characters' }
  if (blank.required && value === '') return { message: 'must not be empty' }
  if (blank.choices !== undefined && !blank.choices.includes(value))
    return { message: `must be one of ${blank.choices.join(', ')}` }
  // An empty text that is not required says that there is none.
  if (blank.pattern !== undefined && value !== '' && !new RegExp(`^(?:${blank.pattern})$`, 'u').test(value))
    return { message: `must match ${blank.pattern}` }
  return { value }
}

function judgeNumber({ min = -Number.MAX_SAFE_INTEGER, max = Number.MAX_SAFE_INTEGER }: Parameter, value: unknown) {
  if (typeof value !== 'number' || !Number.isSafeInteger(value)) return { message: 'must be a whole number' }
  return value >= min && value <= max ? { value } : { message: `must be from ${min} to ${max}` }
}
