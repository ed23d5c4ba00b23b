import { bulkDevicesMax } from '@muster/areas/control/commands/commands.contract.ts'
import { z } from 'zod'
import { administrator, type BenchStack, startBenchStack } from '../bench-stack.ts'
import { idOf } from '../fleet-files.ts'
import { Generator } from '../generator/generator.ts'
import type { Receipt } from '../generator/messages.ts'
import { clientOf } from '../people.ts'
import { bar, load, median, type Report, significant, usageTable } from '../report.ts'
import type { Run, Scenario } from '../scenario.ts'
import { UsageMeter } from '../usage.ts'
import { pause, until } from '../waiting.ts'

const lengths = { full: { agents: 10_000, rounds: 5 }, quick: { agents: 4_000, rounds: 1 } }
const perIngest = 15_000
const connectMs = 200_000
const arrivedMs = 60_000
const heartbeatSeconds = 60
const Answer = z.looseObject({ commands: z.array(z.looseObject({ id: z.string() })) })
const microsNow = () => Number(process.hrtime.bigint() / 1000n)

interface Round {
  readonly answeredMs: number
  readonly halfMs: number
  readonly p99Ms: number
  readonly completedMs: number
  /** Received again, and filtered by the agents' journals. */
  readonly again: number
  readonly executed: number
  readonly loadAverage: number
}

/** The same command to a whole fleet that is online and reporting, through the API; every agent answers at once. */
export const bulk: Scenario = {
  summary: 'one command to 10,000 devices that are online: until answered, delivered and completed, each once',
  secondsMax: 600,
  async run({ options, say, keep }: Run): Promise<Report> {
    const length = options.isQuick ? lengths.quick : lengths.full
    const { agents = length.agents, rounds: count = length.rounds } = options
    const ingest = options.ingest ?? Math.ceil(agents / perIngest)
    const bench = keep(
      await startBenchStack({ agents, ingest, admin: 1, workers: options.workers, profile: options.profile, say }),
    )
    const common = { folder: bench.fleetFolder, agents, sequencesMax: 1_000 }
    const fleet = keep(new Generator({ ...common, target: bench.target, answersCommands: true }))
    say(`${agents} agents connected in ${((await fleet.connect(connectMs)) / 1000).toFixed(1)} s`)
    await bench.owner.query('TRUNCATE device_commands CASCADE')
    const meter = new UsageMeter({ ...bench.groups, generator: () => fleet.pids })
    const rounds: Round[] = []
    for (let index = 0; index < count; index++) {
      const reporting = fleet.pace(agents / heartbeatSeconds, 5)
      rounds.push(await sendToAll(bench, fleet, agents))
      await reporting
      const { answeredMs, p99Ms, completedMs } = rounds.at(-1) ?? { answeredMs: 0, p99Ms: 0, completedMs: 0 }
      say(
        `round ${index + 1}: answered in ${answeredMs} ms, 99 % delivered in ${p99Ms} ms, completed in ${completedMs} ms`,
      )
    }
    return report(agents, rounds, usageTable('CPU and memory', meter.report()))
  },
}

async function sendToAll({ stack, owner }: BenchStack, fleet: Generator, agents: number): Promise<Round> {
  const api = await clientOf(stack.urls.admin, administrator)
  await fleet.receipts()
  const startedAt = microsNow()
  const parts = Array.from({ length: Math.ceil(agents / bulkDevicesMax) }, (_, part) =>
    Array.from({ length: Math.min(bulkDevicesMax, agents - part * bulkDevicesMax) }, (_, index) =>
      idOf('device', part * bulkDevicesMax + index),
    ),
  )
  const answers = await Promise.all(
    parts.map(async (deviceIds) => {
      const { status, body } = await api.send('POST', 'devices/bulk/commands', { deviceIds, type: 'refresh_inventory' })
      if (status !== 201)
        throw new Error(`a bulk command was answered with ${status} ${JSON.stringify(body).slice(0, 300)}`)
      return Answer.parse(body).commands.map(({ id }) => id)
    }),
  )
  const answeredMs = (microsNow() - startedAt) / 1000
  await api.stop()
  const wanted = new Set(answers.flat())
  const times: number[] = []
  const counts = new Map<string, number>()
  const note = ({ id, atMicros }: Receipt) => {
    if (!wanted.has(id)) return
    counts.set(id, (counts.get(id) ?? 0) + 1)
    if (counts.get(id) === 1) times.push((atMicros - startedAt) / 1000)
  }
  await until('the command to arrive everywhere', arrivedMs, async () => {
    await pause(500)
    for (const receipt of await fleet.receipts()) note(receipt)
    return times.length >= agents ? true : `${times.length} of ${agents} have it`
  })
  await until('all of them to be completed', arrivedMs, async () => {
    const { rows } = await owner.query<{ open: string }>(
      `SELECT count(*) AS open FROM device_commands WHERE status <> 'completed'`,
    )
    return Number(rows[0]?.open) === 0 ? true : `${rows[0]?.open} are not`
  })
  for (const receipt of await fleet.receipts()) note(receipt)
  const { rows } = await owner.query<{ ms: number; executed: number }>(
    `SELECT (extract(epoch FROM max(finished_at) - min(created_at)) * 1000)::float8 AS ms, count(*)::int AS executed
     FROM device_commands WHERE id = ANY ($1::uuid[]) AND status = 'completed'`,
    [[...wanted]],
  )
  times.sort((a, b) => a - b)
  const at = (share: number) => Math.round(times[Math.ceil(times.length * share) - 1] ?? 0)
  return {
    answeredMs: Math.round(answeredMs),
    halfMs: at(0.5),
    p99Ms: at(0.99),
    completedMs: Math.round(rows[0]?.ms ?? 0),
    again: [...counts.values()].filter((arrivals) => arrivals > 1).length,
    executed: rows[0]?.executed ?? 0,
    loadAverage: load(),
  }
}

function report(agents: number, rounds: readonly Round[], usage: Report['tables'][number]): Report {
  const of = (value: (round: Round) => number) => median(rounds.map(value))
  return {
    scenario: 'bulk',
    ratios: {},
    bars: [
      bar(`command to ${agents} devices answered`, of((r) => r.answeredMs) / 1000, 'at most', 2, ' s'),
      bar('99 % of the devices have it', of((r) => r.p99Ms) / 1000, 'at most', 10, ' s'),
      bar('devices that executed it, once', Math.min(...rounds.map(({ executed }) => executed)), 'at least', agents),
    ],
    tables: [
      {
        title: `one command to ${agents} devices, milliseconds`,
        head: ['round', 'answered', 'half have it', '99 % have it', 'all completed', 'came twice', 'load'],
        rows: rounds.map(({ answeredMs, halfMs, p99Ms, completedMs, again, loadAverage }, index) => [
          String(index + 1),
          answeredMs,
          halfMs,
          p99Ms,
          completedMs,
          again,
          significant(loadAverage),
        ]),
      },
      usage,
    ],
    figures: { agents, rounds },
  }
}
