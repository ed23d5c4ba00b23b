import { frameToOrder, OrderSigner } from '@muster/areas/control/commands/delivery/order-signer.ts'
import { sendToDevices } from '@muster/backplane/routing.ts'
import { createKeyring } from '@muster/kit/secrets/keyring.ts'
import { freePort } from '@muster/stack/ports.ts'
import { encodeDown } from '@muster/wire/down.ts'
import { z } from 'zod'
import { ApiClient } from '../api-client.ts'
import { administrator, type BenchStack, startBenchStack } from '../bench-stack.ts'
import { idOf } from '../fleet-files.ts'
import { Generator } from '../generator/generator.ts'
import type { Receipt } from '../generator/messages.ts'
import { Histogram, type Percentiles, percentilesOf } from '../histogram.ts'
import { startReference } from '../references.ts'
import { bar, latencyTable, load, median, type Report, significant, usageTable } from '../report.ts'
import type { Run, Scenario } from '../scenario.ts'
import { UsageMeter } from '../usage.ts'
import { pause, until } from '../waiting.ts'

const heartbeatSeconds = 60
const connectMs = 200_000
const arrivedMs = 30_000
const Created = z.looseObject({ id: z.string() })

const lengths = {
  full: { agents: 20_000, rounds: 5, commands: 100, perSecond: 10 },
  quick: { agents: 3_000, rounds: 1, commands: 20, perSecond: 10 },
}

const microsNow = () => Number(process.hrtime.bigint() / 1000n)
/** A message that may be broadcast without a signature: it has no power over a machine. */
const signal = encodeDown({ name: 'settings', sequence: 0, body: { heartbeatMs: heartbeatSeconds * 1000 } })

interface Broadcast {
  readonly median: number
  readonly last: number
}

/** Milliseconds for a single order; microseconds for each of many. */
interface Signing {
  readonly p50: number
  readonly p99: number
  readonly each: number
}

interface Round {
  readonly commands: Percentiles
  readonly ours: Broadcast
  readonly bare: Broadcast
  readonly loadAverage: number
}

const signedOrders = 1_024
const signedAlone = 2_000

/** The cost of signing: a single order, and each of a thousand that share a signature. In microseconds. */
function measureSigning(): Signing {
  const signer = new OrderSigner(createKeyring())
  const instruction = (index: number) => ({
    kind: 'frame' as const,
    deviceId: idOf('device', index),
    frame: frameToOrder({
      name: 'command',
      sequence: 0,
      body: {
        id: idOf('device', index),
        type: 'set_auto_update',
        payload: { enabled: true },
        timeoutMs: 1,
        expiresAt: 1,
      },
    }),
  })
  const alone = new Histogram()
  for (let index = -signedOrders; index < signedAlone; index++) {
    const one = instruction(Math.abs(index))
    const at = process.hrtime.bigint()
    signer.order(one)
    if (index >= 0) alone.record(Number(process.hrtime.bigint() - at) / 1000)
  }
  const many = Array.from({ length: signedOrders }, (_, index) => instruction(index))
  const at = process.hrtime.bigint()
  signer.orders(many)
  const { p50, p99 } = percentilesOf(alone)
  return { p50, p99, each: Number(process.hrtime.bigint() - at) / 1000 / signedOrders }
}

/** From the API to an agent, and from one order to all agents, while all of them report. */
export const push: Scenario = {
  summary: 'one command from the API to an agent, and one signal to all agents, while the fleet reports',
  secondsMax: 900,
  async run({ options, say, keep }: Run): Promise<Report> {
    const length = options.isQuick ? lengths.quick : lengths.full
    const { agents = length.agents, rounds: count = length.rounds, ingest = 2 } = options
    const bench = keep(
      await startBenchStack({ agents, ingest, workers: options.workers, admin: 1, profile: options.profile, say }),
    )
    const api = keep(new ApiClient(bench.stack.urls.admin))
    const signedIn = await api.signIn(administrator.email, administrator.password)
    if (signedIn.status !== 200) throw new Error(`sign-in answered ${JSON.stringify(signedIn.body)}`)
    const common = { folder: bench.fleetFolder, agents, sequencesMax: 10_000 }
    const fleet = keep(new Generator({ ...common, target: bench.target, answersCommands: true }))
    say(`${agents} agents connected in ${((await fleet.connect(connectMs)) / 1000).toFixed(1)} s`)
    const bare = await startBare(agents, ingest, bench, keep)
    const meter = new UsageMeter({ ...bench.groups, generator: () => fleet.pids })
    const rounds: Round[] = []
    // One extra round that does not count: it compiles code that is always compiled in a real fleet.
    for (let index = 0; index <= count; index++) {
      const reporting = fleet.pace(agents / heartbeatSeconds, length.commands / length.perSecond + 2)
      const commands = await sendCommands(api, fleet, agents, length)
      const before = await broadcastBare(bare.servers, bare.fleet, agents)
      const ours = await broadcast(bench, fleet, agents)
      await reporting
      if (index > 0) rounds.push({ commands, ours, bare: before, loadAverage: load() })
      say(
        `${index === 0 ? 'warm-up' : `round ${index}`}: command p99 ${commands.p99} ms; all in ${ours.last} ms, R4 in ${before.last} ms`,
      )
    }
    return report(agents, rounds, measureSigning(), usageTable('CPU and memory', meter.report()))
  },
}

async function startBare(agents: number, processes: number, { fleetFolder }: BenchStack, keep: Run['keep']) {
  const port = await freePort()
  const servers = Array.from({ length: processes }, () => keep(startReference('send-loop', [String(port)])))
  await Promise.all(servers.map((server) => server.ask({ message: '' }, z.object({}))))
  const target = { host: '127.0.0.1', port, path: '/agent' }
  const options = { target, folder: fleetFolder, agents, sequencesMax: 1, isBare: true, block: 1 }
  const fleet = keep(new Generator(options))
  await fleet.connect(connectMs)
  return { servers, fleet }
}

/** Commands to random devices at a fixed rate, from before the request to the agent's receipt. */
async function sendCommands(
  api: ApiClient,
  fleet: Generator,
  agents: number,
  { commands: count, perSecond }: { commands: number; perSecond: number },
): Promise<Percentiles> {
  await fleet.receipts()
  const sentAt = new Map<string, number>()
  const startedAt = performance.now()
  const answers: Promise<void>[] = []
  for (let index = 0; index < count; index++) {
    await pause(Math.max(0, startedAt + (index * 1000) / perSecond - performance.now()))
    const device = idOf('device', Math.floor(((index + Math.random()) * agents) / count))
    const at = microsNow()
    const asked = api.send('POST', `devices/${device}/commands`, {
      type: 'set_auto_update',
      payload: { enabled: true },
    })
    answers.push(
      asked.then(({ status, body }) => {
        if (status !== 201) throw new Error(`a command was answered with ${status} ${JSON.stringify(body)}`)
        sentAt.set(Created.parse(body).id, at)
      }),
    )
  }
  await Promise.all(answers)
  const receivedAt = new Map<string, number>()
  await until('all commands to arrive', arrivedMs, async () => {
    for (const { id, atMicros } of await fleet.receipts()) if (!receivedAt.has(id)) receivedAt.set(id, atMicros)
    const missing = [...sentAt.keys()].filter((id) => !receivedAt.has(id)).length
    return missing === 0 ? true : `${missing} of ${count} are missing`
  })
  const latency = new Histogram()
  for (const [id, at] of sentAt) latency.record((receivedAt.get(id) ?? 0) - at)
  return percentilesOf(latency)
}

/** One signal to every agent, routed like all messages to agents. */
async function broadcast({ redis }: BenchStack, fleet: Generator, agents: number): Promise<Broadcast> {
  const orders = Array.from({ length: agents }, (_, agent) => ({
    kind: 'frame' as const,
    deviceId: idOf('device', agent),
    bytes: signal,
  }))
  await fleet.receipts()
  const startedAt = microsNow()
  const { offline } = await sendToDevices(redis, orders)
  if (offline.length > 0) throw new Error(`${offline.length} agents count as offline`)
  return arrived(fleet, agents, startedAt)
}

async function broadcastBare(servers: ReturnType<typeof startReference>[], fleet: Generator, agents: number) {
  await fleet.receipts()
  const startedAt = microsNow()
  const message = Buffer.from(signal).toString('base64')
  await Promise.all(servers.map((server) => server.ask({ message }, z.object({}))))
  return arrived(fleet, agents, startedAt)
}

async function arrived(fleet: Generator, agents: number, startedAt: number): Promise<Broadcast> {
  const times: number[] = []
  await until('the signal to arrive everywhere', arrivedMs, async () => {
    // Polled rarely: an answer of thousands of receipts takes the client processes away from their sockets.
    await pause(700)
    const isSignal = ({ id }: Receipt) => id === 'settings'
    for (const { atMicros } of (await fleet.receipts()).filter(isSignal)) times.push(atMicros - startedAt)
    return times.length >= agents ? true : `${times.length} of ${agents} agents have it`
  })
  const ms = (micros: number) => Math.round(micros / 100) / 10
  return { median: ms(median(times)), last: ms(Math.max(...times.slice(0, 100_000))) }
}

function report(agents: number, rounds: readonly Round[], signing: Signing, usage: Report['tables'][number]): Report {
  const vsR4 = median(rounds.map(({ ours, bare }) => ours.last / bare.last))
  const p99 = median(rounds.map(({ commands }) => commands.p99))
  return {
    scenario: 'push',
    ratios: { vsR4: significant(vsR4) },
    bars: [
      bar('p99 of one command, API → agent', p99, 'at most', 10, ' ms'),
      bar('one signal to all agents, times R4 (bare send loop)', vsR4, 'at most', 1.3),
      bar('p99 of signing one command', signing.p99, 'at most', 0.3, ' ms'),
    ],
    tables: [
      latencyTable(
        `one command from the API to an agent, ${agents} agents reporting`,
        Object.fromEntries(rounds.map(({ commands }, index) => [`round ${index + 1}`, commands])),
      ),
      {
        title: `one signal to all ${agents} agents, milliseconds`,
        head: ['round', 'half have it', 'all have it', 'R4 half', 'R4 all', '/ R4', 'load'],
        rows: rounds.map(({ ours, bare, loadAverage }, index) => [
          String(index + 1),
          ours.median,
          ours.last,
          bare.median,
          bare.last,
          significant(ours.last / bare.last),
          loadAverage,
        ]),
      },
      {
        title: 'signing orders',
        head: ['one alone, p50 ms', 'one alone, p99 ms', `each of ${signedOrders}, µs`],
        rows: [[String(signing.p50), signing.p99, significant(signing.each)]],
      },
      usage,
    ],
    figures: { agents, rounds, signing },
  }
}
