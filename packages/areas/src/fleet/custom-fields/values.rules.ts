import { z } from 'zod'
import type { CustomField, CustomValue } from './custom-fields.contract.ts'

type Value = z.infer<typeof CustomValue>

/** The problem of a value for a field; null when it is valid. */
export function faultOfValue(
  field: Pick<CustomField, 'key' | 'type' | 'options' | 'required'>,
  value: Value,
): string | null {
  if (value === null) return field.required ? `${field.key} is required` : null
  switch (field.type) {
    case 'text':
      return typeof value === 'string' ? null : `${field.key} must be text`
    case 'number':
      return typeof value === 'number' ? null : `${field.key} must be a number`
    case 'boolean':
      return typeof value === 'boolean' ? null : `${field.key} must be true or false`
    case 'time':
      return z.iso.datetime({ offset: true }).safeParse(value).success ? null : `${field.key} must be an ISO 8601 time`
    case 'choice':
      return typeof value === 'string' && field.options.includes(value)
        ? null
        : `${field.key} must be one of ${field.options.join(', ')}`
  }
}
