// A reporter of vitest: keeps how long each test file took, prints the slowest and the sums per project.
import { mkdirSync, writeFileSync } from 'node:fs'
import { dirname, relative } from 'node:path'

const file = '.reports/timings.json'
const seconds = (milliseconds) => Math.round(milliseconds / 100) / 10
const row = (...cells) => cells.map((cell, at) => (at === 0 ? cell.padEnd(10) : String(cell).padStart(9))).join('')

export default class Timings {
  #started = new Map()
  #files = []
  #begin = Date.now()

  onTestModuleQueued(module) {
    this.#started.set(module.id, Date.now())
  }

  onTestModuleEnd(module) {
    const { environmentSetupDuration, prepareDuration, collectDuration, setupDuration, duration } = module.diagnostic()
    const started = this.#started.get(module.id) ?? Date.now()
    this.#files.push({
      project: module.project.name,
      file: relative(process.cwd(), module.moduleId),
      from: seconds(started - this.#begin),
      to: seconds(Date.now() - this.#begin),
      load: seconds(environmentSetupDuration + prepareDuration + collectDuration + setupDuration),
      tests: seconds(duration),
    })
  }

  onTestRunEnd() {
    const slowest = this.#files.toSorted((a, b) => b.load + b.tests - a.load - a.tests)
    const projects = Object.entries(Object.groupBy(this.#files, (each) => each.project)).map(([project, files]) => ({
      project,
      files: files.length,
      from: Math.min(...files.map((each) => each.from)),
      to: Math.max(...files.map((each) => each.to)),
      load: sum(files, 'load'),
      tests: sum(files, 'tests'),
    }))
    mkdirSync(dirname(file), { recursive: true })
    writeFileSync(file, `${JSON.stringify({ projects, files: slowest }, null, 2)}\n`)
    console.log(`\nThe slowest 20 files, in seconds (all in ${file}):`)
    for (const each of slowest.slice(0, 20)) console.log(`${row('', each.load, each.tests)}  ${each.file}`)
    console.log(`\n${row('project', 'files', 'from', 'to', 'load', 'tests')}`)
    for (const each of projects) {
      console.log(row(each.project, each.files, each.from, each.to, each.load, each.tests))
    }
  }
}

const sum = (files, key) => Math.round(files.reduce((total, each) => total + each[key], 0) * 10) / 10
