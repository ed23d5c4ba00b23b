import { area } from '../../area.ts'
import contract from './area.contract.ts'
import { categoriesExamples } from './categories.examples.ts'
import categories from './categories.ts'
import { tagsExamples } from './tags.examples.ts'
import tags from './tags.ts'
import { templatesExamples } from './templates/templates.examples.ts'
import templates from './templates/templates.ts'
import { usageExamples } from './usage/usage.examples.ts'
import usage from './usage/usage.ts'
import { versionsExamples } from './versions.examples.ts'
import versions from './versions.ts'

export default area({
  name: 'scriptLibrary',
  contract,
  handlers: { categories, tags, templates, usage, versions },
  examples: {
    categories: categoriesExamples,
    tags: tagsExamples,
    templates: templatesExamples,
    usage: usageExamples,
    versions: versionsExamples,
  },
})
