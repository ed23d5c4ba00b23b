// Writes docs/structure.md: packages, groups and areas, and what imports what. With --root another checkout is drawn, with --out
// into another file, with --title under another title.
import { writeFile } from 'node:fs/promises'
import { fileURLToPath } from 'node:url'
import { parseArgs } from 'node:util'
import { structureOf } from './structure/graph.ts'
import { structurePage } from './structure/page.ts'

const project = fileURLToPath(new URL('../', import.meta.url))
const { values } = parseArgs({
  options: {
    root: { type: 'string', default: project },
    out: { type: 'string', default: `${project}docs/structure.md` },
    title: { type: 'string', default: 'Structure' },
  },
})
await writeFile(values.out, structurePage(values.title, structureOf(values.root)))
