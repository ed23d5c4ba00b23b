// Compares the served operations with the contract, by area. `--check` fails when a served operation was removed or moved.
import { readFile } from 'node:fs/promises'
import { contractOperations, disappeared, isServed } from '../test/contract/coverage.ts'

const areas = Map.groupBy(contractOperations, ({ area }) => area)
for (const [area, operations] of areas) {
  const missing = operations.filter((operation) => !isServed(operation))
  console.log(`${area.padEnd(28)} ${String(operations.length - missing.length).padStart(3)} of ${operations.length}`)
  if (process.argv.includes('--missing')) for (const { method, path } of missing) console.log(`    ${method} ${path}`)
}
const total = contractOperations.filter(isServed).length
console.log(
  `${'all'.padEnd(28)} ${total} of ${contractOperations.length} served, ${contractOperations.length - total} missing`,
)

if (process.argv.includes('--check')) {
  const gone = disappeared(await readFile(new URL('../test/gates/routes.txt', import.meta.url), 'utf8'))
  if (gone.length > 0) {
    console.error(`No longer served:\n  ${gone.join('\n  ')}`)
    process.exitCode = 1
  }
}
