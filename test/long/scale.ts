// The size of a long test, and its output.
import { spawn } from 'node:child_process'
import { fileURLToPath } from 'node:url'

const { LONG_AGENTS = '', LONG_MINUTES = '' } = process.env

/** The values of the command line, or the defaults of the case. */
export const scale = (agents: number, minutes: number) => ({
  agents: LONG_AGENTS === '' ? agents : Number(LONG_AGENTS),
  minutes: LONG_MINUTES === '' ? minutes : Number(LONG_MINUTES),
})

export const say = (line: string) => process.stderr.write(`${line}\n`)

interface Bar {
  readonly name: string
  readonly measured: number
  readonly limit: number
  readonly sense: 'at least' | 'at most'
  readonly unit: string
}

/** Runs a benchmark and returns its limits with the measured values. */
export async function bench(scenario: string, ...args: string[]): Promise<Bar[]> {
  const main = fileURLToPath(new URL('../../bench/src/main.ts', import.meta.url))
  const child = spawn(process.execPath, [main, scenario, '--json', ...args], { stdio: ['ignore', 'pipe', 'inherit'] })
  let said = ''
  child.stdout.setEncoding('utf8').on('data', (text: string) => {
    said += text
  })
  const code = await new Promise<number | null>((resolve) => child.on('close', resolve))
  if (code !== 0) throw new Error(`The benchmark failed with exit code ${code}`)
  const report: { bars: Bar[] } = JSON.parse(said)
  for (const { name, measured, sense, limit, unit } of report.bars)
    say(`${name}: ${measured}${unit} (${sense} ${limit}${unit})`)
  return report.bars
}

/** The failed limits that hold on any machine: nothing may be lost, duplicated or disconnected. */
export const broken = (bars: readonly Bar[]) =>
  bars.filter(({ sense, limit, measured }) => sense === 'at most' && limit === 0 && measured > 0)
