import { startBenchStack } from '../bench-stack.ts'
import { Generator } from '../generator/generator.ts'
import { checkAndClear, runLoad } from '../load-run.ts'
import { bar, type Report } from '../report.ts'
import type { Run, Scenario } from '../scenario.ts'
import { compareIngest } from './ingest-comparison.ts'
import { checkTable, ratesTable, tablesOf } from './ingest-tables.ts'

const connectMs = 120_000
const defaults = { agents: 10_000, rate: 10_000, seconds: 60 }

/** Heartbeats from many sockets to committed rows: at a given rate, or at the maximum rate beside the references. */
export const ingest: Scenario = {
  summary: 'heartbeats received, made durable, acknowledged and stored per second; with --rate just that rate',
  secondsMax: 1_800,
  run: (run) => (run.options.rate === undefined ? compareIngest(run) : plain(run)),
}

async function plain(run: Run): Promise<Report> {
  const { options, say, keep } = run
  const { agents = defaults.agents, rate = defaults.rate, seconds = defaults.seconds } = options
  const bench = keep(
    await startBenchStack({ agents, ingest: options.ingest, workers: options.workers, profile: options.profile, say }),
  )
  const sequencesMax = Math.ceil((rate * seconds) / agents) + 10
  const generator = keep(new Generator({ target: bench.target, folder: bench.fleetFolder, agents, sequencesMax }))
  const connectedMs = await generator.connect(connectMs)
  say(`${agents} agents connected in ${(connectedMs / 1000).toFixed(1)} s`)
  const load = await runLoad(bench, generator, rate, seconds)
  const verdict = await checkAndClear(bench, generator)
  const { closes } = await generator.standing()
  return {
    scenario: 'ingest-rate',
    ratios: {},
    bars: [
      bar('heartbeats sent = acknowledged = stored', verdict.isEqual ? 1 : 0, 'at least', 1),
      bar('share of the offered rate that was stored', load.stored / load.offered, 'at least', 0.999),
      bar('p99 received → committed', load.receivedToCommitted.p99, 'at most', 1_000, ' ms'),
    ],
    tables: [checkTable(verdict), ratesTable([load]), ...tablesOf(load)],
    figures: { agents, rate, seconds, connectedMs: Math.round(connectedMs), load, verdict, closes },
  }
}
