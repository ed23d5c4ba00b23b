import { fileURLToPath } from 'node:url'
import { z } from 'zod'
import type { BenchStack } from './bench-stack.ts'
import { ClientProcess } from './generator/client-process.ts'
import { UsageMeter, type UsageReport } from './usage.ts'

const fileOf = (name: string) => fileURLToPath(new URL(`../reference/${name}.ts`, import.meta.url))
const Outcome = z.object({ stored: z.int(), seconds: z.number() })
const batchCandidates = [1_000, 2_500, 5_000]
const trialSeconds = 1.5
const rowConnections = 8

export interface ReferenceRun {
  readonly storedPerSecond: number
  readonly usage: UsageReport
}

/** Starts a program under bench/reference. */
export function startReference(name: string, args: readonly string[] = []): ClientProcess {
  return new ClientProcess(fileOf(name), args)
}

/** R3 and R2: the same rows written by scripts that do nothing else. */
export class WriteReferences {
  readonly #bench: BenchStack
  readonly #agents: number
  readonly #bare: ClientProcess
  readonly #rows: ClientProcess
  #bootId = 1
  #batch = batchCandidates[0] ?? 1_000

  constructor(bench: BenchStack, agents: number) {
    this.#bench = bench
    this.#agents = agents
    this.#bare = startReference('bare-batches')
    this.#rows = startReference('row-transactions')
  }

  get batch(): number {
    return this.#batch
  }

  /** Finds the batch size with which R3 is fastest on this machine. */
  async tune(): Promise<void> {
    let best = 0
    for (const batch of batchCandidates.filter((size) => size <= this.#agents)) {
      const { storedPerSecond } = await this.#run(this.#bare, { batch, seconds: trialSeconds })
      if (storedPerSecond <= best) continue
      best = storedPerSecond
      this.#batch = batch
    }
  }

  /** R3: batches on one connection. */
  bareBatches(seconds: number): Promise<ReferenceRun> {
    return this.#run(this.#bare, { batch: this.#batch, seconds })
  }

  /** R2: a transaction per heartbeat. */
  rowTransactions(seconds: number): Promise<ReferenceRun> {
    return this.#run(this.#rows, { connections: rowConnections, seconds })
  }

  async stop(): Promise<void> {
    await Promise.all([this.#bare.stop(), this.#rows.stop()])
  }

  async #run(reference: ClientProcess, request: { seconds: number; batch?: number; connections?: number }) {
    const { owner, stack, groups } = this.#bench
    const meter = new UsageMeter({ ...groups, reference: () => [reference.pid] })
    const asked = { ...request, url: stack.urls.owner, agents: this.#agents, bootId: this.#bootId++ }
    const { stored, seconds } = await reference.ask(asked, Outcome, request.seconds * 1000 + 30_000)
    const usage = meter.report()
    await owner.query('TRUNCATE device_metrics')
    return { storedPerSecond: Math.round(stored / seconds), usage }
  }
}
