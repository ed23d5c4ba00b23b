import type { Aftermath } from './aftermath.ts'
import {
  gatherMs,
  gatherRecordsMax,
  recordsPerWriteMax,
  waveConnectionsMin,
  waveGatherMs,
  writerConnectionsMax,
} from './limits.ts'
import type { WorkerMetrics } from './metrics.ts'
import { isTransient } from './transient.ts'
import type { Submission, Writer, Written } from './writer.ts'

interface Waiting {
  work: Submission
  resolve: (written: Written) => void
  reject: (error: unknown) => void
}

/**
 * Puts small reads of several shards into one transaction: with a fleet at rest its fixed cost is most of what a
 * heartbeat costs. Large reads go by themselves, as many at once as there are connections.
 */
export class WriteGroups {
  readonly #writer: Writer
  readonly #aftermath: Aftermath
  readonly #metrics: WorkerMetrics
  #waiting: Waiting[] = []
  #timer: NodeJS.Timeout | undefined
  #running = 0
  #isInWave = false

  constructor(writer: Writer, aftermath: Aftermath, metrics: WorkerMetrics) {
    this.#writer = writer
    this.#aftermath = aftermath
    this.#metrics = metrics
  }

  /** Whether the last transaction showed a fleet that comes back: seen over all shards, of which each has but a part. */
  get isInWave(): boolean {
    return this.#isInWave
  }

  /** Resolves when the read is committed. Of each shard only one may be under way. */
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
      // Others have waited while this one ran.
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
      // What one of them has done to the others is found out by writing each alone.
      if (group.length === 1 || isTransient(error)) for (const { reject } of group) reject(error)
      else for (const waiting of group) await this.#commit([waiting]).catch(waiting.reject)
    }
  }

  async #commit(group: readonly Waiting[]): Promise<void> {
    const works = group.map(({ work }) => work)
    const startedMs = performance.now()
    const written = await this.#writer.write(works)
    this.#metrics.writeSeconds.observe((performance.now() - startedMs) / 1000)
    this.#metrics.batchRecords.observe(recordsOf(group))
    for (const { decoded } of works)
      if (decoded.records > 0) this.#metrics.commitDelay.observe(Math.max(0, Date.now() - decoded.oldestAtMs) / 1000)
    for (const { resolve } of group) resolve(written)
    await this.#aftermath.follow(works, written)
  }
}

const isWave = (group: readonly Waiting[]) =>
  group.reduce((sum, { work }) => sum + work.plan.connections.length, 0) >= waveConnectionsMin

const recordsOf = (group: readonly Waiting[]) => group.reduce((sum, { work }) => sum + work.decoded.records, 0)
