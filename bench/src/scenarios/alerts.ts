import { administrator, startBenchStack } from '../bench-stack.ts'
import { sumOf, type Verdict } from '../check.ts'
import { Generator } from '../generator/generator.ts'
import { drained } from '../load-run.ts'
import { clientOf } from '../people.ts'
import { Receiver } from '../receiver.ts'
import { bar, latencyTable, median, type Report, significant, type Table, usageTable } from '../report.ts'
import type { Run, Scenario } from '../scenario.ts'
import { type Notified, throughAlertmanager } from './alertmanager.ts'
import { AlertsBench, type Measured, steadyRate } from './alerts-bench.ts'
import { groupWaitSeconds, type Offline, offlineTogether } from './alerts-offline.ts'
import { type Opened, openedLatency } from './alerts-opened.ts'
import { checkTable } from './ingest-tables.ts'

const perIngest = 15_000
const connectMs = 400_000
const rulesPerDevice = 20
// About six minutes in the full form.
const lengths = {
  full: { agents: 60_000, rounds: 2, most: 6, steady: 10, opened: 30, offline: 10_000 },
  quick: { agents: 4_000, rounds: 1, most: 3, steady: 5, opened: 10, offline: 2_000 },
}

/** Heartbeats with and without rules, the time until an alert is seen, and a storm of devices that go offline. */
export const alerts: Scenario = {
  summary:
    '60,000 devices × 20 rules: heartbeats with and without them, received → alert seen, 10,000 offline together',
  secondsMax: 2_700,
  async run({ options, say, keep }: Run): Promise<Report> {
    const length = options.isQuick ? lengths.quick : lengths.full
    const { agents = length.agents, rounds: count = length.rounds } = options
    const ingest = options.ingest ?? Math.ceil(agents / perIngest)
    const allowed = { OUTGOING_ALLOWED_NETWORKS: '127.0.0.0/8' }
    const settings = { admin: allowed, worker: allowed }
    const { workers, profile } = options
    const stack = keep(await startBenchStack({ agents, ingest, workers, admin: 1, settings, profile, say }))
    const api = keep(await clientOf(stack.stack.urls.admin, administrator))
    const receiver = keep(new Receiver())
    const generator = keep(
      new Generator({
        target: stack.target,
        folder: stack.fleetFolder,
        agents,
        sequencesMax: sequencesOf(agents, count, length),
      }),
    )
    say(`${agents} agents connected in ${((await generator.connect(connectMs)) / 1000).toFixed(1)} s`)
    await drained(stack)
    const bench = new AlertsBench({ stack, generator, api, say })
    await bench.empty()
    await bench.makeRules(rulesPerDevice)
    const rate = options.rate ?? (await bench.findMaximum(agents, length.most / 3))
    const rounds = []
    for (let index = 0; index < count; index++) {
      const pair = await bench.compare(rate, agents, length, index % 2 === 0)
      rounds.push(pair)
      const { without, with: ruled } = pair
      say(
        `round ${index + 1}: ${without.storedPerSecond}/s stored without rules, ${ruled.storedPerSecond}/s with; ` +
          `${significant(without.micros)} and ${significant(ruled.micros)} µs of worker CPU per heartbeat`,
      )
    }
    const opened = await openedLatency(bench, Math.min(steadyRate, rate / 2), length.opened)
    say(`received → alert.opened p99 ${opened.latency.p99} ms of ${opened.latency.count}`)
    const { offline, openings } = await offlineTogether(bench, receiver, Math.min(agents, length.offline))
    say(
      `${offline.devices} offline: stored ${offline.storedMs} ms, last message ${offline.messageMs} ms after the deadline`,
    )
    const reference = await throughAlertmanager(openings, receiver, say)
    return report({ agents, rounds, opened, offline, reference, verdict: sumOf(bench.verdicts) })
  },
}

interface Outcome {
  readonly agents: number
  readonly rounds: readonly { readonly with: Measured; readonly without: Measured }[]
  readonly opened: Opened
  readonly offline: Offline
  /** Null where Alertmanager is not installed. */
  readonly reference: Notified | null
  readonly verdict: Verdict
}

function report({ agents, rounds, opened, offline, reference, verdict }: Outcome): Report {
  const of = (value: (ruled: Measured, without: Measured) => number) =>
    median(rounds.map((round) => value(round.with, round.without)))
  const share = of((ruled, without) => ruled.storedPerSecond / without.storedPerSecond)
  return {
    scenario: 'alerts',
    ratios: { storedWithRules: significant(share) },
    bars: [
      bar(`heartbeats stored with ${rulesPerDevice} rules per device, of those without`, share, 'at least', 0.95),
      bar(
        'worker CPU per heartbeat that the rules add',
        of((ruled, { micros }) => ruled.micros - micros),
        'at most',
        1,
        ' µs',
      ),
      bar(
        'WAL per heartbeat that the rules add',
        of((ruled, { bytes }) => ruled.bytes - bytes),
        'at most',
        400,
        ' B',
      ),
      bar(`received → alert.opened at ${opened.rate} heartbeats/s, p99`, opened.latency.p99, 'at most', 2_000, ' ms'),
      bar(`${offline.devices} offline together, stored after the deadline`, offline.storedMs, 'at most', 5_000, ' ms'),
      bar('alerts about them, for each device', offline.alerts / offline.devices, 'at most', 1),
      bar('messages about them, for each channel', offline.messagesMost, 'at most', 1),
      ...(reference === null
        ? []
        : [
            bar(
              'first alert → last message, of the time that Alertmanager takes',
              significant(offline.openedToMessageMs / reference.messageMs),
              'at most',
              1,
              ' ×',
            ),
          ]),
      bar('heartbeats sent = acknowledged = stored', verdict.isEqual ? 1 : 0, 'at least', 1),
    ],
    tables: [
      roundsTable(agents, rounds),
      latencyTable('received → alert.opened at a watcher', { 'alert.opened': opened.latency }),
      {
        title: `${offline.devices} devices offline together`,
        head: ['alerts', 'stored ms after the deadline', 'last message ms after it', 'channels', 'messages'],
        rows: [[offline.alerts, offline.storedMs, offline.messageMs, offline.channels, offline.messages]],
      },
      {
        title: `first alert → last message of ${offline.channels} channels, groups wait ${groupWaitSeconds} s`,
        head: ['', 'ms', 'messages'],
        rows: [
          ['Muster', offline.openedToMessageMs, offline.messages],
          ['Alertmanager', reference?.messageMs ?? 'not installed', reference?.messages ?? ''],
        ],
      },
      checkTable(verdict),
      usageTable('CPU and memory while alerts open', opened.usage),
    ],
    figures: { agents, rounds, opened, offline, reference, verdict },
  }
}

function roundsTable(agents: number, rounds: Outcome['rounds']): Table {
  return {
    title: `${agents} agents × ${rulesPerDevice} rules; CPU and WAL per heartbeat at ${steadyRate}/s`,
    head: [
      'round',
      'stored/s without',
      'with',
      'µs without',
      'with',
      'WAL B without',
      'with',
      'worker MiB without',
      'with',
    ],
    rows: rounds.map(({ without, with: ruled }, index) => {
      const keys = ['storedPerSecond', 'micros', 'bytes', 'memoryMiB'] as const
      return [String(index + 1), ...keys.flatMap((key) => [without[key], ruled[key]].map(significant))]
    }),
  }
}

function sequencesOf(agents: number, rounds: number, { most, steady, opened }: (typeof lengths)['full']): number {
  const seconds = 2 * rounds * (most + steady) + opened + 10 * most
  return Math.ceil((seconds * 100_000) / agents) + 1_000
}
