import { Counter, Gauge, Histogram, type Registry } from 'prom-client'

const secondsBuckets = [0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10, 30]

/** Everything the worker counts. */
export function createWorkerMetrics(registry: Registry) {
  const registers = [registry]
  const counter = <L extends string = never>(name: string, help: string, labelNames: L[] = []) =>
    new Counter({ name: `muster_worker_${name}`, help, labelNames, registers })
  const gauge = <L extends string = never>(name: string, help: string, labelNames: L[] = []) =>
    new Gauge({ name: `muster_worker_${name}`, help, labelNames, registers })
  const histogram = (name: string, help: string, buckets: number[]) =>
    new Histogram({ name: `muster_worker_${name}`, help, buckets, registers })
  return {
    shards: gauge('shards', 'Shards that this worker drains'),
    streamEntries: gauge('stream_entries', 'Entries waiting in the streams of this worker', ['shard']),
    streamLag: gauge('stream_lag_seconds', 'Age of the oldest entry waiting', ['shard']),
    batchRecords: histogram('batch_records', 'Records per transaction', [1, 4, 16, 64, 256, 1024, 4096, 16384]),
    writeSeconds: histogram('write_seconds', 'Time of one transaction', secondsBuckets),
    commitDelay: histogram(
      'receive_to_commit_seconds',
      'From the receipt of the oldest record of a transaction to its commit',
      secondsBuckets,
    ),
    heartbeats: counter('heartbeats_total', 'Heartbeats stored'),
    duplicates: counter('duplicates_total', 'Heartbeats that were stored before'),
    dropped: counter('dropped_total', 'Records of devices or commands that do not exist'),
    invalid: counter('invalid_records_total', 'Records that could not be read'),
    deadLetters: counter('dead_letters_total', 'Entries set aside because they could not be stored'),
    retries: counter('retries_total', 'Writes that failed and were tried again', ['why']),
    ordersRouted: counter('orders_routed_total', 'Frames handed to nodes for their devices', ['why']),
    orderRefusals: counter('order_refusals_total', 'Orders that devices did not obey, by reason', ['code']),
    liveEvents: counter('live_events_total', 'Live events published'),
    statusChanges: counter('status_changes_total', 'Devices that went online or offline', ['status']),
    commandsSwept: counter('commands_swept_total', 'Commands that ran out of time', ['status']),
    connections: gauge('pool_connections', 'Connections to Postgres', ['pool', 'state']),
    mailsWaiting: gauge('mails_waiting', 'Mails that were not sent yet'),
    mailsFailed: gauge('mails_failed', 'Mails that were given up'),
    mailOldest: gauge('mail_oldest_seconds', 'Age of the oldest mail waiting'),
    jobs: counter('jobs_total', 'Background jobs done', ['name', 'outcome']),
  }
}

export type WorkerMetrics = ReturnType<typeof createWorkerMetrics>
