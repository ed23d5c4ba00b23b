// Writes test/gates/routes.txt, one line per operation, so that a change of the API is one line of a diff.
// `--check` fails instead when the file is stale.
import { readFile, writeFile } from 'node:fs/promises'
import { fileURLToPath } from 'node:url'
import { routeLines } from '../test/contract/coverage.ts'

const file = fileURLToPath(new URL('../test/gates/routes.txt', import.meta.url))
const text = `${routeLines().join('\n')}\n`
if (!process.argv.includes('--check')) await writeFile(file, text)
else if (text !== (await readFile(file, 'utf8'))) {
  console.error('test/gates/routes.txt is stale. Run `npm run routes` and review the difference.')
  process.exitCode = 1
}
