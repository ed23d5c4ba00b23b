import type pg from 'pg'
import type { ApiClient } from '../api-client.ts'
import { administrator, startBenchStack } from '../bench-stack.ts'
import { fleetTenants, idOf } from '../fleet-files.ts'
import { Histogram, percentilesOf } from '../histogram.ts'
import { clientOf } from '../people.ts'
import { bar, latencyTable, load, type Report, significant, usageTable } from '../report.ts'
import type { Run, Scenario } from '../scenario.ts'
import { UsageMeter } from '../usage.ts'
import { pause, until } from '../waiting.ts'

const lengths = { full: { seconds: 30 }, quick: { seconds: 3 } }
const agentsUsual = 50_000
const groupCount = 500
const changesPerSecond = 1_000
const changesAtOnce = 50
const atOnce = 8
const followedMs = 60_000
const tag = 'bench'

/** For each organization: devices with the tag, with the tag and a name, and in every second one with a nearly full disk. */
const filters = [
  { field: 'tags', op: 'hasAny', value: [tag] },
  {
    all: [
      { field: 'tags', op: 'hasAny', value: [tag] },
      { field: 'hostname', op: 'contains', value: 'host-1' },
    ],
  },
  { field: 'diskPercent', op: 'moreThan', value: 90 },
]

/** Devices change, and their tag-based groups follow: from the commit of the change to that of the membership. */
export const groups: Scenario = {
  summary: '1,000 device changes a second, 500 dynamic groups over 50,000 devices: how far the memberships lag behind',
  secondsMax: 600,
  async run({ options, say, keep }: Run): Promise<Report> {
    const { seconds: usual } = options.isQuick ? lengths.quick : lengths.full
    const { agents = agentsUsual, seconds = usual, rate = changesPerSecond } = options
    const bench = keep(
      await startBenchStack({ agents, admin: 1, workers: options.workers, profile: options.profile, say }),
    )
    const { owner } = bench
    const api = keep(await clientOf(bench.stack.urls.admin, administrator))
    await makeGroups(api, owner)
    // No device has the tag yet, and the work after creating the groups is finished.
    await pause(3_000)
    const count = Math.min(agents, Math.round(rate * seconds))
    const meter = new UsageMeter(bench.groups)
    const tookMs = await changeDevices(owner, count, rate)
    await until('the memberships to follow', followedMs, async () => {
      const missing = await unfollowed(owner)
      return missing === 0 ? true : `${missing} are missing`
    })
    const usage = meter.report()
    const lag = await lagOf(owner)
    const perSecond = count / (tookMs / 1000)
    say(`${Math.round(perSecond)} changes/s, lag p99 ${lag.p99} ms, load ${load()}`)
    return {
      scenario: 'groups',
      ratios: {},
      bars: [
        bar(
          `membership behind the change, ${groupCount} groups over ${agents} devices, p99`,
          lag.p99,
          'at most',
          5_000,
          ' ms',
        ),
        bar('device changes per second', perSecond, 'at least', rate * 0.95),
      ],
      tables: [
        latencyTable(`${count} changes, ${significant(perSecond)} a second`, { 'change → membership': lag }),
        usageTable('CPU and memory', usage),
      ],
      figures: { agents, groups: groupCount, count, perSecond, lag },
    }
  },
}

async function makeGroups(api: ApiClient, owner: pg.Client): Promise<void> {
  const { rows } = await owner.query<{ id: string }>('SELECT id FROM organizations WHERE id = ANY ($1)', [
    Array.from({ length: fleetTenants.orgs }, (_, org) => idOf('org', org)),
  ])
  const wanted = filters.flatMap((filter, kind) =>
    rows.map(({ id: orgId }) => ({ orgId, name: `Group ${kind}`, filter })),
  )
  const left = wanted.slice(0, groupCount)
  const work = async () => {
    for (let next = left.pop(); next !== undefined; next = left.pop()) {
      const { status, body } = await api.send('POST', 'groups', next)
      if (status !== 201) throw new Error(`a group was answered with ${status} ${JSON.stringify(body)}`)
    }
  }
  await Promise.all(Array.from({ length: atOnce }, work))
}

/** Tags devices, each once, at a fixed rate. Returns the duration. */
async function changeDevices(owner: pg.Client, count: number, rate: number): Promise<number> {
  const startedAt = performance.now()
  for (let done = 0; done < count; done += changesAtOnce) {
    await pause(Math.max(0, startedAt + (done * 1000) / rate - performance.now()))
    const ids = Array.from({ length: Math.min(changesAtOnce, count - done) }, (_, index) =>
      idOf('device', done + index),
    )
    await owner.query(`UPDATE devices SET tags = ARRAY[$2], updated_at = now() WHERE id = ANY ($1::uuid[])`, [ids, tag])
  }
  return performance.now() - startedAt
}

async function unfollowed(owner: pg.Client): Promise<number> {
  const { rows } = await owner.query<{ missing: string }>(
    `SELECT count(*) AS missing FROM devices d JOIN device_groups g ON g.org_id = d.org_id AND g.name = 'Group 0'
     WHERE d.tags @> ARRAY[$1] AND NOT EXISTS (SELECT FROM device_group_members m WHERE m.group_id = g.id AND m.device_id = d.id)`,
    [tag],
  )
  return Number(rows[0]?.missing ?? 0)
}

/** From PostgreSQL's own commit timestamps. */
async function lagOf(owner: pg.Client) {
  const { rows } = await owner.query<{ micros: string }>(
    `SELECT extract(epoch FROM pg_xact_commit_timestamp(m.xmin) - pg_xact_commit_timestamp(d.xmin)) * 1e6 AS micros
     FROM device_group_members m JOIN devices d ON d.id = m.device_id WHERE d.tags @> ARRAY[$1]`,
    [tag],
  )
  const lag = new Histogram()
  for (const { micros } of rows) lag.record(Math.max(0, Number(micros)))
  return percentilesOf(lag)
}
