import type { TemplateLanguage } from './script.ts'

/** Writes a value as a literal of a language: text of any characters but control characters stays text. */
export function literalOf(language: TemplateLanguage, value: string | number | boolean): string {
  return literals[language](value)
}

type Literal = (value: string | number | boolean) => string

const shell: Literal = (value) => (typeof value === 'string' ? `'${value.replaceAll("'", `'\\''`)}'` : String(value))

const literals: Readonly<Record<TemplateLanguage, Literal>> = {
  bash: shell,
  sh: shell,
  python(value) {
    if (typeof value === 'boolean') return value ? 'True' : 'False'
    return typeof value === 'number' ? String(value) : `"${[...value].map(escaped).join('')}"`
  },
  powershell(value) {
    if (typeof value === 'boolean') return value ? '$true' : '$false'
    // PowerShell takes the typographic quotes for quotes as well.
    return typeof value === 'number' ? String(value) : `'${value.replace(/['\u2018\u2019\u201a\u201b]/g, '$&$&')}'`
  },
}

/** One character in a Python string: everything but plain ASCII is written as its code. */
function escaped(character: string): string {
  if (/^[ !#-[\]-~]$/.test(character)) return character
  return `\\U${(character.codePointAt(0) ?? 0).toString(16).padStart(8, '0')}`
}
