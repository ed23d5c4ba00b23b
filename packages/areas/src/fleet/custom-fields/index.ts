// The functions of custom fields that other areas may use.
export { type FieldValue, fieldDefinitions, valueFrom } from './field-definitions.ts'
