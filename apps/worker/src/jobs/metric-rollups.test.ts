import { dropOldMetrics, ensureMetricPartitions, keptFrom } from '@muster/areas/fleet/devices/metrics/retention.jobs.ts'
import { rollUpMetrics } from '@muster/areas/fleet/devices/metrics/rollups.jobs.ts'
import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest'
import {
  type Bed,
  makeDevices,
  makeParts,
  openBed,
  type Parts,
  startConsumer,
  type TestDevice,
  TestNode,
  untilDrained,
} from '../testing/bed.ts'

const minute = 60_000
const day = 24 * 60 * minute
const days = { raw: 7, fiveMinutes: 30, hours: 365 }
const floor = (ms: number, unitMs: number) => Math.floor(ms / unitMs) * unitMs
/** The start of a past hour. */
const hour = floor(Date.now() - 4 * 60 * minute, 60 * minute)

let bed: Bed
let parts: Parts
beforeAll(async () => {
  bed = await openBed()
  parts = await makeParts(bed)
})
afterAll(async () => {
  await parts?.close()
  await bed?.close()
})
beforeEach(async () => {
  await bed.owner.query('TRUNCATE device_metrics, device_metrics_five_minutes, device_metrics_hours, late_metrics')
  await bed.owner.query('UPDATE metric_rollups SET done_until = $1', [new Date(hour)])
})

const put = (device: TestDevice, atMs: number, cpu: number | null, rx = 0) =>
  bed.owner.query(
    `INSERT INTO device_metrics (at, device_id, org_id, partner_id, boot_id, sequence, cpu_percent, memory_used, network_rx_bytes)
     VALUES ($1, $2, $3, $4, 1, 1, $5, 100, $6)`,
    [new Date(atMs), device.id, device.orgId, device.partnerId, cpu, rx],
  )
const rolled = async (series: 'five_minutes' | 'hours', device: TestDevice) => {
  const { rows } = await bed.pool.query(
    `SELECT (extract(epoch FROM at) * 1000)::float8 AS at, samples, cpu_percent, cpu_percent_max, memory_used, network_rx_bytes
     FROM device_metrics_${series} WHERE device_id = $1 ORDER BY at`,
    [device.id],
  )
  return rows
}
const rollUp = (nowMs: number) => rollUpMetrics(bed.pool, nowMs, keptFrom(days.raw, nowMs))
const two = async (): Promise<[TestDevice, TestDevice]> => {
  const [one, other] = await makeDevices(bed, 2)
  if (one === undefined || other === undefined) throw new Error('no devices')
  return [one, other]
}

describe('rollups', () => {
  it('have averages, maxima and last values per device, for five minutes and for hours', async () => {
    const [one, other] = await two()
    await put(one, hour + 1 * minute, 10, 1_000)
    await put(one, hour + 4 * minute, 30, 2_000)
    await put(one, hour + 6 * minute, null, 3_000)
    await put(one, hour + 61 * minute, 50, 4_000)
    await put(other, hour + 2 * minute, 90)
    await rollUp(hour + 90 * minute)
    expect(await rolled('five_minutes', one)).toEqual([
      { at: hour, samples: 2, cpu_percent: 20, cpu_percent_max: 30, memory_used: 100, network_rx_bytes: 2_000 },
      {
        at: hour + 5 * minute,
        samples: 1,
        cpu_percent: null,
        cpu_percent_max: null,
        memory_used: 100,
        network_rx_bytes: 3_000,
      },
      {
        at: hour + 60 * minute,
        samples: 1,
        cpu_percent: 50,
        cpu_percent_max: 50,
        memory_used: 100,
        network_rx_bytes: 4_000,
      },
    ])
    expect(await rolled('hours', one)).toEqual([
      { at: hour, samples: 3, cpu_percent: 20, cpu_percent_max: 30, memory_used: 100, network_rx_bytes: 3_000 },
    ])
    expect(await rolled('five_minutes', other)).toMatchObject([{ at: hour, cpu_percent: 90 }])
  })

  it('wait until the heartbeats had time to arrive, and do not change when they run twice', async () => {
    const [one] = await two()
    await put(one, hour + 1 * minute, 10)
    expect(await rollUp(hour + 6 * minute)).toEqual({ rows: 0, repaired: 0 })
    expect((await rollUp(hour + 8 * minute)).rows).toBe(1)
    expect(await rollUp(hour + 8 * minute)).toEqual({ rows: 0, repaired: 0 })
    expect(await rolled('five_minutes', one)).toHaveLength(1)
  })

  it('include a heartbeat that is stored late', async () => {
    const [one] = await two()
    await put(one, hour + 1 * minute, 10)
    await rollUp(hour + 120 * minute)
    const node = new TestNode()
    const consumer = await startConsumer(parts, 0)
    await node.heartbeat(one, 7, 1, hour + 2 * minute, 30).append(bed.redis, 0)
    await untilDrained(bed.redis, 0)
    await consumer.stop()
    expect(await rollUp(hour + 120 * minute)).toMatchObject({ repaired: 1 })
    expect(await rolled('five_minutes', one)).toMatchObject([
      { at: hour, samples: 2, cpu_percent: 20, cpu_percent_max: 30 },
    ])
    expect(await rolled('hours', one)).toMatchObject([{ at: hour, samples: 2, cpu_percent: 20 }])
    expect(await rollUp(hour + 120 * minute)).toMatchObject({ repaired: 0 })
  })

  it('keep a period whose heartbeats retention has deleted', async () => {
    const [one] = await two()
    const at = keptFrom(days.raw, hour) - 60 * minute
    await bed.owner.query(
      `INSERT INTO device_metrics_five_minutes (at, device_id, org_id, partner_id, samples) VALUES ($1, $2, $3, $4, 300)`,
      [new Date(at), one.id, one.orgId, one.partnerId],
    )
    await put(one, at + minute, 10)
    await bed.owner.query('INSERT INTO late_metrics (at) VALUES ($1)', [new Date(at)])
    expect(await rollUp(hour + 8 * minute)).toMatchObject({ repaired: 0 })
    expect(await rolled('five_minutes', one)).toMatchObject([{ samples: 300 }])
    expect((await bed.pool.query('SELECT FROM late_metrics')).rowCount).toBe(0)
  })
})

describe('retention', () => {
  const partition = async (series: string, begins: number, days: number) => {
    const [from, to] = [begins, begins + days * day].map((ms) => new Date(ms).toISOString().slice(0, 10))
    const name = `${series}_${from?.replaceAll('-', '').slice(0, series.endsWith('hours') ? 6 : 8)}`
    await bed.owner.query(
      `CREATE TABLE ${name} PARTITION OF ${series} FOR VALUES FROM ('${from} 00:00+00') TO ('${to} 00:00+00')`,
    )
    return name
  }

  it('drops whole days, each resolution after its own period', async () => {
    const now = Date.now()
    const gone = [
      await partition('device_metrics', keptFrom(8, now), 1),
      await partition('device_metrics_five_minutes', keptFrom(31, now), 1),
      await partition('device_metrics_hours', Date.UTC(2024, 0, 1), 31),
    ]
    const kept = [
      await partition('device_metrics', keptFrom(7, now), 1),
      await partition('device_metrics_five_minutes', keptFrom(30, now), 1),
    ]
    const [one] = await two()
    await put(one, keptFrom(20, now), 10)
    await put(one, keptFrom(7, now), 10)
    expect((await dropOldMetrics(bed.pool, days, now)).sort()).toEqual(gone.sort())
    const { rows } = await bed.pool.query('SELECT name FROM metric_partitions()')
    expect(rows.map(({ name }) => name)).toEqual(expect.arrayContaining(kept))
    expect((await bed.pool.query('SELECT FROM device_metrics')).rowCount).toBe(1)
    expect(await dropOldMetrics(bed.pool, days, now)).toEqual([])
  })

  it('waits for readers and writers of the table, which do not wait for it', async () => {
    const now = Date.now()
    const name = await partition('device_metrics', keptFrom(9, now), 1)
    const [one] = await two()
    const reader = await bed.owner.connect()
    await reader.query('BEGIN')
    await reader.query('SELECT count(*) FROM device_metrics')
    const dropping = dropOldMetrics(bed.pool, days, now)
    const making = ensureMetricPartitions(bed.pool)
    for (let turn = 0; turn < 10; turn++) await put(one, now, 10)
    expect((await bed.pool.query('SELECT FROM metric_partitions() WHERE name = $1', [name])).rowCount).toBe(1)
    await reader.query('COMMIT')
    reader.release()
    expect(await dropping).toEqual([name])
    expect(await making).toBe(0)
  })

  it('cannot drop a partition that is still in its retention period', async () => {
    const today = `device_metrics_${new Date().toISOString().slice(0, 10).replaceAll('-', '')}`
    for (const name of [today, 'device_metrics', 'devices', 'device_metrics_default'])
      await expect(bed.pool.query('SELECT drop_metric_partition($1)', [name])).rejects.toThrow('is no partition')
  })
})
