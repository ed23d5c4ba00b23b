import type { z } from 'zod'
import { templates } from './catalog/templates.ts'
import { idOfKey } from './key-id.ts'
import { CatalogTemplate } from './script.ts'
import { contentOf } from './script-file.ts'

export interface ScriptTemplate extends z.infer<typeof CatalogTemplate> {
  /** A UUID of version 5, made of the key. */
  id: string
  /** Each blank stands in it as `{{name}}`, where the language expects a literal. */
  content: string
}

/** The templates that come with Muster, in the order of their keys. */
export function scriptTemplates(): ScriptTemplate[] {
  return templates
    .map((entry) => {
      const template = CatalogTemplate.parse(entry)
      return { id: idOfKey(template.key), ...template, content: contentOf(template.key, template.language) }
    })
    .sort((a, b) => (a.key < b.key ? -1 : 1))
}
