import type { Counter as DeclaredCounter } from '@muster/areas/background/counter.ts'
import type { Gauge as DeclaredGauge } from '@muster/areas/background/gauge.ts'
import type { WorkerParts } from '@muster/areas/background/worker-parts.ts'
import { Counter, Gauge, Histogram, type Registry } from 'prom-client'

const secondsBuckets = [0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10, 30]

/** The metrics of the worker itself. */
export function createWorkerMetrics(registry: Registry) {
  const registers = [registry]
  const counter = <L extends string = never>(name: string, help: string, labelNames: L[] = []) =>
    new Counter({ name: `muster_worker_${name}`, help, labelNames, registers })
  const gauge = <L extends string = never>(name: string, help: string, labelNames: L[] = []) =>
    new Gauge({ name: `muster_worker_${name}`, help, labelNames, registers })
  const histogram = (name: string, help: string, buckets: number[]) =>
    new Histogram({ name: `muster_worker_${name}`, help, buckets, registers })
  return {
    shards: gauge('shards', 'Shards that this worker reads'),
    streamEntries: gauge('stream_entries', 'Entries in the streams that this worker reads', ['shard']),
    streamLag: gauge('stream_lag_seconds', 'Age of the oldest entry in a stream', ['shard']),
    batchRecords: histogram('batch_records', 'Records per transaction', [1, 4, 16, 64, 256, 1024, 4096, 16384]),
    writeSeconds: histogram('write_seconds', 'Duration of one transaction', secondsBuckets),
    commitDelay: histogram(
      'receive_to_commit_seconds',
      'From the receipt of the oldest record of a transaction to its commit',
      secondsBuckets,
    ),
    heartbeats: counter('heartbeats_total', 'Heartbeats stored'),
    duplicates: counter('duplicates_total', 'Repeated heartbeats that were stored already'),
    dropped: counter('dropped_total', 'Records about devices or commands that do not exist'),
    invalid: counter('invalid_records_total', 'Records that could not be decoded'),
    deadLetters: counter('dead_letters_total', 'Entries set aside because they could not be stored'),
    retries: counter('retries_total', 'Writes that failed and were retried', ['why']),
    liveEvents: counter('live_events_total', 'Live events published'),
    statusChanges: counter('status_changes_total', 'Status changes of devices', ['status']),
    connections: gauge('pool_connections', 'Connections to PostgreSQL', ['pool', 'state']),
    jobs: counter('jobs_total', 'Runs of scheduled jobs', ['name', 'outcome']),
  }
}

export type WorkerMetrics = ReturnType<typeof createWorkerMetrics>

interface Declared {
  readonly counters: readonly DeclaredCounter[]
  readonly gauges: readonly DeclaredGauge[]
}

/** Registers the figures of the areas. @returns the functions that change them */
export function createFigures(registry: Registry, declared: Declared): Pick<WorkerParts, 'count' | 'set'> {
  const registers = [registry]
  const counters = new Map<DeclaredCounter, Counter>()
  for (const counter of declared.counters) {
    const { name, help, labels } = counter
    counters.set(counter, new Counter({ name: `muster_worker_${name}`, help, labelNames: [...labels], registers }))
  }
  const gauges = new Map<DeclaredGauge, Gauge>()
  for (const gauge of declared.gauges) {
    const { name, help } = gauge
    gauges.set(gauge, new Gauge({ name: `muster_worker_${name}`, help, registers }))
  }
  return {
    count: (counter, labels, by = 1) => declaredFigure(counters, counter).inc(labels, by),
    set: (gauge, value) => declaredFigure(gauges, gauge).set(value),
  }
}

function declaredFigure<Key extends { readonly name: string }, Figure>(
  made: ReadonlyMap<Key, Figure>,
  key: Key,
): Figure {
  const figure = made.get(key)
  if (figure === undefined) throw new Error(`No area declares the figure ${key.name}`)
  return figure
}
