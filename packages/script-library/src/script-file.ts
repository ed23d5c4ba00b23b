import { readFileSync } from 'node:fs'
import type { TemplateLanguage } from './script.ts'

const extensions: Readonly<Record<TemplateLanguage, string>> = {
  bash: 'sh',
  sh: 'sh',
  python: 'py',
  powershell: 'ps1',
}

/** Reads the file of a key: its folder and name, with the extension of the language. */
export function contentOf(key: string, language: TemplateLanguage): string {
  return readFileSync(new URL(`./${key}.${extensions[language]}`, import.meta.url), 'utf8')
}
