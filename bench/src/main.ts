// Runs one benchmark, or all of them: npm run bench -- <scenario> [flags]

import { type BenchOptions, readOptions, UsageError } from './options.ts'
import { type Circumstances, load, machine, print, type Report } from './report.ts'
import { saveResult, writeSummary } from './results.ts'
import type { Run, Scenario } from './scenario.ts'
import { scenarios } from './scenarios.ts'

const usage = () =>
  [
    'usage: npm run bench -- <scenario> [--json] [--quick] [--save] [--agents N] [--rate HZ] [--seconds S] [--rounds N]',
    '                         [--ingest N] [--workers N] [--profile FOLDER]',
    ...Object.entries(scenarios).map(([name, { summary }]) => `  ${name.padEnd(10)} ${summary}`),
    '  all        all scenarios, one after the other',
    '  summary    writes RESULTS.md and its picture again from the saved results',
  ].join('\n')

let isStopping = false
const say = (line: string) => process.stderr.write(`${line}\n`)

async function main(args: readonly string[]): Promise<void> {
  const options = readOptions(args)
  if (options.scenario === 'summary') return writeSummary()
  const names = options.scenario === 'all' ? everyName(options) : [options.scenario]
  const outcomes: object[] = []
  for (const name of names) {
    const scenario = scenarios[name]
    if (scenario === undefined) throw new UsageError(name === '' ? 'Name a scenario' : `There is no scenario ${name}`)
    say(`${name}: ${scenario.summary}`)
    const before = load()
    const startedAt = performance.now()
    const report = await attempt(scenario, options, names.length > 1)
    say(`${name} took ${Math.round((performance.now() - startedAt) / 1000)} s`)
    if (report === undefined) continue
    const command = `npm run bench -- ${args.join(' ')}`
    const date = new Date().toISOString()
    const circumstances: Circumstances = {
      date,
      command,
      machine: machine(),
      node: process.version,
      loadBefore: before,
      loadAfter: load(),
    }
    outcomes.push({ ...report, ...circumstances })
    if (!options.isJson) process.stdout.write(`${print(report, circumstances)}\n\n`)
    if (options.isSaved) saveResult(report, circumstances)
  }
  if (options.isJson)
    process.stdout.write(`${JSON.stringify(names.length === 1 ? outcomes[0] : { scenarios: outcomes })}\n`)
}

const everyName = ({ isQuick }: BenchOptions) =>
  Object.entries(scenarios).flatMap(([name, { hasNoQuickForm = false }]) => (isQuick && hasNoQuickForm ? [] : [name]))

/** When one of several scenarios fails, the others still run; failures are reported at once and again at the end. */
async function attempt(scenario: Scenario, options: BenchOptions, isOneOfMany: boolean): Promise<Report | undefined> {
  try {
    return await runOnce(scenario, (stop) => ({ options, say, keep: stop }))
  } catch (error) {
    if (!isOneOfMany || isStopping) throw error
    say(`failed:  ${error instanceof Error ? error.stack : String(error)}`)
    process.exitCode = 1
    return undefined
  }
}

let stopAll: () => Promise<void> = async () => undefined

async function runOnce(scenario: Scenario, runOf: (keep: Run['keep']) => Run): Promise<Report> {
  const started: { stop(): Promise<void> }[] = []
  const stop = async () => {
    for (const each of started.splice(0).reverse())
      await each.stop().catch((error: Error) => say(`could not stop something: ${error.message}`))
  }
  stopAll = stop
  const overdue = setTimeout(() => {
    say(`not finished after ${scenario.secondsMax} s; stopping`)
    void stop().then(() => process.exit(1))
  }, scenario.secondsMax * 1000)
  try {
    return await scenario.run(
      runOf((each) => {
        started.push(each)
        return each
      }),
    )
  } finally {
    clearTimeout(overdue)
    await stop()
  }
}

function stopNow(why: string): void {
  if (isStopping) process.exit(1)
  isStopping = true
  say(why)
  void stopAll().then(() => process.exit(1))
}
for (const signal of ['SIGINT', 'SIGTERM', 'SIGHUP']) process.on(signal, () => stopNow('stopping …'))
process.once('disconnect', () => stopNow('the parent process ended; stopping …'))

try {
  await main(process.argv.slice(2))
  process.exit()
} catch (error) {
  if (error instanceof UsageError) say(`${error.message}\n${usage()}`)
  else say(error instanceof Error ? (error.stack ?? error.message) : String(error))
  process.exit(1)
}
