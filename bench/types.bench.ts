// The time budget for type-checking: the whole program, and the console alone, which imports only the types of the API.

import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { mkdtemp, rm, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { waitedChildrenCpuSeconds } from './src/proc.ts'
import { bar, load, median, type Report, significant } from './src/report.ts'
import type { Run, Scenario } from './src/scenario.ts'

const root = fileURLToPath(new URL('..', import.meta.url))
const compiler = join(root, 'node_modules/typescript/bin/tsc')
const budgetSeconds = { whole: 15, console: 3 }

// A typical page: uses outputs and inputs of several areas.
const page = `import type { AppRouter } from '@muster/areas/app-router.ts'
import type { inferRouterInputs, inferRouterOutputs } from '@trpc/server'

type Inputs = inferRouterInputs<AppRouter>
type Outputs = inferRouterOutputs<AppRouter>

export const siteNames = (page: Outputs['tenancy']['sites']['list']): string[] => page.data.map((site) => site.name)
export const hostnames = (page: Outputs['devices']['devices']['list']): string[] => page.data.map((device) => device.hostname)
export const newSite: Inputs['tenancy']['sites']['create'] = { orgId: '', name: 'Main' }
`

interface Check {
  /** Wall time as reported by the compiler. */
  readonly seconds: number
  readonly cpuSeconds: number
  readonly types: number
  readonly memoryMiB: number
}

export const types: Scenario = {
  summary: 'how long type-checking takes: the whole program, and the console, which imports only the interface types',
  secondsMax: 900,
  hasNoQuickForm: true,
  async run({ options, say }: Run): Promise<Report> {
    const rounds = options.rounds ?? 3
    // Inside the project, so that packages are resolved as usual.
    const folder = await mkdtemp(join(root, 'bench', '.types-'))
    try {
      await writeFile(join(folder, 'page.ts'), page)
      const settings = { extends: '../../tsconfig.json', include: ['page.ts'], exclude: [] }
      await writeFile(join(folder, 'tsconfig.json'), JSON.stringify(settings))
      const whole: Check[] = []
      const alone: Check[] = []
      for (let round = 0; round < rounds; round++) {
        whole.push(await check(join(root, 'tsconfig.json')))
        alone.push(await check(join(folder, 'tsconfig.json')))
        say(`round ${round + 1}: whole program ${whole.at(-1)?.seconds} s, console ${alone.at(-1)?.seconds} s`)
      }
      return report(whole, alone)
    } finally {
      await rm(folder, { recursive: true })
    }
  },
}

async function check(project: string): Promise<Check> {
  const before = waitedChildrenCpuSeconds()
  const compiling = spawn(process.execPath, [compiler, '-p', project, '--extendedDiagnostics'], {
    stdio: ['ignore', 'pipe', 'inherit'],
  })
  let output = ''
  compiling.stdout.setEncoding('utf8').on('data', (chunk: string) => {
    output += chunk
  })
  await once(compiling, 'close')
  const figure = (name: string) => Number(new RegExp(`^${name}: +([\\d.]+)`, 'm').exec(output)?.[1])
  // Type errors are reported by `npm run types`; here the checker only has to finish.
  if (!(figure('Total time') > 0)) throw new Error(`The compiler did not finish: ${output.slice(0, 2_000)}`)
  return {
    seconds: figure('Total time'),
    cpuSeconds: waitedChildrenCpuSeconds() - before,
    types: figure('Types'),
    memoryMiB: Math.round(figure('Memory used') / 1024),
  }
}

function report(whole: readonly Check[], alone: readonly Check[]): Report {
  const of = (checks: readonly Check[], value: (check: Check) => number) => median(checks.map(value))
  const row = (name: string, checks: readonly Check[]) => [
    name,
    significant(of(checks, ({ seconds }) => seconds)),
    significant(of(checks, ({ cpuSeconds }) => cpuSeconds)),
    of(checks, (check) => check.types),
    of(checks, ({ memoryMiB }) => memoryMiB),
    load(),
  ]
  const seconds = (checks: readonly Check[]) => of(checks, (check) => check.seconds)
  return {
    scenario: 'types',
    ratios: {},
    bars: [
      bar('type-checking the whole program', seconds(whole), 'at most', budgetSeconds.whole, ' s'),
      bar('type-checking a page that knows only the interface', seconds(alone), 'at most', budgetSeconds.console, ' s'),
    ],
    tables: [
      {
        title: `type-checking, medians of ${whole.length}`,
        head: ['program', 'seconds', 'CPU seconds', 'types', 'MiB', 'load'],
        rows: [row('whole', whole), row('console', alone)],
      },
    ],
    figures: { whole, alone },
  }
}
