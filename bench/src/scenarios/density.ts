import { freePort } from '@muster/stack/ports.ts'
import { z } from 'zod'
import { type BenchStack, startBenchStack } from '../bench-stack.ts'
import type { Verdict } from '../check.ts'
import { Generator } from '../generator/generator.ts'
import { type Percentiles, percentilesOf } from '../histogram.ts'
import { checkAndClear } from '../load-run.ts'
import { residentBytesOf } from '../proc.ts'
import { startReference } from '../references.ts'
import { bar, latencyTable, load, median, type Report, significant, type Table, usageTable } from '../report.ts'
import type { Run, Scenario } from '../scenario.ts'
import { storedRows } from '../stored-rows.ts'
import { UsageMeter, type UsageReport } from '../usage.ts'
import { pause } from '../waiting.ts'
import { checkTable } from './ingest-tables.ts'

const heartbeatSeconds = 60
const perIngest = 15_000
const referenceAgents = 15_000
const firstShare = 0.2
const connectMs = 400_000

/** The time after which ingest compacts the heap after a wave of handshakes. */
const cleanedMs = 11_000

const lengths = {
  full: { restMs: cleanedMs, agents: 60_000, seconds: 1_800, rounds: 5, useSeconds: 10, referenceRestMs: 12_000 },
  quick: { restMs: 8_000, agents: 4_000, seconds: 3, rounds: 1, useSeconds: 1, referenceRestMs: 1_000 },
}

interface Round {
  /** Resident bytes per agent after the first fifth of them. */
  readonly ours: number
  readonly plain: number
  readonly oursMiB: number
  readonly plainMiB: number
  readonly loadAverage: number
}

/** A whole fleet held for a while, in slices; before each slice the same number per process is held by R1. */
export const density: Scenario = {
  summary: 'a fleet of live agents held without a close, and the memory that one of them costs',
  secondsMax: 4_000,
  async run({ options, say, keep }: Run): Promise<Report> {
    const length = options.isQuick ? lengths.quick : lengths.full
    const { agents = length.agents, seconds = length.seconds, rounds: count = length.rounds } = options
    const ingest = options.ingest ?? Math.ceil(agents / perIngest)
    const bench = keep(
      await startBenchStack({ agents, ingest, workers: options.workers, profile: options.profile, say }),
    )
    const sequencesMax = Math.ceil(seconds / heartbeatSeconds) * 2 + 10
    const generator = keep(new Generator({ target: bench.target, folder: bench.fleetFolder, agents, sequencesMax }))
    // The first agents reuse memory from the start of the process; the cost of each further one is measured.
    const first = Math.ceil(agents * firstShare)
    await generator.connect(connectMs, first)
    await generator.pace(first / length.useSeconds, length.useSeconds)
    await pause(cleanedMs)
    const base = residentOf(bench)
    const connectedMs = await generator.connect(connectMs)
    say(`${agents} agents connected in ${(connectedMs / 1000).toFixed(1)} s`)
    // The fleet is measured at rest; workers write less often during a reconnect wave.
    await pause(length.restMs)
    const rounds: Round[] = []
    const meter = new UsageMeter({ ...bench.groups, generator: () => generator.pids })
    const startedAtMs = Date.now()
    for (let index = 0; index < count; index++) {
      // The fleet keeps reporting while the reference is measured.
      const reporting = generator.pace(agents / heartbeatSeconds, seconds / count)
      const plain = await holdPlain(bench, Math.min(referenceAgents, Math.ceil(agents / ingest)), length)
      await reporting
      const resident = residentOf(bench)
      const ours = (resident - base) / (agents - first)
      rounds.push({ ours, oursMiB: resident / 2 ** 20, loadAverage: load(), ...plain })
      say(`slice ${index + 1}: ${Math.round(ours)} bytes per agent, R1 ${Math.round(plain.plain)}`)
    }
    await generator.settle()
    const usage = meter.report()
    const { commitLatency } = await storedRows(bench.owner, generator.boots, startedAtMs)
    const acks = percentilesOf(await generator.latency())
    const { closes, live } = await generator.standing()
    const verdict = await checkAndClear(bench, generator)
    const fleet = { agents, seconds, ingest, connectedMs: Math.round(connectedMs), baseMiB: Math.round(base / 2 ** 20) }
    return report({ fleet, rounds, usage, commitLatency, acks, closes, live, verdict })
  },
}

interface Outcome {
  readonly fleet: Readonly<Record<'agents' | 'seconds' | 'ingest' | 'connectedMs' | 'baseMiB', number>>
  readonly rounds: readonly Round[]
  readonly usage: UsageReport
  readonly commitLatency: Percentiles
  readonly acks: Percentiles
  readonly closes: Readonly<Record<string, number>>
  readonly live: number
  readonly verdict: Verdict
}

function report(outcome: Outcome): Report {
  const { fleet, rounds, usage, commitLatency, acks, closes, live, verdict } = outcome
  const closed = Object.values(closes).reduce((sum, each) => sum + each, 0)
  const vsR1 = median(rounds.map(({ ours, plain }) => ours / plain))
  return {
    scenario: 'density',
    ratios: { vsR1: significant(vsR1) },
    bars: [
      bar(`agents live after ${fleet.seconds} s`, live, 'at least', fleet.agents),
      bar('unplanned closes', closed, 'at most', 0),
      bar('resident memory per agent, of R1 (plain ws)', vsR1, 'at most', 0.25),
      bar('heartbeats sent = acknowledged = stored', verdict.isEqual ? 1 : 0, 'at least', 1),
      bar('p99 received → committed', commitLatency.p99, 'at most', 2_000, ' ms'),
      bar('machine left by all this, the generator included', usage.leftPercent, 'at least', 25, ' %'),
    ],
    tables: [
      memoryTable(outcome),
      checkTable(verdict),
      latencyTable('latencies', { 'received → committed': commitLatency, 'due → acknowledged': acks }),
      usageTable('CPU and memory', usage),
    ],
    figures: { ...outcome },
  }
}

function memoryTable({ fleet: { agents, ingest, baseMiB }, rounds }: Outcome): Table {
  return {
    title: `resident memory of ${agents} agents on ${ingest} ingest processes (${baseMiB} MiB with a fifth of them)`,
    head: ['slice', 'bytes / further agent', 'all MiB', 'R1 bytes', 'R1 MiB', '/ R1', 'load'],
    rows: rounds.map(({ ours, plain, oursMiB, plainMiB, loadAverage }, index) => [
      String(index + 1),
      Math.round(ours),
      Math.round(oursMiB),
      Math.round(plain),
      Math.round(plainMiB),
      significant(ours / plain),
      loadAverage,
    ]),
  }
}

function residentOf({ groups }: BenchStack): number {
  return (groups.ingest?.() ?? []).reduce((sum, pid) => sum + residentBytesOf(pid), 0)
}

async function holdPlain(
  { fleetFolder }: BenchStack,
  agents: number,
  { useSeconds, referenceRestMs }: { useSeconds: number; referenceRestMs: number },
): Promise<Pick<Round, 'plain' | 'plainMiB'>> {
  const port = await freePort()
  const server = startReference('plain-socket', [String(port)])
  await server.ask({}, z.object({}))
  const target = { host: '127.0.0.1', port, path: '/' }
  const sockets = new Generator({ target, folder: fleetFolder, agents, sequencesMax: 10, isBare: true, block: 1 })
  try {
    const first = Math.ceil(agents * firstShare)
    await sockets.connect(connectMs, first)
    await sockets.pace(first / useSeconds, useSeconds)
    await pause(referenceRestMs)
    const base = residentBytesOf(server.pid)
    await sockets.connect(connectMs)
    // One message per socket, so that memory allocated on first use is counted.
    await sockets.pace(agents / useSeconds, useSeconds)
    await pause(referenceRestMs)
    const resident = residentBytesOf(server.pid)
    return { plain: (resident - base) / (agents - first), plainMiB: resident / 2 ** 20 }
  } finally {
    await sockets.stop()
    await server.stop()
  }
}
