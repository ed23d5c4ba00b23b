import { shardStream } from '@muster/backplane/keys.ts'
import type { Redis } from '@muster/backplane/redis.ts'
import type { Log } from '@muster/kit/log.ts'
import type { Service } from '@muster/kit/service.ts'
import type pg from 'pg'
import { statisticsMs } from '../limits.ts'
import type { WorkerMetrics } from '../metrics.ts'
import { periodic } from './periodic.ts'

export interface StatisticsParts {
  redis: Redis
  pools: Readonly<Record<string, pg.Pool>>
  heldShards: () => readonly number[]
  metrics: WorkerMetrics
  log: Log
}

/** Measures the backlog of the streams and the use of the connection pools. */
export function createStatistics(parts: StatisticsParts): Service {
  const { redis, pools, heldShards, metrics, log } = parts
  return periodic('statistics', statisticsMs, log, async () => {
    for (const [pool, { totalCount, idleCount, waitingCount }] of Object.entries(pools)) {
      metrics.connections.set({ pool, state: 'open' }, totalCount)
      metrics.connections.set({ pool, state: 'idle' }, idleCount)
      metrics.connections.set({ pool, state: 'awaited' }, waitingCount)
    }
    const shards = heldShards()
    const measured = await Promise.all(shards.map((shard) => measure(redis, shard)))
    metrics.shards.set(shards.length)
    // Without an await in between, so that a scrape reads either the old values or the new ones.
    metrics.streamEntries.reset()
    metrics.streamLag.reset()
    for (const { shard, entries, lagSeconds } of measured) {
      metrics.streamEntries.set({ shard: String(shard) }, entries)
      metrics.streamLag.set({ shard: String(shard) }, lagSeconds)
    }
  })
}

async function measure(redis: Redis, shard: number) {
  const stream = shardStream(shard)
  const [entries, oldest] = await Promise.all([redis.xlen(stream), redis.xrange(stream, '-', '+', 'COUNT', 1)])
  const since = Number(oldest[0]?.[0].split('-')[0] ?? Number.NaN)
  return { shard, entries, lagSeconds: Number.isNaN(since) ? 0 : Math.max(0, Date.now() - since) / 1000 }
}
