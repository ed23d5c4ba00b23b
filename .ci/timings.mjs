// A reporter of vitest: writes how long each test file took to a file beside its JSON report.
import { writeFileSync } from 'node:fs'
import { relative } from 'node:path'

const seconds = (milliseconds) => Math.round(milliseconds / 100) / 10

export default class Timings {
  #file = ''
  #queued = new Map()
  #files = []
  #begin = Date.now()

  onInit({ config }) {
    this.#file = config.outputFile.json.replace(/\.json$/, '.timings.json')
  }

  onTestModuleQueued({ id }) {
    this.#queued.set(id, Date.now())
  }

  onTestModuleEnd(module) {
    const { environmentSetupDuration, prepareDuration, collectDuration, setupDuration, duration } = module.diagnostic()
    const queued = this.#queued.get(module.id) ?? Date.now()
    this.#files.push({
      project: module.project.name,
      file: relative(process.cwd(), module.moduleId),
      from: seconds(queued - this.#begin),
      to: seconds(Date.now() - this.#begin),
      load: seconds(environmentSetupDuration + prepareDuration + collectDuration + setupDuration),
      tests: seconds(duration),
    })
  }

  onTestRunEnd() {
    writeFileSync(this.#file, `${JSON.stringify(this.#files, null, 2)}\n`)
  }
}
