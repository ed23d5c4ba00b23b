import { isTransient } from '@muster/kit/transient-errors.ts'
import {
  gatherMs,
  gatherRecordsMax,
  recordsPerWriteMax,
  waveConnectionsMin,
  waveGatherMs,
  writerConnectionsMax,
} from '../limits.ts'
import type { WorkerMetrics } from '../metrics.ts'
import type { AfterCommit } from './after-commit.ts'
import type { Submission, Writer, Written } from './writer.ts'

interface Waiting {
  work: Submission
  resolve: (written: Written) => void
  reject: (error: unknown) => void
}

/**
 * Writes small reads of several shards in one transaction: while the fleet is idle, the fixed cost of a transaction is most of
 * the cost of a heartbeat. Large reads get their own transactions, as many at once as there are connections.
 */
export class WriteGroups {
  readonly #writer: Writer
  readonly #afterCommit: AfterCommit
  readonly #metrics: WorkerMetrics
  #waiting: Waiting[] = []
  #timer: NodeJS.Timeout | undefined
  #running = 0
  #isInWave = false

  constructor(writer: Writer, afterCommit: AfterCommit, metrics: WorkerMetrics) {
    this.#writer = writer
    this.#afterCommit = afterCommit
    this.#metrics = metrics
  }

  /** Whether the fleet is reconnecting, as the last transaction shows. A single shard sees too little of that. */
  get isInWave(): boolean {
    return this.#isInWave
  }

  /** Resolves when the read is committed. A shard may wait for one read at a time. */
  write(work: Submission): Promise<Written> {
    return new Promise((resolve, reject) => {
      this.#waiting.push({ work, resolve, reject })
      this.#consider()
    })
  }

  #consider(): void {
    if (this.#waiting.length === 0 || this.#running >= writerConnectionsMax) return
    const inWave = this.#isInWave || isWave(this.#waiting)
    if (recordsOf(this.#waiting) >= (inWave ? recordsPerWriteMax : gatherRecordsMax)) this.#begin()
    else this.#timer ??= setTimeout(() => this.#begin(), inWave ? waveGatherMs : gatherMs)
  }

  #begin(): void {
    clearTimeout(this.#timer)
    this.#timer = undefined
    if (this.#waiting.length === 0 || this.#running >= writerConnectionsMax) return
    const group = this.#next()
    this.#isInWave = isWave(group)
    this.#running++
    this.#run(group).finally(() => {
      this.#running--
      // More reads may wait by now.
      if (this.#waiting.length > 0) this.#begin()
    })
    this.#consider()
  }

  #next(): Waiting[] {
    let records = 0
    let count = 0
    for (const { work } of this.#waiting) {
      records += work.decoded.records
      if (count > 0 && records > recordsPerWriteMax) break
      count++
    }
    return this.#waiting.splice(0, count)
  }

  async #run(group: readonly Waiting[]): Promise<void> {
    try {
      await this.#commit(group)
    } catch (error) {
      // Written alone, each read shows whether it caused the failure.
      if (group.length === 1 || isTransient(error)) for (const { reject } of group) reject(error)
      else for (const waiting of group) await this.#commit([waiting]).catch(waiting.reject)
    }
  }

  async #commit(group: readonly Waiting[]): Promise<void> {
    const works = group.map(({ work }) => work)
    const startedMs = performance.now()
    const written = await this.#writer.write(works).catch((error: unknown) => {
      this.#afterCommit.afterFailure(works)
      throw error
    })
    this.#metrics.writeSeconds.observe((performance.now() - startedMs) / 1000)
    this.#metrics.batchRecords.observe(recordsOf(group))
    for (const { decoded } of works)
      if (decoded.records > 0) this.#metrics.commitDelay.observe(Math.max(0, Date.now() - decoded.oldestAtMs) / 1000)
    for (const { resolve } of group) resolve(written)
    await this.#afterCommit.run(works, written)
  }
}

const isWave = (group: readonly Waiting[]) =>
  group.reduce((sum, { work }) => sum + work.plan.connections.length, 0) >= waveConnectionsMin

const recordsOf = (group: readonly Waiting[]) => group.reduce((sum, { work }) => sum + work.decoded.records, 0)
