import { randomUUID } from 'node:crypto'
import type pg from 'pg'
import { z } from 'zod'
import type { ApiClient } from '../api-client.ts'
import { administrator, startBenchStack } from '../bench-stack.ts'
import { idOf, tenantOf } from '../fleet-files.ts'
import { Histogram, percentilesOf } from '../histogram.ts'
import { clientOf } from '../people.ts'
import { Receiver } from '../receiver.ts'
import { bar, latencyTable, load, median, type Report, significant, usageTable } from '../report.ts'
import type { Run, Scenario } from '../scenario.ts'
import { UsageMeter } from '../usage.ts'
import { pause, until } from '../waiting.ts'

const endpoints = 100
const eventsPerSecond = 200
const eventsAtOnce = 10
const drainMs = 60_000
const lengths = {
  full: { agents: 1_000, rounds: 2, seconds: 20, deadFor: 75 },
  quick: { agents: 1_000, rounds: 1, seconds: 8, deadFor: 10 },
}
const Body = z.looseObject({ id: z.string(), timestamp: z.string() })

/** Events to webhooks of a hundred organizations, with and without a dead webhook beside each. */
export const deliveries: Scenario = {
  summary: '200 events a second to 100 webhooks that answer, with and without 100 dead ones beside them',
  secondsMax: 900,
  async run({ options, say, keep }: Run): Promise<Report> {
    const length = options.isQuick ? lengths.quick : lengths.full
    const { agents = length.agents, rounds = length.rounds, seconds = length.seconds } = options
    const allowed = { OUTGOING_ALLOWED_NETWORKS: '127.0.0.0/8' }
    const { workers, profile } = options
    const bench = keep(
      await startBenchStack({ agents, admin: 1, workers, settings: { admin: allowed, worker: allowed }, profile, say }),
    )
    const { owner } = bench
    await owner.query('TRUNCATE webhooks, delivery_lanes, events CASCADE')
    const api = keep(await clientOf(bench.stack.urls.admin, administrator))
    const [healthy, silent] = [keep(new Receiver()), keep(new Receiver({ answers: false }))]
    const [url, silentUrl] = [await healthy.listen(), await silent.listen()]
    for (let org = 0; org < endpoints; org++) {
      await addWebhook(api, org, 'Healthy', `${url}/${org}`)
      // Half of the dead ones never answer, and nothing listens for the other half.
      await addWebhook(api, org, 'Dead', org % 2 === 0 ? `${silentUrl}/${org}` : `http://127.0.0.1:1/${org}`)
    }
    const round = async (withDead: boolean) => {
      await setDead(owner, withDead)
      // Until the dead ones are known as such: five tries of 15 seconds end in the full form.
      if (withDead) await offer(owner, length.deadFor)
      await until('the deliveries before the round', drainMs, () => undelivered(owner))
      healthy.received.splice(0)
      const sent = await offer(owner, seconds)
      await until('the deliveries to the healthy', drainMs, () => undelivered(owner))
      return latencyOf(healthy, sent)
    }
    await round(false)
    const meter = new UsageMeter(bench.groups)
    const [alone, beside]: [Histogram[], Histogram[]] = [[], []]
    for (let index = 0; index < rounds; index++) {
      alone.push(await round(false))
      beside.push(await round(true))
      const [last, lastBeside] = [alone.at(-1), beside.at(-1)].map((each) =>
        ((each?.percentile(0.99) ?? 0) / 1000).toFixed(0),
      )
      say(`round ${index + 1}: p99 ${last} ms alone, ${lastBeside} ms beside the dead, load ${load()}`)
    }
    const p99 = (of: readonly Histogram[]) => median(of.map((each) => each.percentile(0.99) / 1000))
    const slower = significant(p99(beside) / p99(alone))
    return {
      scenario: 'deliveries',
      ratios: { besideDead: slower },
      bars: [
        bar('event → healthy endpoint beside 100 dead ones, p99', p99(beside), 'at most', 1_000, ' ms'),
        bar('of the p99 without the dead', slower, 'at most', 1.5, ' ×'),
      ],
      tables: [
        latencyTable(`event → endpoint, ${eventsPerSecond} events a second, ${endpoints} endpoints`, {
          'without dead ones': percentilesOf(merged(alone)),
          'beside 100 dead ones': percentilesOf(merged(beside)),
        }),
        usageTable('CPU and memory', meter.report()),
      ],
      figures: { rounds, seconds, alone: alone.map(percentilesOf), beside: beside.map(percentilesOf) },
    }
  },
}

async function addWebhook(api: ApiClient, org: number, name: string, url: string): Promise<void> {
  const wanted = { name, url, events: ['device.online'], orgId: idOf('org', org) }
  const { status, body } = await api.send('POST', 'webhooks', wanted)
  if (status !== 201) throw new Error(`a webhook was answered with ${status} ${JSON.stringify(body)}`)
}

/** Turns the dead webhooks on, or off and without what they have not delivered. */
async function setDead(owner: pg.Client, isOn: boolean): Promise<void> {
  await owner.query(`UPDATE webhooks SET status = $1 WHERE name = 'Dead'`, [isOn ? 'active' : 'disabled'])
  if (isOn) return
  const dead = `(SELECT 'webhook:' || id FROM webhooks WHERE name = 'Dead')`
  await owner.query(`DELETE FROM deliveries WHERE lane IN ${dead}`)
  await owner.query(
    `UPDATE delivery_lanes SET failures = 0, failing_since = NULL, not_before = '-infinity', due_at = 'infinity' WHERE lane IN ${dead}`,
  )
}

/** Stores events of the organizations in turn, at the rate. @returns the time of each, by id */
async function offer(owner: pg.Client, seconds: number): Promise<ReadonlyMap<string, number>> {
  const sent = new Map<string, number>()
  const startedAt = performance.now()
  const count = seconds * eventsPerSecond
  for (let done = 0; done < count; done += eventsAtOnce) {
    await pause(Math.max(0, startedAt + (done * 1000) / eventsPerSecond - performance.now()))
    const orgs = Array.from({ length: eventsAtOnce }, (_, index) => (done + index) % endpoints)
    const ids = orgs.map(() => randomUUID())
    await owner.query(
      `INSERT INTO events (id, type, partner_id, org_id, site_id, device_id, data)
       SELECT id, 'device.online', partner_id, org_id, site_id, device_id, '{"hostname": "bench"}'
       FROM unnest($1::uuid[], $2::uuid[], $3::uuid[], $4::uuid[], $5::uuid[]) AS e(id, partner_id, org_id, site_id, device_id)`,
      [
        ids,
        orgs.map((org) => idOf('partner', tenantOf(org).partner)),
        orgs.map((org) => idOf('org', org)),
        orgs.map((org) => idOf('site', org)),
        orgs.map((org) => idOf('device', org)),
      ],
    )
    const storedAt = Date.now()
    for (const id of ids) sent.set(id, storedAt)
  }
  return sent
}

/** Whether everything for the healthy has been delivered, and nothing waits for a follower. */
async function undelivered(owner: pg.Client): Promise<true | string> {
  const { rows } = await owner.query<{ open: string; unread: boolean }>(
    `SELECT (SELECT count(*) FROM deliveries d JOIN webhooks w ON d.lane = 'webhook:' || w.id
        WHERE w.name = 'Healthy' AND d.status IN ('pending', 'delivering')) AS open,
      EXISTS (SELECT FROM events e, event_cursors c WHERE c.follower = 'webhooks' AND (e.tx, e.seq) > (c.tx, c.seq)) AS unread`,
  )
  const [{ open, unread } = { open: '', unread: true }] = rows
  return open === '0' && !unread ? true : `${open} are open, events are unread: ${unread}`
}

/** Each event counts once, although a delivery may be repeated. */
function latencyOf({ received }: Receiver, sent: ReadonlyMap<string, number>): Histogram {
  const first = new Map<string, number>()
  for (const { body, atMs } of received) {
    const { id } = Body.parse(JSON.parse(body))
    if (!first.has(id)) first.set(id, atMs)
  }
  const missing = [...sent.keys()].filter((id) => !first.has(id))
  if (missing.length > 0) throw new Error(`${missing.length} of ${sent.size} events were not delivered`)
  const latency = new Histogram()
  for (const [id, storedAt] of sent) latency.record(1000 * ((first.get(id) ?? 0) - storedAt))
  return latency
}

function merged(all: readonly Histogram[]): Histogram {
  const sum = new Histogram()
  for (const each of all) sum.add(each.parts())
  return sum
}
