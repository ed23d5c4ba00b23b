// Prints the slowest 20 test files and the sums per project, in seconds: node slowest.mjs <files that timings.mjs wrote>
import { existsSync, readFileSync } from 'node:fs'

const files = process.argv
  .slice(2)
  .filter((path) => existsSync(path))
  .flatMap((path) => JSON.parse(readFileSync(path, 'utf8')))
const row = (cells, last = '') => `${cells.map((cell) => String(cell).padStart(9)).join('')}  ${last}`
const sum = (some, key) => some.reduce((total, each) => total + each[key], 0).toFixed(1)

console.log(`── the slowest 20 test files\n${row(['load', 'tests'])}`)
for (const { file, load, tests } of files.toSorted((a, b) => b.load + b.tests - a.load - a.tests).slice(0, 20)) {
  console.log(row([load, tests], file))
}
console.log(`── projects\n${row(['files', 'from', 'to', 'load', 'tests'])}`)
// The Node of the machine may be older than ours: no Object.groupBy.
for (const project of new Set(files.map((each) => each.project))) {
  const its = files.filter((each) => each.project === project)
  const from = Math.min(...its.map((each) => each.from))
  const to = Math.max(...its.map((each) => each.to))
  console.log(row([its.length, from, to, sum(its, 'load'), sum(its, 'tests')], project))
}
