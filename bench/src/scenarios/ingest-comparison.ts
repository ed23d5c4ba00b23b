import { type BenchStack, startBenchStack } from '../bench-stack.ts'
import { sumOf, type Verdict } from '../check.ts'
import { Generator } from '../generator/generator.ts'
import { checkAndClear, drained, type LoadRun, runLoad } from '../load-run.ts'
import { type ReferenceRun, WriteReferences } from '../references.ts'
import { bar, load, median, type Report, significant, type Table, usageTable } from '../report.ts'
import type { Run } from '../scenario.ts'
import { checkTable, ratesTable, tablesOf } from './ingest-tables.ts'

const connectMs = 120_000
const rateMax = 200_000
/** A round is at the maximum when its remaining rows are stored within about this time. */
const drainMs = { least: 800, most: 1_500 }

const lengths = {
  full: { agents: 10_000, firstRate: 12_000, rounds: 5, ours: 10, bare: 5, rows: 4, half: 20, trial: 3 },
  quick: { agents: 5_000, firstRate: 81_000, rounds: 1, ours: 3, bare: 1.5, rows: 1, half: 2, trial: 1 },
}

interface Round {
  readonly ours: LoadRun
  readonly bare: ReferenceRun
  readonly rows: ReferenceRun
  readonly loadAverage: number
}

interface Bench {
  readonly bench: BenchStack
  readonly generator: Generator
  readonly verdicts: Verdict[]
  say(line: string): void
}

/** The maximum rate of heartbeats, in turns with the references R3 and R2, then half of it for the latencies. */
export async function compareIngest({ options, say, keep }: Run): Promise<Report> {
  const length = options.isQuick ? lengths.quick : lengths.full
  const { agents = length.agents, rounds: count } = options
  const bench = keep(
    await startBenchStack({ agents, ingest: options.ingest, workers: options.workers, profile: options.profile, say }),
  )
  // Room for all rounds even at half of the highest rate.
  const seconds = (length.rounds + 4) * length.ours + length.half + 10 * length.trial
  const sequencesMax = Math.ceil((seconds * rateMax) / 2 / agents)
  const generator = keep(new Generator({ target: bench.target, folder: bench.fleetFolder, agents, sequencesMax }))
  say(`${agents} agents connected in ${((await generator.connect(connectMs)) / 1000).toFixed(1)} s`)
  // The references write the same rows as the worker does for agents that have just connected.
  await drained(bench)
  const references = keep(new WriteReferences(bench, agents))
  await references.tune()
  const here: Bench = { bench, generator, verdicts: [], say }
  let rate = await findMaximum(here, length)
  const rounds: Round[] = []
  for (let index = 0; index < (count ?? length.rounds); index++) {
    const bare = await references.bareBatches(length.bare)
    const rows = await references.rowTransactions(length.rows)
    const ours = await loadAndCheck(here, rate, length.ours)
    rounds.push({ ours, bare, rows, loadAverage: load() })
    const figures = `R3 ${bare.storedPerSecond}/s, R2 ${rows.storedPerSecond}/s, Muster ${ours.storedPerSecond}/s`
    say(`round ${index + 1}: ${figures} (drain ${ours.drainMs} ms)`)
    rate = nextRate(ours)
  }
  const most = median(rounds.map(({ ours }) => ours.storedPerSecond))
  const half = await loadAndCheck(here, most / 2, length.half)
  return report(agents, references.batch, rounds, half, sumOf(here.verdicts))
}

async function loadAndCheck({ bench, generator, verdicts }: Bench, rate: number, seconds: number): Promise<LoadRun> {
  const run = await runLoad(bench, generator, rate, seconds)
  verdicts.push(await checkAndClear(bench, generator))
  return run
}

// Increases by half while the writers keep up, so that the first round is close to the maximum.
async function findMaximum(here: Bench, from: { firstRate: number; trial: number }): Promise<number> {
  for (let rate = from.firstRate; ; rate *= 1.5) {
    const trial = await loadAndCheck(here, rate, from.trial)
    here.say(`trial: ${rate}/s offered, ${trial.storedPerSecond}/s stored, drain ${trial.drainMs} ms`)
    if (trial.drainMs > drainMs.least || rate * 1.5 > rateMax) return nextRate(trial)
  }
}

function nextRate({ rate, sentPerSecond, storedPerSecond, drainMs: drainedMs }: LoadRun): number {
  if (drainedMs > drainMs.most) return storedPerSecond * 1.03
  // A generator that cannot keep its pace is no reason to raise the rate.
  const next = drainedMs < drainMs.least ? rate * 1.15 : rate
  return Math.min(rateMax, next, sentPerSecond * 1.3)
}

function report(agents: number, batch: number, rounds: readonly Round[], half: LoadRun, verdict: Verdict): Report {
  const of = (value: (round: Round) => number) => median(rounds.map(value))
  const vsR3 = of(({ ours, bare }) => ours.storedPerSecond / bare.storedPerSecond)
  const vsR2 = of(({ ours, rows }) => ours.storedPerSecond / rows.storedPerSecond)
  const last = rounds.at(-1)
  return {
    scenario: 'ingest',
    ratios: { vsR3: significant(vsR3), vsR2: significant(vsR2) },
    bars: [
      bar('heartbeats stored per second, of R3 (bare batches on one connection)', vsR3, 'at least', 0.5),
      bar('heartbeats stored per second, times R2 (a transaction each)', vsR2, 'at least', 10),
      bar('p99 received → committed at half of the maximum', half.receivedToCommitted.p99, 'at most', 1_000, ' ms'),
      bar('heartbeats sent = acknowledged = stored', verdict.isEqual ? 1 : 0, 'at least', 1),
    ],
    tables: [
      roundsTable(agents, batch, rounds, of),
      checkTable(verdict),
      ...(last === undefined ? [] : [usageTable('CPU and memory at the maximum', last.ours.usage)]),
      ...(last === undefined ? [] : [usageTable('CPU of R3', last.bare.usage)]),
      ratesTable([half]),
      ...tablesOf(half),
    ],
    figures: { agents, batch, rounds, half, verdict },
  }
}

function roundsTable(agents: number, batch: number, rounds: readonly Round[], of: (v: (r: Round) => number) => number) {
  const row = (
    name: string,
    { r3, r2, ours, drain, busy }: Record<'r3' | 'r2' | 'ours' | 'drain' | 'busy', number>,
  ) => [name, r3, r2, ours, significant(ours / r3), significant(ours / r2), drain, busy]
  const figures = ({ ours, bare, rows, loadAverage }: Round) => ({
    r3: bare.storedPerSecond,
    r2: rows.storedPerSecond,
    ours: ours.storedPerSecond,
    drain: ours.drainMs,
    busy: loadAverage,
  })
  const medians = {
    r3: of((round) => figures(round).r3),
    r2: of((round) => figures(round).r2),
    ours: of((round) => figures(round).ours),
    drain: of((round) => figures(round).drain),
    busy: of((round) => figures(round).busy),
  }
  const table: Table = {
    title: `heartbeats stored per second, ${agents} agents, R3 in batches of ${batch}`,
    head: ['round', 'R3', 'R2', 'Muster', '/ R3', '/ R2', 'drain ms', 'load'],
    rows: [...rounds.map((round, index) => row(String(index + 1), figures(round))), row('median', medians)],
  }
  return table
}
