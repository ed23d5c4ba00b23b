import { mkdirSync, readdirSync, readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { drawBars } from './picture.ts'
import type { Circumstances, Report } from './report.ts'
import { Saved } from './saved.ts'
import { summarize } from './summary.ts'

const folder = fileURLToPath(new URL('../results/', import.meta.url))
const notes = fileURLToPath(new URL('../notes/', import.meta.url))
const picture = join(folder, 'bars.svg')
const summary = fileURLToPath(new URL('../RESULTS.md', import.meta.url))

export function saveResult(report: Report, circumstances: Circumstances): void {
  mkdirSync(folder, { recursive: true })
  const path = join(folder, `${report.scenario}.json`)
  writeFileSync(path, `${JSON.stringify({ ...report, ...circumstances }, null, 2)}\n`)
  writeSummary()
}

/** Writes RESULTS.md and the picture from the saved results and notes. */
export function writeSummary(): void {
  const results = readResults()
  writeFileSync(picture, drawBars(results))
  writeFileSync(summary, summarize(results, readNotes()))
}

function readNotes(): Map<string, string> {
  const names = readdirSync(notes).filter((name) => name.endsWith('.md'))
  return new Map(names.map((name) => [name.slice(0, -'.md'.length), readFileSync(join(notes, name), 'utf8')]))
}

function readResults(): Saved[] {
  const names = readdirSync(folder).filter((name) => name.endsWith('.json'))
  const results = names.map((name) => Saved.parse(JSON.parse(readFileSync(join(folder, name), 'utf8'))))
  return results.sort((one, other) => one.scenario.localeCompare(other.scenario))
}
