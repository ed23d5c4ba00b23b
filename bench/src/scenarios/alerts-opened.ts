import { administrator } from '../bench-stack.ts'
import { fleetTenants, idOf } from '../fleet-files.ts'
import { heartbeatVariants } from '../generator/heartbeats.ts'
import { Histogram, type Percentiles, percentilesOf } from '../histogram.ts'
import { LiveAlerts } from '../live-alerts.ts'
import { runLoad } from '../load-run.ts'
import { tokenOf } from '../people.ts'
import type { UsageReport } from '../usage.ts'
import { pause } from '../waiting.ts'
import type { AlertsBench } from './alerts-bench.ts'

const seenMs = 5_000
/** Rules whose thresholds the CPU figures of all heartbeats pass one after the other, for one organization in a hundred. */
const rulesMax = 16
const orgStep = 100

export interface Opened {
  readonly rate: number
  readonly latency: Percentiles
  readonly usage: UsageReport
}

/** From the receipt of the heartbeat that makes a condition true to the event at a watcher. */
export async function openedLatency(bench: AlertsBench, most: number, seconds: number): Promise<Opened> {
  const { stack, generator } = bench
  const rate = Math.round(most)
  const laps = Math.max(3, Math.min(heartbeatVariants / 2, Math.floor((seconds * rate) / generator.agents)))
  const first = await firstVariant(bench, rate, laps)
  await makeRules(bench, first, laps)
  const live = new LiveAlerts(stack.stack.urls.admin, await tokenOf(stack.stack.urls.admin, administrator))
  await pause(seenMs)
  const run = await runLoad(stack, generator, rate, (laps * generator.agents) / rate)
  await pause(seenMs)
  await live.stop()
  const { rows } = await stack.owner.query<{ id: string; received: number }>(
    `SELECT a.id, (SELECT extract(epoch FROM min(m.at)) * 1000 FROM device_metrics m
       WHERE m.device_id = a.device_id AND m.cpu_percent > (r.conditions ->> 'threshold')::float8)::float8 AS received
     FROM alerts a JOIN alert_rules r ON r.id = a.rule_id WHERE r.name LIKE 'Rising %'`,
  )
  const latency = new Histogram()
  for (const { id, received } of rows) {
    const seenAt = live.opened.get(id)
    if (seenAt === undefined) throw new Error(`the alert ${id} was stored and not seen`)
    latency.record(1_000 * Math.max(0, seenAt - received))
  }
  if (rows.length === 0) throw new Error('no alert opened')
  return { rate, latency: percentilesOf(latency), usage: run.usage }
}

/** The figures rise with the sequence and begin again. @returns where they stand, with these laps before the end */
async function firstVariant(bench: AlertsBench, rate: number, laps: number): Promise<number> {
  const { generator } = bench
  const variant = async () => Math.floor((await generator.standing()).sent / generator.agents) % heartbeatVariants
  const left = heartbeatVariants - (await variant())
  if (left > laps + 2) return heartbeatVariants - left
  await bench.load(rate, ((left + 1) * generator.agents) / rate)
  return variant()
}

async function makeRules(bench: AlertsBench, first: number, laps: number): Promise<void> {
  const count = Math.min(rulesMax, laps - 2)
  for (let org = 0; org < fleetTenants.orgs; org += orgStep)
    for (let rule = 1; rule <= count; rule++)
      await bench.create('alerts/rules', {
        orgId: idOf('org', org),
        name: `Rising ${rule}`,
        severity: 'low',
        conditions: {
          kind: 'metric',
          metric: 'cpuPercent',
          operator: 'gt',
          threshold: Math.round(((first + 1 + (rule * (laps - 2)) / count) * 1_000) / heartbeatVariants) / 10,
        },
      })
  await pause(seenMs)
}
