// Decides which values a parameter takes. Patterns are run by RE2, which takes linear time for any pattern and value.
import { RE2JS } from 're2js'
import { deviceFieldWords, isDeviceField } from './device-fields.ts'
import type { ParameterValue, ScriptParameter } from './parameters.contract.ts'

type Literal = Extract<ParameterValue, string | number | boolean>

export const isLiteral = (value: ParameterValue): value is Literal => typeof value !== 'object'

const wordsOf = { text: 'a text', number: 'a number', boolean: 'true or false', choice: 'a text' } as const

/** Why a value is none of a parameter; null if it is one. What a secret or a field holds is unknown here. */
export function faultOfValue(parameter: ScriptParameter, value: ParameterValue): string | null {
  const { type } = parameter
  if (type === 'secret')
    return typeof value === 'object' && 'secret' in value ? null : 'must name a secret, as {"secret": "name"}'
  if (!isLiteral(value)) {
    if ('field' in value) return isDeviceField(value.field) ? null : `must be a field of devices: ${deviceFieldWords}`
    return type === 'text' ? null : 'must not be a secret. Only texts and secrets can be'
  }
  if (typeof value !== (type === 'choice' ? 'string' : type === 'text' ? 'string' : type))
    return `must be ${wordsOf[type]}`
  return typeof value === 'boolean' ? null : faultOfLiteral(parameter, value)
}

function faultOfLiteral({ type, choices, pattern, min, max }: ScriptParameter, value: string | number): string | null {
  if (type === 'choice') return choices.includes(String(value)) ? null : `must be one of ${choices.join(', ')}`
  const size = typeof value === 'string' ? value.length : value
  const unit = typeof value === 'string' ? ' characters long' : ''
  if (min !== null && size < min) return `must be at least ${min}${unit}`
  if (max !== null && size > max) return `must be at most ${max}${unit}`
  if (pattern === null || patternOf(pattern)?.matches(String(value)) === true) return null
  return `must match the pattern ${pattern}`
}

/** The pattern, ready to match; null if its syntax is not that of RE2. */
function patternOf(pattern: string): RE2JS | null {
  try {
    return RE2JS.compile(pattern)
  } catch {
    return null
  }
}

/** What is wrong with the definition of a parameter; null if nothing is. */
export function faultOfDefinition(parameter: ScriptParameter): string | null {
  const { type, choices, pattern, min, max } = parameter
  if ((type === 'choice') !== choices.length > 0)
    return type === 'choice' ? 'choices: a choice needs at least one' : 'choices: only a choice has them'
  if (pattern !== null && type !== 'text') return 'pattern: only a text has one'
  if (pattern !== null && patternOf(pattern) === null)
    return 'pattern: is not a regular expression of RE2, which has no look-around and no references'
  if ((min !== null || max !== null) && type !== 'text' && type !== 'number')
    return 'min: only numbers and texts have bounds'
  if (min !== null && max !== null && min > max) return 'min: must not be above max'
  const fault = parameter.default === null ? null : faultOfValue(parameter, parameter.default)
  return fault === null ? null : `default: ${fault}`
}
