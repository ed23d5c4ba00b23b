import { parseArgs } from 'node:util'
import { reasonOf, StackError } from './failure.ts'

export const usage = `usage: npm start [-- [--demo [machines]] [--outbox]]
  --demo [machines]  adds simulated machines, 2,000 unless a number is given
  --outbox           shows mail and SMS on a local page, to try Muster without a mail server
Settings are environment variables, see docs/start.md.`

const demoMachinesUsual = 2_000
// One process holds them all, with at most 20,000 open files.
const demoMachinesMax = 15_000

interface StartArguments {
  /** How many machines to simulate. */
  readonly demo: number
  /** Whether mail and SMS are shown on a page. */
  readonly outbox: boolean
}

const options = {
  help: { type: 'boolean', short: 'h' },
  demo: { type: 'string' },
  outbox: { type: 'boolean', default: false },
} as const

/** The number after `--demo` is optional, which `parseArgs` does not offer. */
const withDemoSize = (args: readonly string[]): string[] =>
  args.flatMap((arg, index) => {
    const next = args[index + 1]
    return arg === '--demo' && (next === undefined || next.startsWith('-')) ? [`--demo=${demoMachinesUsual}`] : [arg]
  })

/** Reads the command line of `npm start`. @throws StackError with the usage for arguments that it does not know */
export function readArguments(args: readonly string[]): StartArguments | 'help' {
  try {
    const { values } = parseArgs({ args: withDemoSize(args), strict: true, options })
    const demo = Number(values.demo ?? 0)
    if (!Number.isInteger(demo) || demo < 0 || demo > demoMachinesMax) {
      throw new Error(`--demo must be a number of machines, at most ${demoMachinesMax}`)
    }
    return values.help ? 'help' : { demo, outbox: values.outbox }
  } catch (error) {
    throw new StackError(`${reasonOf(error)}. ${usage}`)
  }
}
