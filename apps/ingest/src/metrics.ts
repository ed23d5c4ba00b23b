import { closeCodeOf } from '@muster/wire/close-codes.ts'
import { upMessages } from '@muster/wire/up.ts'
import { Counter, Gauge, Histogram, type Registry } from 'prom-client'
import type { Counters } from './counters.ts'
import type { Gateway } from './gateway-parts.ts'

/** Measures appends; created before the gateway, which uses it. */
export function createAppendHistogram(registry: Registry): Histogram {
  return new Histogram({
    name: 'muster_ingest_append_seconds',
    help: 'From the append of a batch to the answer of Redis',
    buckets: [0.0005, 0.001, 0.0025, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 5, 15],
    registers: [registry],
  })
}

/** Exposes the counters of the hot path; they are read on each scrape. */
export function exposeMetrics(registry: Registry, gateway: Gateway): void {
  exposeGauges(registry, gateway)
  exposeTotals(registry, gateway.counters)
  exposeLabeled(registry, gateway.counters)
}

function exposeGauges(registry: Registry, gateway: Gateway): void {
  const gauge = (name: string, help: string, read: () => number) => {
    const made: Gauge = new Gauge({ name, help, registers: [registry], collect: () => made.set(read()) })
  }
  gauge('muster_ingest_connections', 'Live agent sockets', () => gateway.registry.live)
  gauge('muster_ingest_waiting_sockets', 'Sockets that have not sent a hello yet', () => gateway.registry.waiting.size)
  gauge(
    'muster_ingest_unsent_bytes',
    'Bytes of batches that Redis has not stored yet',
    () => gateway.batches.unsentBytes,
  )
  gauge('muster_ingest_backlog_bytes', 'Bytes that slow agents have not read yet', () => gateway.backlog.bytes)
  gauge('muster_ingest_presence_pending', 'Presence changes not written yet', () => gateway.presence.pending)
  gauge(
    'muster_ingest_certificates_remembered',
    'Verified certificates in the cache',
    () => gateway.certificates.remembered,
  )
}

function exposeTotals(registry: Registry, counters: Counters): void {
  const total = (name: string, help: string, read: () => number) => {
    const made: Counter = new Counter({
      name,
      help,
      registers: [registry],
      collect: () => {
        made.reset()
        made.inc(read())
      },
    })
  }
  total('muster_ingest_frame_bytes_total', 'Bytes of frames accepted from agents', () => counters.frameBytes)
  total('muster_ingest_acks_total', 'Frames acknowledged', () => counters.acks)
  total('muster_ingest_frames_shed_total', 'Frames rejected because too much was unsent', () => counters.shed)
  total('muster_ingest_batches_total', 'Batches appended', () => counters.batches)
  total('muster_ingest_batch_records_total', 'Records in appended batches', () => counters.records)
  total('muster_ingest_append_failures_total', 'Appends that failed and were retried', () => counters.appendFailures)
  total('muster_ingest_handshakes_total', 'Completed handshakes', () => counters.handshakes)
  total('muster_ingest_resumptions_total', 'Completed handshakes with a resumption ticket', () => counters.resumptions)
  total('muster_ingest_tickets_refused_total', 'Resumption tickets rejected', () => counters.ticketsRefused)
  total('muster_ingest_orders_sent_total', 'Frames of other processes sent to sockets', () => counters.ordersSent)
  total('muster_ingest_orders_refused_total', 'Frames for devices not connected here', () => counters.ordersRefused)
  total('muster_ingest_orders_withheld_total', 'Commands held back by an emergency stop', () => counters.ordersWithheld)
  total(
    'muster_ingest_orders_repeated_total',
    'Commands not sent again on the same connection',
    () => counters.ordersRepeated,
  )
  total(
    'muster_ingest_orders_unfit_total',
    'Invalid orders of other processes: wrong type, unsigned, or for another device',
    () => counters.ordersUnfit,
  )
  total(
    'muster_ingest_orders_outdated_total',
    'Commands not delivered because the agent cannot verify signatures',
    () => counters.ordersOutdated,
  )
  total('muster_ingest_events_lost_total', 'Connection events dropped', () => counters.eventsLost)
  total('muster_ingest_announcements_total', 'Complete announcements of presence', () => counters.announcements)
}

function exposeLabeled(registry: Registry, counters: Counters): void {
  const frames: Counter = new Counter({
    name: 'muster_ingest_frames_total',
    help: 'Frames accepted from agents',
    labelNames: ['type'],
    registers: [registry],
    collect: () => {
      frames.reset()
      for (const { name, type, sequenced } of Object.values(upMessages))
        if (sequenced) frames.inc({ type: name }, counters.frames[type] ?? 0)
    },
  })
  const closes: Counter = new Counter({
    name: 'muster_ingest_closes_total',
    help: 'Closed sockets by close code',
    labelNames: ['close_code', 'reason'],
    registers: [registry],
    collect: () => {
      closes.reset()
      for (const [code, count] of counters.closes)
        closes.inc({ close_code: String(code), reason: closeCodeOf(code)?.name ?? 'not-ours' }, count)
    },
  })
  const refused: Counter = new Counter({
    name: 'muster_ingest_upgrades_refused_total',
    help: 'Upgrade requests refused',
    labelNames: ['reason'],
    registers: [registry],
    collect: () => {
      refused.reset()
      for (const [reason, count] of counters.refusedUpgrades) refused.inc({ reason }, count)
    },
  })
}
