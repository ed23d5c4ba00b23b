import type { Writable } from 'node:stream'
import { type CommandStops, writeCommandStops } from '@muster/backplane/command-stops.ts'
import { connectRedis, untilReady } from '@muster/backplane/redis.ts'
import { createLog } from '@muster/kit/log.ts'
import { createMetrics } from '@muster/kit/metrics.ts'
import { pino } from 'pino'
import { readIngestConfig } from '../config.ts'
import { createIngest } from '../ingest.ts'
import { type Limits, limits } from '../limits.ts'
import type { Fleet } from './fleet.ts'

/** A running gateway in this process. */
export interface Node {
  port: number
  nodeId: string
  /** The value of a metric, 0 when absent; `labels` as written in the exposition format. */
  metric(name: string, labels?: string): Promise<number>
  ready(): Promise<Record<string, boolean>>
  drain(): Promise<void>
  stop(): Promise<void>
}

/** Writes the emergency stop, as workers do. */
async function publishCommandStops(redisUrl: string, stops: CommandStops): Promise<void> {
  const redis = connectRedis(redisUrl, 'test-stops')
  try {
    await untilReady(redis, 10_000)
    await writeCommandStops(redis, stops)
  } finally {
    redis.disconnect()
  }
}

export async function startNode(
  redisUrl: string,
  fleet: Fleet,
  options: { limits?: Partial<Limits>; settings?: Record<string, string>; lines?: Writable } = {},
): Promise<Node> {
  const config = readIngestConfig({
    INGEST_PORT: '0',
    REDIS_URL: redisUrl,
    DEVICE_KEYS_FILE: fleet.keysFile,
    STREAM_SHARDS: '4',
    ...options.settings,
  })
  const metrics = createMetrics('ingest')
  const log = options.lines ? pino({ level: 'info' }, options.lines) : createLog('ingest', 'silent')
  const ingest = createIngest(config, log, metrics, { ...limits, ...options.limits })
  await publishCommandStops(redisUrl, { all: false, partnerIds: [] })
  await ingest.run()
  return {
    port: ingest.port ?? 0,
    nodeId: config.NODE_ID,
    async metric(name, labels = '') {
      const lines = (await metrics.metrics()).split('\n')
      const line = lines.find((text) => text.startsWith(`${name}{`) && text.includes(labels))
      return Number(line?.split(' ').at(-1) ?? 0)
    },
    ready: () => ingest.health.ready(),
    drain: () => ingest.drain(),
    stop: async () => {
      await ingest.drain()
      await ingest.stop()
    },
  }
}
