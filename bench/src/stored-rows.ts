import type pg from 'pg'
import { to as copyTo } from 'pg-copy-streams'
import { StoredCheck, type Verdict } from './check.ts'
import { idOf } from './fleet-files.ts'
import type { LedgerPage } from './generator/ledger.ts'
import { Histogram, type Percentiles, percentilesOf } from './histogram.ts'

const copyHeaderBytes = 19
const rowBytes = 2 + (4 + 16) + (4 + 8) + (4 + 8)

/** Reads every stored heartbeat and compares it, frame by frame, with what was sent and acknowledged. */
export async function checkStored(owner: pg.Client, ledgers: readonly LedgerPage[]): Promise<Verdict> {
  const agentOf = new Map<string, number>()
  for (const { first, agents } of ledgers)
    for (let agent = first; agent < first + agents; agent++)
      agentOf.set(Buffer.from(idOf('device', agent).replaceAll('-', ''), 'hex').toString('latin1'), agent)
  const boots = `{${ledgers.map(({ bootId }) => bootId).join(',')}}`
  const select = `SELECT device_id, boot_id, sequence FROM device_metrics WHERE boot_id = ANY ('${boots}')`
  const check = new StoredCheck(ledgers)
  let rest: Buffer = Buffer.alloc(0)
  let skip = copyHeaderBytes
  for await (const chunk of owner.query(copyTo(`COPY (${select}) TO STDOUT (FORMAT binary)`))) {
    const bytes: Buffer = rest.length === 0 ? chunk : Buffer.concat([rest, chunk])
    let at = Math.min(skip, bytes.length)
    skip -= at
    for (; at + rowBytes <= bytes.length; at += rowBytes) {
      const agent = agentOf.get(bytes.toString('latin1', at + 6, at + 22)) ?? -1
      check.stored(agent, Number(bytes.readBigInt64BE(at + 26)), Number(bytes.readBigInt64BE(at + 38)))
    }
    rest = bytes.subarray(at)
  }
  return check.verdict()
}

export interface Stored {
  readonly rows: number
  /** The commit of the last row, in ms since the epoch. */
  readonly lastCommitMs: number
  /** From the receipt at the server to the commit. */
  readonly commitLatency: Percentiles
}

/** The commit times of the rows of these boots, from PostgreSQL's own commit timestamps. */
export async function storedRows(owner: pg.Client, boots: readonly number[], sinceMs = 0): Promise<Stored> {
  const { rows } = await owner.query<{ ms: number; rows: string; committed: string }>(
    `SELECT round(extract(epoch FROM committed - at) * 1000)::int AS ms, count(*) AS rows,
       extract(epoch FROM max(committed)) * 1000 AS committed
     FROM (SELECT at, pg_xact_commit_timestamp(xmin) AS committed FROM device_metrics
           WHERE boot_id = ANY ($1::bigint[]) AND at >= to_timestamp($2 / 1000.0)) m GROUP BY 1`,
    [boots, sinceMs],
  )
  const latency = new Histogram()
  const counts = { rows: 0, last: 0 }
  for (const { ms, rows: count, committed } of rows) {
    latency.record(ms * 1000, Number(count))
    counts.rows += Number(count)
    counts.last = Math.max(counts.last, Number(committed))
  }
  return {
    rows: counts.rows,
    lastCommitMs: counts.last,
    commitLatency: percentilesOf(latency),
  }
}
