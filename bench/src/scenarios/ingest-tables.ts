import type { Verdict } from '../check.ts'
import type { LoadRun } from '../load-run.ts'
import { latencyTable, significant, type Table, usageTable } from '../report.ts'

export function checkTable(verdict: Verdict): Table {
  const { sent, acknowledged, stored, lost, duplicates, strangers, unanswered } = verdict
  return {
    title: `sent ${verdict.isEqual ? '=' : '≠'} acknowledged ${verdict.isEqual ? '=' : '≠'} stored`,
    head: ['frames', 'sent', 'acknowledged', 'stored', 'lost', 'duplicates', 'strangers', 'unanswered'],
    rows: [['all', sent, acknowledged, stored, lost, duplicates, strangers, unanswered]],
  }
}

export function ratesTable(loads: readonly LoadRun[]): Table {
  return {
    title: 'heartbeats',
    head: ['offered/s', 'sent', 'skipped', 'stored', 'stored/s', 'drain ms'],
    rows: loads.map(({ rate, sent, skipped, stored, storedPerSecond, drainMs }) => [
      significant(rate),
      sent,
      skipped,
      stored,
      storedPerSecond,
      drainMs,
    ]),
  }
}

export function tablesOf(load: LoadRun): Table[] {
  return [
    latencyTable('latencies', {
      'received → committed': load.receivedToCommitted,
      'due → acknowledged': load.dueToAcknowledged,
      'generator late by': load.generatorLateness,
    }),
    usageTable('CPU and memory', load.usage),
  ]
}
