import { setTimeout as wait } from 'node:timers/promises'
import type pg from 'pg'
import { ApiClient } from '../api-client.ts'
import { administrator, type BenchStack, startBenchStack } from '../bench-stack.ts'
import { Generator } from '../generator/generator.ts'
import { Histogram, type Percentiles, percentilesOf } from '../histogram.ts'
import { checkAndClear, drained } from '../load-run.ts'
import { bar, latencyTable, load, median, type Report, type Table, usageTable } from '../report.ts'
import type { Run, Scenario } from '../scenario.ts'
import { UsageMeter, type UsageReport } from '../usage.ts'
import { until } from '../waiting.ts'
import { checkTable } from './ingest-tables.ts'

const heartbeatSeconds = 60
const perIngest = 17_000
const connectMs = 400_000
const backMs = 180_000
const loginsPerSecond = 2
const loginsMin = 10
const reportingSeconds = 6
const queriesShown = 25
const queryChars = 100

const lengths = {
  full: { agents: 50_000, rounds: 5, quietMs: 61_000, restSeconds: 30 },
  quick: { agents: 4_000, rounds: 1, quietMs: 1_000, restSeconds: 4 },
}

interface Round {
  readonly backMs: number
  readonly logins: Percentiles
  /** Statements that the reconnects caused: all minus those of a system with sign-ins only. */
  readonly statements: number
  /** All statements by their first words. */
  readonly byQuery: readonly (readonly [string, number])[]
  readonly refused: number
  /** Closed sockets by close code. */
  readonly closes: Readonly<Record<string, number>>
  readonly usage: UsageReport
  readonly loadAverage: number
}

/** Every ingest process is killed at once; the fleet reconnects while a user tries to sign in. */
export const storm: Scenario = {
  summary:
    'all ingest processes killed at once: how long until the whole fleet has reconnected, and what it costs meanwhile',
  secondsMax: 2_400,
  async run({ options, say, keep }: Run): Promise<Report> {
    const length = options.isQuick ? lengths.quick : lengths.full
    const { agents = length.agents, rounds: count = length.rounds } = options
    const ingest = options.ingest ?? Math.ceil(agents / perIngest)
    const postgres = { shared_preload_libraries: 'pg_stat_statements', 'pg_stat_statements.track': 'top' }
    const bench = keep(
      await startBenchStack({
        agents,
        ingest,
        workers: options.workers,
        admin: 1,
        postgres,
        profile: options.profile,
        say,
      }),
    )
    await bench.owner.query('CREATE EXTENSION IF NOT EXISTS pg_stat_statements')
    const api = keep(new ApiClient(bench.stack.urls.admin))
    const sequencesMax = 1_000
    const fleet = keep(new Generator({ target: bench.target, folder: bench.fleetFolder, agents, sequencesMax }))
    say(`${agents} agents connected in ${((await fleet.connect(connectMs)) / 1000).toFixed(1)} s`)
    await drained(bench)
    const atRest = await statementsPerSecond(bench, api, length.restSeconds)
    const rounds: Round[] = []
    for (let index = 0; index < count; index++) {
      await drained(bench)
      const round = await killAll(bench, fleet, api, atRest)
      rounds.push(round)
      say(`round ${index + 1}: all back after ${round.backMs} ms, login p95 ${round.logins.p95} ms`)
      // A process that dies again within a minute is restarted with a growing delay, which is not measured.
      if (index + 1 < count) await wait(length.quietMs)
    }
    await fleet.settle()
    await drained(bench)
    const verdict = await checkAndClear(bench, fleet)
    const of = (value: (round: Round) => number) => median(rounds.map(value))
    return {
      scenario: 'storm',
      ratios: {},
      bars: [
        bar(
          `all ${agents} agents back after every ingest process was killed`,
          of((r) => r.backMs) / 1000,
          'at most',
          20,
          ' s',
        ),
        bar('database statements per 500 agents', (of((r) => r.statements) * 500) / agents, 'at most', 1),
        bar(
          'p95 of a login meanwhile',
          of((r) => r.logins.p95),
          'at most',
          800,
          ' ms',
        ),
        bar('acknowledged heartbeats lost', verdict.lost, 'at most', 0),
        bar('heartbeats stored twice', verdict.duplicates, 'at most', 0),
      ],
      tables: [
        roundsTable(agents, ingest, rounds),
        latencyTable('logins', Object.fromEntries(rounds.map(({ logins }, index) => [`round ${index + 1}`, logins]))),
        checkTable(verdict),
        ...rounds.slice(-1).map(({ usage }) => usageTable('last round', usage)),
        ...rounds.slice(-1).map(({ closes }) => ({
          title: 'how sockets ended in the last round',
          head: ['close code', 'sockets'],
          rows: Object.entries(closes).map(([why, count]) => [why, count]),
        })),
        ...rounds.slice(-1).map(({ byQuery }) => ({
          title: 'statements of the last round, sign-ins and the system at rest included',
          head: ['statement', 'calls'],
          rows: byQuery.map(([query, calls]) => [query, calls]),
        })),
      ],
      figures: { agents, ingest, atRest, rounds, verdict },
    }
  },
}

async function killAll(bench: BenchStack, fleet: Generator, api: ApiClient, atRest: number): Promise<Round> {
  const { stack, owner } = bench
  const agents = fleet.agents
  const closesBefore = (await fleet.standing()).closes
  const meter = new UsageMeter({ ...bench.groups, generator: () => fleet.pids })
  // Frames in flight at that moment: none that was acknowledged may be missing afterward.
  const reporting = fleet.pace(agents / heartbeatSeconds, reportingSeconds)
  await wait(reportingSeconds * 500)
  const before = await statementCalls(owner)
  const logins = repeatLogins(api)
  const startedAt = performance.now()
  for (const each of stack.ingest) each.kill('SIGKILL')
  await until('the sockets to break', 10_000, async () => (await fleet.standing()).live < agents / 10 || 'not yet')
  await fleet.untilLive(agents, backMs)
  const back = Math.round(performance.now() - startedAt)
  await drained(bench)
  const seconds = (performance.now() - startedAt) / 1000
  const calls = await statementCalls(owner)
  const used = sumOf(calls) - sumOf(before) - atRest * seconds
  const usage = meter.report()
  const latency = await logins.finish()
  await reporting
  await fleet.settle()
  const closes = Object.fromEntries(
    Object.entries((await fleet.standing()).closes).map(([why, total]) => [why, total - (closesBefore[why] ?? 0)]),
  )
  const refused = closes.refused ?? 0
  const count = Math.max(0, Math.round(used))
  const byQuery = [...calls]
    .map(([query, total]) => [query, total - (before.get(query) ?? 0)] as const)
    .sort(([, a], [, b]) => b - a)
    .slice(0, queriesShown)
  return { backMs: back, logins: latency, statements: count, byQuery, refused, closes, usage, loadAverage: load() }
}

/** A user who signs in repeatedly, at a fixed pace independent of the answers. */
function repeatLogins(api: ApiClient) {
  const latency = new Histogram()
  const answers: Promise<void>[] = []
  const { promise: hasEnough, resolve: enough } = Promise.withResolvers<void>()
  const once = async () => {
    const { status, ms } = await api.signIn(administrator.email, administrator.password)
    if (status !== 200) throw new Error(`a login was answered with ${status}`)
    latency.record(ms * 1000)
    if (latency.count >= loginsMin) enough()
  }
  const timer = setInterval(() => {
    answers.push(once())
  }, 1000 / loginsPerSecond)
  return {
    async finish(): Promise<Percentiles> {
      await hasEnough
      clearInterval(timer)
      await Promise.all(answers)
      return percentilesOf(latency)
    },
  }
}

/** Database statements of the processes while users sign in at the pace of the storm and no agent connects or leaves. */
async function statementsPerSecond({ owner }: BenchStack, api: ApiClient, seconds: number): Promise<number> {
  const logins = repeatLogins(api)
  const before = sumOf(await statementCalls(owner))
  await wait(seconds * 1000)
  const calls = sumOf(await statementCalls(owner)) - before
  await logins.finish()
  return calls / seconds
}

const sumOf = (calls: ReadonlyMap<string, number>) => [...calls.values()].reduce((sum, each) => sum + each, 0)

/** The number of calls of each statement by other sessions. */
async function statementCalls(owner: pg.Client): Promise<Map<string, number>> {
  const { rows } = await owner.query<{ query: string; calls: string }>(
    `SELECT left(regexp_replace(query, '\\s+', ' ', 'g'), ${queryChars}) AS query, sum(calls) AS calls
     FROM pg_stat_statements s JOIN pg_roles r ON r.oid = s.userid
     WHERE r.rolname IN ('muster_app', 'muster_system') AND query !~* '^(begin|commit|rollback|set|reset)' GROUP BY 1`,
  )
  return new Map(rows.map(({ query, calls }) => [query, Number(calls)]))
}

function roundsTable(agents: number, ingest: number, rounds: readonly Round[]): Table {
  return {
    title: `${agents} agents on ${ingest} ingest processes, all killed`,
    head: ['round', 'all back ms', 'statements', 'per 500 agents', 'refused upgrades', 'load'],
    rows: rounds.map(({ backMs: back, statements: count, refused, loadAverage }, index) => [
      String(index + 1),
      back,
      count,
      Number(((count * 500) / agents).toFixed(2)),
      refused,
      loadAverage,
    ]),
  }
}
