import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { z } from 'zod'
import { Histogram } from '../histogram.ts'
import { pause, until } from '../waiting.ts'
import { ClientProcess } from './client-process.ts'
import type { Target } from './lean-socket.ts'
import { type LedgerPage, readLedger } from './ledger.ts'
import { type AgentsPlan, Latency, Paced, type Receipt, Receipts, Standing } from './messages.ts'

const file = fileURLToPath(new URL('process.ts', import.meta.url))
/** Below the 20,000 files that one process may have open. */
const agentsPerProcessMax = 19_000
const processesMin = 2
const Nothing = z.object({})

export interface GeneratorOptions {
  readonly target: Target
  readonly folder: string
  readonly agents: number
  /** Maximum number of frames of one agent. */
  readonly sequencesMax: number
  readonly connectsPerSecond?: number
  readonly isBare?: boolean
  readonly answersCommands?: boolean
  /** How long a command takes before it is answered. */
  readonly commandMs?: number
  /** Which block of source addresses to use, so that two generators do not share local ports. */
  readonly block?: number
}

export interface PaceReport {
  readonly offered: number
  readonly sent: number
  readonly skipped: number
  readonly lateness: Histogram
}

/** The load generator: several client processes that together simulate a fleet. */
export class Generator {
  readonly #processes: ClientProcess[] = []
  readonly #plans: AgentsPlan[] = []
  readonly agents: number
  #isPlanned = false

  constructor(options: GeneratorOptions) {
    const { agents, block = 0, connectsPerSecond = 3_000 } = options
    this.agents = agents
    const count = Math.max(processesMin, Math.ceil(agents / agentsPerProcessMax))
    const share = Math.ceil(agents / count)
    for (let index = 0; index < count; index++) {
      const first = index * share
      const address = (part: number) => `127.0.${block}.${2 + index * 2 + part}`
      this.#processes.push(new ClientProcess(file))
      this.#plans.push({
        target: options.target,
        folder: options.folder,
        first,
        agents: Math.min(share, agents - first),
        sequencesMax: options.sequencesMax,
        // Later runs are later boots; below 2^48.
        bootId: Date.now() * 64 + index,
        sources: [address(0), address(1)],
        connectsPerSecond: connectsPerSecond / count,
        connectingMax: Math.ceil(1_000 / count),
        isBare: options.isBare ?? false,
        answersCommands: options.answersCommands ?? false,
        commandMs: options.commandMs ?? 0,
      })
    }
  }

  get pids(): number[] {
    return this.#processes.map(({ pid }) => pid)
  }

  /** The boot IDs under which the agents' frames are stored. */
  get boots(): number[] {
    return this.#plans.map(({ bootId }) => bootId)
  }

  /** Connects the first agents, or all; rejects when they are not live in time. Returns the duration. */
  async connect(withinMs: number, agents = this.agents): Promise<number> {
    const began = performance.now()
    if (!this.#isPlanned) await this.#askAll((index) => ({ ask: 'plan', plan: this.#plans[index] }), Nothing)
    this.#isPlanned = true
    const share = Math.ceil(agents / this.#processes.length)
    await this.#askAll(() => ({ ask: 'open', agents: share }), Nothing)
    await this.untilLive(agents, withinMs)
    return performance.now() - began
  }

  /** Waits until this number of agents is live. */
  untilLive(agents: number, withinMs: number): Promise<void> {
    const what = `${agents} agents to be connected`
    return until(what, withinMs, async () => {
      const { live, closes } = await this.standing()
      return live >= agents ? true : `${live} are; closes ${JSON.stringify(closes)}`
    })
  }

  /** Sends heartbeats in open loop, the agents in turn. */
  async pace(rate: number, seconds: number): Promise<PaceReport> {
    const share = (index: number) => (rate * (this.#plans[index]?.agents ?? 0)) / this.agents
    const withinMs = seconds * 1000 + 60_000
    const parts = await this.#askAll((index) => ({ ask: 'pace', rate: share(index), seconds }), Paced, withinMs)
    const lateness = new Histogram()
    for (const part of parts) lateness.add(part.lateness)
    const sum = (of: 'offered' | 'sent' | 'skipped') => parts.reduce((total, part) => total + part[of], 0)
    return { offered: sum('offered'), sent: sum('sent'), skipped: sum('skipped'), lateness }
  }

  /** Waits until everything sent is acknowledged, or no more acknowledgments arrive. */
  async settle(silentMs = 5_000): Promise<Standing> {
    let last = -1
    let lastAt = performance.now()
    for (;;) {
      const standing = await this.standing()
      if (standing.acknowledged === standing.sent) return standing
      if (standing.acknowledged !== last) lastAt = performance.now()
      else if (performance.now() - lastAt > silentMs) return standing
      last = standing.acknowledged
      await pause(50)
    }
  }

  async standing(): Promise<Standing> {
    const parts = await this.#askAll(() => ({ ask: 'standing' }), Standing)
    const sum = (of: Exclude<keyof Standing, 'closes'>) => parts.reduce((total, part) => total + part[of], 0)
    const closes: Record<string, number> = {}
    for (const part of parts)
      for (const [code, count] of Object.entries(part.closes)) closes[code] = (closes[code] ?? 0) + count
    const [live, connecting, welcomes] = [sum('live'), sum('connecting'), sum('welcomes')]
    const [sent, acknowledged, surplusAcks] = [sum('sent'), sum('acknowledged'), sum('surplusAcks')]
    return { live, connecting, welcomes, sent, acknowledged, surplusAcks, closes }
  }

  /** Latencies since the previous call. */
  async latency(): Promise<Histogram> {
    const all = new Histogram()
    for (const { latency } of await this.#askAll(() => ({ ask: 'latency' }), Latency)) all.add(latency)
    return all
  }

  /** Commands that agents received since the previous call. */
  async receipts(): Promise<Receipt[]> {
    return (await this.#askAll(() => ({ ask: 'receipts' }), Receipts)).flatMap(({ receipts }) => receipts)
  }

  /** Frames sent and acknowledged since the account was last closed, one by one. */
  async ledgers(): Promise<LedgerPage[]> {
    const folder = mkdtempSync(join(tmpdir(), 'muster-ledgers-'))
    try {
      const path = (index: number) => join(folder, String(index))
      await this.#askAll((index) => ({ ask: 'save', path: path(index) }), Nothing)
      return this.#processes.map((_, index) => readLedger(path(index)))
    } finally {
      rmSync(folder, { recursive: true })
    }
  }

  /** Starts a new account: frames acknowledged so far no longer count as sent. */
  async closeBooks(): Promise<void> {
    await this.#askAll(() => ({ ask: 'closeBooks' }), Nothing)
  }

  async stop(): Promise<void> {
    await Promise.all(this.#processes.map((each) => each.stop()))
  }

  #askAll<T>(request: (index: number) => object, schema: z.ZodType<T>, withinMs?: number): Promise<T[]> {
    return Promise.all(this.#processes.map((each, index) => each.ask(request(index), schema, withinMs)))
  }
}
