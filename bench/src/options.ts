import { parseArgs } from 'node:util'

export interface BenchOptions {
  readonly scenario: string
  readonly isJson: boolean
  readonly isQuick: boolean
  /** Saves the result under bench/results and redraws the picture. */
  readonly isSaved: boolean
  readonly agents: number | undefined
  readonly rate: number | undefined
  readonly seconds: number | undefined
  readonly rounds: number | undefined
  readonly ingest: number | undefined
  readonly workers: number | undefined
  /** Folder for CPU profiles of ingest and worker. */
  readonly profile: string | undefined
}

export class UsageError extends Error {}

const number = { type: 'string' } as const
const flag = { type: 'boolean', default: false } as const

/** Reads the command line. @throws UsageError naming the fault */
export function readOptions(args: readonly string[]): BenchOptions {
  const { values, positionals } = parse(args)
  const [scenario = '', ...more] = positionals
  if (more.length > 0) throw new UsageError(`Give one scenario, not ${positionals.join(' ')}`)
  const positive = (name: string, value: string | undefined): number | undefined => {
    if (value === undefined) return undefined
    if (!(Number(value) > 0)) throw new UsageError(`--${name} must be a number above 0, not ${value}`)
    return Number(value)
  }
  return {
    scenario,
    isJson: values.json,
    isQuick: values.quick,
    isSaved: values.save,
    agents: positive('agents', values.agents),
    rate: positive('rate', values.rate),
    seconds: positive('seconds', values.seconds),
    rounds: positive('rounds', values.rounds),
    ingest: positive('ingest', values.ingest),
    workers: positive('workers', values.workers),
    profile: values.profile,
  }
}

function parse(args: readonly string[]) {
  try {
    return parseArgs({
      args: [...args],
      allowPositionals: true,
      options: {
        json: flag,
        quick: flag,
        save: flag,
        agents: number,
        rate: number,
        seconds: number,
        rounds: number,
        ingest: number,
        workers: number,
        profile: number,
      },
    })
  } catch (error) {
    throw new UsageError(error instanceof Error ? error.message : String(error))
  }
}
