import type pg from 'pg'
import { administrator, startBenchStack } from '../bench-stack.ts'
import { idOf } from '../fleet-files.ts'
import { spreadStates } from '../fleet-states.ts'
import { Histogram, percentilesOf } from '../histogram.ts'
import { addTechnician, clientOf, technician } from '../people.ts'
import { bar, latencyTable, type Report, usageTable } from '../report.ts'
import type { Run, Scenario } from '../scenario.ts'
import { UsageMeter } from '../usage.ts'

const monitorCount = 5_000
/** Five outages of each monitor within the month. */
const spansPerMonitor = 10
const lengths = {
  full: { agents: 10_000, rounds: 100 },
  quick: { agents: 10_000, rounds: 12 },
}

const requests = (org: string) => ({
  'first page': 'monitors?limit=50',
  'a page far down': 'monitors?limit=50&page=90',
  'five hundred': 'monitors?limit=500',
  offline: 'monitors?limit=50&status=offline',
  'by type': 'monitors?limit=50&type=http,dns',
  'part of a name': 'monitors?limit=50&search=tor-12',
  'of one organization': `monitors?limit=50&orgId=${org}`,
  dashboard: 'monitors/dashboard',
})

/** Pages of monitors with a month of history, by an administrator and by a technician of one partner. */
export const monitors: Scenario = {
  summary: 'pages and the dashboard of 5,000 monitors with a month of history, while workers place their probes',
  secondsMax: 600,
  async run({ options, say, keep }: Run): Promise<Report> {
    const length = options.isQuick ? lengths.quick : lengths.full
    const { agents = length.agents, rounds = length.rounds } = options
    const bench = keep(
      await startBenchStack({ agents, admin: 1, workers: options.workers, profile: options.profile, say }),
    )
    await spreadStates(bench.owner)
    await seedMonitors(bench.owner)
    await addTechnician(bench.owner, idOf('partner', 0))
    const people = {
      whole: keep(await clientOf(bench.stack.urls.admin, administrator)),
      partner: keep(await clientOf(bench.stack.urls.admin, technician)),
    }
    const times = new Map<string, Histogram>()
    const [lists, dashboard] = [new Histogram(), new Histogram()]
    const meter = new UsageMeter(bench.groups)
    for (let round = 0; round < rounds + 2; round++)
      for (const [person, client] of Object.entries(people))
        for (const [name, path] of Object.entries(requests(idOf('org', 0)))) {
          const { status, ms, body } = await client.send('GET', path)
          if (status !== 200) throw new Error(`${path} answered ${status} ${JSON.stringify(body)}`)
          // The first two rounds warm up.
          if (round < 2) continue
          const key = `${name}, ${person === 'whole' ? 'all partners' : 'one partner'}`
          const own = times.get(key) ?? new Histogram()
          times.set(key, own)
          own.record(ms * 1000)
          if (name === 'dashboard') dashboard.record(ms * 1000)
          else lists.record(ms * 1000)
        }
    const latency = { lists: percentilesOf(lists), dashboard: percentilesOf(dashboard) }
    return {
      scenario: 'monitors',
      ratios: {},
      bars: [
        bar(`lists of ${monitorCount} monitors, p95`, latency.lists.p95, 'at most', 100, ' ms'),
        bar('their dashboard, p95', latency.dashboard.p95, 'at most', 100, ' ms'),
      ],
      tables: [
        latencyTable(`requests about ${monitorCount} monitors`, {
          ...Object.fromEntries([...times].map(([name, histogram]) => [name, percentilesOf(histogram)])),
          'all lists': latency.lists,
        }),
        usageTable('CPU and memory', meter.report()),
      ],
      figures: { agents, monitors: monitorCount, spans: monitorCount * spansPerMonitor, latency },
    }
  },
}

/** Monitors of all organizations, each with a probe and with spans over the last thirty days. */
async function seedMonitors(owner: pg.Client): Promise<void> {
  await owner.query('TRUNCATE monitors CASCADE')
  await owner.query(`UPDATE devices SET capabilities = repeat('+', 40)`)
  await owner.query(
    `INSERT INTO monitors (partner_id, org_id, site_id, name, type, target, config, interval_seconds, timeout_seconds, retries,
       probes, status, status_since, last_check_at, last_response_ms)
     SELECT o.partner_id, o.id, s.id, 'Monitor-' || n, (ARRAY['ping', 'tcp', 'http', 'dns'])[1 + n % 4], 'host-' || n || '.example',
       '{"port": 443}', 60, 5, 2, 1, CASE WHEN n % 50 = 0 THEN 'offline' WHEN n % 20 = 0 THEN 'degraded' ELSE 'online' END,
       now() - interval '1 hour', now(), n % 300
     FROM generate_series(1, $1) n
     JOIN (SELECT o.*, row_number() OVER (ORDER BY id) - 1 AS place, count(*) OVER () AS total FROM organizations o
       WHERE o.id IN (SELECT org_id FROM devices)) o ON o.place = n % o.total
     JOIN sites s ON s.org_id = o.id AND s.name = 'Main site'`,
    [monitorCount],
  )
  await owner.query(
    `INSERT INTO monitor_probes (monitor_id, device_id, partner_id, org_id, verdict, observed_at)
     SELECT m.id, d.id, m.partner_id, m.org_id, 'online', now() FROM monitors m CROSS JOIN LATERAL (
       SELECT d.id FROM devices d JOIN device_state s ON s.device_id = d.id
       WHERE d.org_id = m.org_id AND s.status = 'online' ORDER BY d.id LIMIT 1) d`,
  )
  await owner.query(
    `INSERT INTO monitor_spans (monitor_id, partner_id, org_id, status, reason, began_at, ended_at)
     SELECT m.id, m.partner_id, m.org_id, CASE WHEN n = 0 THEN m.status WHEN n % 2 = 0 THEN 'online' ELSE 'offline' END, NULL,
       now() - (n + 1) * interval '70 hours', CASE WHEN n > 0 THEN now() - n * interval '70 hours' END
     FROM monitors m, generate_series(0, $1 - 1) n`,
    [spansPerMonitor],
  )
  await owner.query('VACUUM ANALYZE monitors, monitor_probes, monitor_spans, devices')
}
