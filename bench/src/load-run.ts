import type { BenchStack } from './bench-stack.ts'
import type { Verdict } from './check.ts'
import type { Generator } from './generator/generator.ts'
import { type Percentiles, percentilesOf } from './histogram.ts'
import { checkStored, storedRows } from './stored-rows.ts'
import { UsageMeter, type UsageReport } from './usage.ts'
import { until } from './waiting.ts'

export interface LoadRun {
  readonly rate: number
  readonly offered: number
  readonly sent: number
  readonly skipped: number
  /** The rate that the generator reached while it was sending. */
  readonly sentPerSecond: number
  readonly stored: number
  /** Stored rows per second, from the first frame to the last commit. */
  readonly storedPerSecond: number
  /** From the last frame to the last commit. */
  readonly drainMs: number
  readonly receivedToCommitted: Percentiles
  /** From the due time of a frame to its acknowledgment at the agent. */
  readonly dueToAcknowledged: Percentiles
  /** How late the generator sent due frames. */
  readonly generatorLateness: Percentiles
  readonly usage: UsageReport
}

const drainedWithinMs = 120_000

/** Offers heartbeats at a rate for a time and waits until all are acknowledged and stored. */
export async function runLoad(
  bench: BenchStack,
  generator: Generator,
  rate: number,
  seconds: number,
): Promise<LoadRun> {
  await generator.latency()
  const before = await generator.standing()
  const meter = new UsageMeter({ ...bench.groups, generator: () => generator.pids })
  const startMs = Date.now()
  const paced = await generator.pace(rate, seconds)
  const endMs = Date.now()
  await generator.settle()
  await drained(bench)
  const usage = meter.report()
  const rows = await storedRows(bench.owner, generator.boots, startMs - 1_000)
  const standing = await generator.standing()
  const sent = standing.sent - before.sent
  return {
    rate,
    offered: paced.offered,
    sent,
    skipped: paced.skipped,
    sentPerSecond: Math.round(sent / ((endMs - startMs) / 1000)),
    stored: rows.rows,
    storedPerSecond: Math.round(rows.rows / ((Math.max(rows.lastCommitMs, endMs) - startMs) / 1000)),
    drainMs: Math.max(0, Math.round(rows.lastCommitMs - endMs)),
    receivedToCommitted: rows.commitLatency,
    dueToAcknowledged: percentilesOf(await generator.latency()),
    generatorLateness: percentilesOf(paced.lateness),
    usage,
  }
}

/** Compares the frames since the last check with the stored rows, then empties the table of heartbeats. */
export async function checkAndClear(bench: BenchStack, generator: Generator): Promise<Verdict> {
  const verdict = await checkStored(bench.owner, await generator.ledgers())
  await bench.owner.query('TRUNCATE device_metrics')
  await generator.closeBooks()
  return verdict
}

/** Waits until the workers have stored everything that ingest has appended. */
export async function drained({ redis }: BenchStack): Promise<void> {
  await until('the streams to be empty', drainedWithinMs, async () => {
    const keys = await redis.keys('hb:{*}')
    const lengths = await Promise.all(keys.map((key) => redis.xlen(key)))
    const waiting = lengths.reduce((sum, length) => sum + length, 0)
    return waiting === 0 ? true : `${waiting} entries wait`
  })
}
