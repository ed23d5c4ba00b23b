// Prints "<passed> <failed>" of a test run: node count.mjs <vitest's JSON report> <its exit code>
import { readFileSync } from 'node:fs'

const [file, exitCode] = process.argv.slice(2)
const report = readReport(file)
// A file that cannot even be loaded holds no tests; it counts as one that failed.
const unloaded = report.testResults.filter((each) => each.status === 'failed' && each.assertionResults.length === 0)
const failed = report.numFailedTests + unloaded.length
// A run can fail without a failed test: an error outside of any, or nothing to run.
const silent = failed === 0 && (exitCode !== '0' || report.numPassedTests === 0)
console.log(`${report.numPassedTests} ${failed + (silent ? 1 : 0)}`)

function readReport(path) {
  try {
    return JSON.parse(readFileSync(path, 'utf8'))
  } catch {
    return { numPassedTests: 0, numFailedTests: 0, testResults: [] }
  }
}
