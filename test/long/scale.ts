// How large a long test is, and what it saw.
import { spawn } from 'node:child_process'
import { fileURLToPath } from 'node:url'

const { LONG_AGENTS = '', LONG_MINUTES = '' } = process.env

/** What was asked for on the command line, else what the case calls for. */
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

/** Runs a benchmark and returns the bars that it measures itself against. */
export async function bench(scenario: string, ...args: string[]): Promise<Bar[]> {
  const main = fileURLToPath(new URL('../../bench/src/main.ts', import.meta.url))
  const child = spawn(process.execPath, [main, scenario, '--json', ...args], { stdio: ['ignore', 'pipe', 'inherit'] })
  let said = ''
  child.stdout.setEncoding('utf8').on('data', (text: string) => {
    said += text
  })
  const code = await new Promise<number | null>((resolve) => child.on('close', resolve))
  if (code !== 0) throw new Error(`The benchmark ended with ${code}`)
  const report: { bars: Bar[] } = JSON.parse(said)
  for (const { name, measured, sense, limit, unit } of report.bars)
    say(`${name}: ${measured}${unit} (${sense} ${limit}${unit})`)
  return report.bars
}

/** Those of the bars that no slow machine excuses: nothing may be lost, doubled or thrown out. */
export const broken = (bars: readonly Bar[]) =>
  bars.filter(({ sense, limit, measured }) => sense === 'at most' && limit === 0 && measured > 0)
