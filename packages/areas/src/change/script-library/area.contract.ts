import { categories } from './categories.contract.ts'
import { tags } from './tags.contract.ts'
import { templates } from './templates/templates.contract.ts'
import { usage } from './usage/usage.contract.ts'
import { versions } from './versions.contract.ts'

export default { categories, tags, templates, usage, versions }
