import { heartbeatRowType, storeHeartbeats } from '@muster/areas/fleet/devices/metrics/heartbeats.ts'
import { inTransaction } from '@muster/db/transaction.ts'
import { createHeartbeatColumns } from '@muster/wire/heartbeat-columns.ts'
import pg from 'pg'
import { z } from 'zod'
import { type BenchStack, startBenchStack } from '../bench-stack.ts'
import { idOf } from '../fleet-files.ts'
import { startReference } from '../references.ts'
import { bar, load, median, type Report, significant } from '../report.ts'
import type { Run, Scenario } from '../scenario.ts'
import { pause } from '../waiting.ts'

const batch = 2_000
const Outcome = z.object({ stored: z.int(), seconds: z.number() })

const lengths = {
  full: { agents: 50_000, rounds: 5, seconds: 4, dayRows: 1_000_000 },
  quick: { agents: 10_000, rounds: 1, seconds: 2, dayRows: 200_000 },
}

interface Round {
  readonly ours: number
  readonly rowByRow: number
  readonly hotPercent: number
  readonly dropMs: number
  readonly loadAverage: number
}

/** The workers' own statements on one connection, against row by row, with nothing else running. */
export const state: Scenario = {
  summary: 'device state written in batches against row by row, how many updates stay on their page, dropping a day',
  secondsMax: 900,
  async run({ options, say, keep }: Run): Promise<Report> {
    const length = options.isQuick ? lengths.quick : lengths.full
    const { agents = length.agents, rounds: count = length.rounds, seconds = length.seconds } = options
    const bench = keep(await startBenchStack({ agents, isBare: true, say }))
    const pool = new pg.Pool({ connectionString: bench.stack.urls.system, max: 1, pipeline: true })
    keep({ stop: () => pool.end() })
    const rowByRow = keep(startReference('row-updates'))
    const writer = new Writer(pool, agents, await heartbeatRowType(pool))
    const rounds: Round[] = []
    for (let index = 0; index < count; index++) {
      const request = { url: bench.stack.urls.owner, agents, seconds, bootId: index * 2 + 1 }
      const single = await rowByRow.ask(request, Outcome, seconds * 1000 + 30_000)
      const before = await updates(bench)
      const ours = await writer.write(seconds, index * 2 + 2)
      const after = await updates(bench)
      await bench.owner.query('TRUNCATE device_metrics')
      const dropMs = await dropDay(bench, length.dayRows, () => writer.write(1, index * 2 + 2))
      const hotPercent = (100 * (after.hot - before.hot)) / Math.max(1, after.all - before.all)
      rounds.push({ ours, rowByRow: single.stored / single.seconds, hotPercent, dropMs, loadAverage: load() })
      say(
        `round ${index + 1}: ${Math.round(ours)}/s in batches, ${Math.round(single.stored / single.seconds)}/s row by row`,
      )
    }
    return report(agents, length.dayRows, rounds)
  },
}

/** Heartbeats of all agents in turn, stored as a worker stores them: state and history in one transaction. */
class Writer {
  readonly #pool: pg.Pool
  readonly #agents: number
  readonly #rowType: number
  readonly #devices: Uint8Array
  #sequence = 0

  constructor(pool: pg.Pool, agents: number, rowType: number) {
    this.#pool = pool
    this.#agents = agents
    this.#rowType = rowType
    this.#devices = Buffer.concat(
      Array.from({ length: agents }, (_, agent) => Buffer.from(idOf('device', agent).replaceAll('-', ''), 'hex')),
    )
  }

  /** Rows per second over a time. */
  async write(seconds: number, bootId: number): Promise<number> {
    const newest = Array.from({ length: batch }, (_, row) => row)
    const column = (value: number) => new Float64Array(batch).fill(value)
    const heartbeats = {
      count: batch,
      device: new Uint32Array(batch),
      order: new Uint32Array(batch),
      bootId: column(bootId),
      sequence: column(0),
      atMs: column(0),
      figures: createHeartbeatColumns(batch),
    }
    const startedAt = performance.now()
    let stored = 0
    while (performance.now() - startedAt < seconds * 1000) {
      heartbeats.atMs.fill(Date.now())
      for (let row = 0; row < batch; row++) {
        heartbeats.device[row] = this.#sequence % this.#agents
        heartbeats.sequence[row] = ++this.#sequence
      }
      const decoded = { devices: this.#devices, heartbeats }
      const read = { decoded, plan: { newest, earlier: [], late: [] } }
      const done = await inTransaction(this.#pool, (client) => storeHeartbeats(client, this.#rowType, [read]))
      stored += done.stored
    }
    return stored / ((performance.now() - startedAt) / 1000)
  }
}

/** Updates of device_state so far: all of them, and those that stayed on their page. */
async function updates({ owner }: BenchStack): Promise<{ all: number; hot: number }> {
  // A session reports its counts when it has been idle for a second.
  await pause(1_500)
  await owner.query('SELECT pg_stat_clear_snapshot()')
  const { rows } = await owner.query<{ all: string; hot: string }>(
    `SELECT n_tup_upd AS all, n_tup_hot_upd AS hot FROM pg_stat_user_tables WHERE relname = 'device_state'`,
  )
  return { all: Number(rows[0]?.all), hot: Number(rows[0]?.hot) }
}

/** How long dropping an old day's partition takes while a writer works on today's. */
async function dropDay({ owner }: BenchStack, rows: number, write: () => Promise<unknown>): Promise<number> {
  await owner.query('DROP TABLE IF EXISTS device_metrics_old_day')
  await owner.query(
    `CREATE TABLE device_metrics_old_day PARTITION OF device_metrics FOR VALUES FROM ('2020-01-01 00:00+00') TO ('2020-01-02 00:00+00')`,
  )
  await owner.query(
    `INSERT INTO device_metrics (at, device_id, org_id, partner_id, boot_id, sequence, cpu_percent, memory_used)
     SELECT '2020-01-01 00:00+00'::timestamptz + n * interval '1 ms', d.device_id, d.org_id, d.partner_id, 1, n, 1, 1
     FROM (SELECT *, row_number() OVER () AS r FROM device_state) d
     JOIN generate_series(0, $1::int - 1) n ON n % (SELECT count(*) FROM device_state) = d.r - 1`,
    [rows],
  )
  const writing = write()
  await pause(300)
  const began = performance.now()
  await owner.query('DROP TABLE device_metrics_old_day')
  const ms = performance.now() - began
  await writing
  return ms
}

function report(agents: number, dayRows: number, rounds: readonly Round[]): Report {
  const of = (value: (round: Round) => number) => median(rounds.map(value))
  const vsRows = of(({ ours, rowByRow }) => ours / rowByRow)
  return {
    scenario: 'state',
    ratios: { vsRowByRow: significant(vsRows) },
    bars: [
      bar('state and history in batches, times the state alone row by row', vsRows, 'at least', 15),
      bar(
        'updates that stay on their page (HOT)',
        of((r) => r.hotPercent),
        'at least',
        95,
        ' %',
      ),
      bar(
        `dropping a day of ${dayRows} heartbeats while others are stored`,
        of((r) => r.dropMs),
        'at most',
        50,
        ' ms',
      ),
    ],
    tables: [
      {
        title: `${agents} devices, batches of ${batch}, one connection`,
        head: ['round', 'batches rows/s', 'row by row rows/s', 'ratio', 'HOT %', 'drop a day ms', 'load'],
        rows: rounds.map(({ ours, rowByRow, hotPercent, dropMs, loadAverage }, index) => [
          String(index + 1),
          Math.round(ours),
          Math.round(rowByRow),
          significant(ours / rowByRow),
          significant(hotPercent),
          significant(dropMs),
          loadAverage,
        ]),
      },
    ],
    figures: { agents, dayRows, rounds },
  }
}
