import type { Parameter } from '../script.ts'

type Given = Partial<Pick<Parameter, 'required' | 'default' | 'pattern' | 'min' | 'max'>>

/** A line of text. */
export const text = (name: string, label: string, more: Given = {}) => ({ name, label, type: 'text' as const, ...more })

/** A whole number between two limits. */
export const number = (name: string, label: string, [min, max]: readonly [number, number], value?: number) => {
  const given = value === undefined ? { required: true } : { default: value }
  return { name, label, type: 'number' as const, min, max, ...given }
}

/** Yes or no. */
export const boolean = (name: string, label: string, value = false) => {
  return { name, label, type: 'boolean' as const, default: value }
}

/** One of several words; the first is the default. */
export const choice = (name: string, label: string, ...choices: [string, ...string[]]) => {
  return { name, label, type: 'choice' as const, choices, default: choices[0] }
}

/** The custom field that a script sets, if one is given. */
export const field = (label: string) => text('field', label, { pattern: '[a-z][a-z0-9_]{0,62}' })
