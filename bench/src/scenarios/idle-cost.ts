import { startBenchStack } from '../bench-stack.ts'
import { Generator } from '../generator/generator.ts'
import { checkAndClear, drained } from '../load-run.ts'
import { bar, load, median, type Report, significant, usageTable } from '../report.ts'
import type { Run, Scenario } from '../scenario.ts'
import { UsageMeter, type UsageReport } from '../usage.ts'
import { checkTable } from './ingest-tables.ts'

const heartbeatSeconds = 60
const perIngest = 15_000
const connectMs = 400_000

/** Ten times as fast as the measurement, so that code that runs once a minute is already compiled. */
const warmUpFactor = 10

const lengths = {
  full: { agents: 60_000, warmUpSeconds: 30, seconds: 60, rounds: 5 },
  quick: { agents: 4_000, warmUpSeconds: 2, seconds: 5, rounds: 1 },
}

/** The cost of a fleet that only sends heartbeats once per minute: CPU of all processes except the generator's. */
export const idleCost: Scenario = {
  summary: 'CPU of the whole stack per agent and second with one stored heartbeat per minute',
  secondsMax: 1_800,
  async run({ options, say, keep }: Run): Promise<Report> {
    const length = options.isQuick ? lengths.quick : lengths.full
    const { agents = length.agents, seconds = length.seconds, rounds: count = length.rounds } = options
    const ingest = options.ingest ?? Math.ceil(agents / perIngest)
    const bench = keep(
      await startBenchStack({ agents, ingest, workers: options.workers, admin: 1, profile: options.profile, say }),
    )
    const { warmUpSeconds } = length
    const beats = (seconds * count + warmUpFactor * warmUpSeconds) / heartbeatSeconds
    const sequencesMax = Math.ceil(beats) + 10
    const generator = keep(new Generator({ target: bench.target, folder: bench.fleetFolder, agents, sequencesMax }))
    say(`${agents} agents connected in ${((await generator.connect(connectMs)) / 1000).toFixed(1)} s`)
    await generator.pace((warmUpFactor * agents) / heartbeatSeconds, warmUpSeconds)
    await generator.settle()
    await drained(bench)
    const rounds: { usage: UsageReport; micros: number; loadAverage: number }[] = []
    for (let index = 0; index < count; index++) {
      const meter = new UsageMeter({ ...bench.groups, generator: () => generator.pids })
      await generator.pace(agents / heartbeatSeconds, seconds)
      await generator.settle()
      await drained(bench)
      const usage = meter.report()
      const micros = (1e6 * cpuOf(usage)) / (agents * usage.seconds)
      rounds.push({ usage, micros, loadAverage: load() })
      say(`round ${index + 1}: ${significant(micros)} µs per agent-second`)
    }
    const verdict = await checkAndClear(bench, generator)
    const micros = median(rounds.map((round) => round.micros))
    const perProcess = (usage: UsageReport) =>
      ofService(usage).map(({ cpuSeconds }) => significant((1e6 * cpuSeconds) / (agents * usage.seconds)))
    return {
      scenario: 'idle-cost',
      ratios: {},
      bars: [
        bar('CPU of the whole stack per agent-second', micros, 'at most', 3, ' µs'),
        bar('heartbeats sent = acknowledged = stored', verdict.isEqual ? 1 : 0, 'at least', 1),
      ],
      tables: [
        {
          title: `CPU microseconds per agent-second, ${agents} agents`,
          head: ['round', ...Object.keys(bench.groups), 'all', 'load'],
          rows: rounds.map((round, index) => [
            String(index + 1),
            ...perProcess(round.usage),
            significant(round.micros),
            round.loadAverage,
          ]),
        },
        checkTable(verdict),
        ...rounds.slice(-1).map(({ usage }) => usageTable('last round', usage)),
      ],
      figures: { agents, seconds, ingest, rounds, verdict },
    }
  },
}

/** Everything except the load generator, which stands for the agents. */
const ofService = ({ groups: { generator: _, ...service } }: UsageReport) => Object.values(service)

function cpuOf(usage: UsageReport): number {
  return ofService(usage).reduce((sum, { cpuSeconds }) => sum + cpuSeconds, 0)
}
