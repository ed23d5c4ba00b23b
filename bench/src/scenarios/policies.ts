import type pg from 'pg'
import type { ApiClient } from '../api-client.ts'
import { administrator, startBenchStack } from '../bench-stack.ts'
import { idOf } from '../fleet-files.ts'
import { Histogram, type Percentiles, percentilesOf } from '../histogram.ts'
import { clientOf } from '../people.ts'
import { changeDevices, evaluatedWith, evaluationLags, makePolicies, seedPolicyFleet } from '../policy-fleet.ts'
import { bar, latencyTable, load, type Report, significant, usageTable } from '../report.ts'
import type { Run, Scenario } from '../scenario.ts'
import { UsageMeter, type UsageReport } from '../usage.ts'
import { pause, until } from '../waiting.ts'

const lengths = {
  full: { agents: 50_000, policies: 500, seconds: 30, pages: 20 },
  quick: { agents: 5_000, policies: 100, seconds: 4, pages: 5 },
}
const changesPerSecond = 1_000
const changesAtOnce = 50
const lookMs = 200
const firstMs = 900_000
const followedMs = 120_000

/** Devices change, and the results of their policies follow; then a policy is added that all of them get. */
export const policies: Scenario = {
  summary: '1,000 device changes a second under 500 policies over 50,000 devices, and a new policy over all of them',
  secondsMax: 2_400,
  async run({ options, say, keep }: Run): Promise<Report> {
    const length = options.isQuick ? lengths.quick : lengths.full
    const { agents = length.agents, seconds = length.seconds, rate = changesPerSecond } = options
    const bench = keep(
      await startBenchStack({ agents, admin: 1, workers: options.workers, profile: options.profile, say }),
    )
    const { owner } = bench
    const api = keep(await clientOf(bench.stack.urls.admin, administrator))
    await seedPolicyFleet(owner, agents)
    const ids = await makePolicies(api, length.policies)
    const last = ids.at(-1) ?? ''
    const first = await firstEvaluation(owner, ids.slice(0, -1), agents)
    say(`${agents} devices were evaluated with ${ids.length - 1} policies in ${(first / 1000).toFixed(1)} s`)
    const violating = await violatingShare(owner, agents * (ids.length - 1))

    const meter = new UsageMeter(bench.groups)
    const changed = Array.from({ length: Math.min(agents, Math.round(rate * seconds)) }, (_, index) =>
      idOf('device', index),
    )
    const perSecond = await change(owner, changed, rate)
    await until('the results to follow', followedMs, () => evaluated(owner))
    const usage = meter.report()
    const lags = new Histogram()
    for (const micros of await evaluationLags(owner, changed)) lags.record(micros)
    const lag = percentilesOf(lags)
    say(`${Math.round(perSecond)} changes/s, lag p99 ${lag.p99} ms, load ${load()}`)

    const added = await newPolicy(owner, api, last, agents)
    say(`a new policy over ${agents} devices took ${(added / 1000).toFixed(1)} s`)
    const pages = await readPages(api, last, length.pages)
    return report({ agents, policies: ids.length, violating, first, lag, perSecond, rate, usage, added, pages })
  },
}

interface Outcome {
  readonly agents: number
  readonly policies: number
  readonly violating: number
  readonly first: number
  readonly lag: Percentiles
  readonly perSecond: number
  readonly rate: number
  readonly usage: UsageReport
  readonly added: number
  readonly pages: Readonly<Record<string, Percentiles>>
}

function report({ usage, ...outcome }: Outcome): Report {
  const { agents, policies: count, violating, first, lag, perSecond, rate, added, pages } = outcome
  const { cpuPercent = 0, memoryMiB = 0 } = usage.groups.worker ?? {}
  return {
    scenario: 'policies',
    ratios: {},
    bars: [
      bar(`change → result, ${count} policies × ${agents} devices, p99`, lag.p99, 'at most', 5_000, ' ms'),
      bar('device changes per second', perSecond, 'at least', rate * 0.95),
      bar('CPU of the worker meanwhile', cpuPercent, 'at most', 100, ' % of a core'),
      bar('its memory', memoryMiB, 'at most', 1_024, ' MiB'),
      bar('a new policy over all devices', added, 'at most', 10_000, ' ms'),
    ],
    tables: [
      latencyTable(
        `${lag.count} changes, ${significant(perSecond)} a second, ${significant(100 * violating)} % violating`,
        {
          'change → result': lag,
        },
      ),
      {
        title: 'all devices',
        head: ['', 'ms'],
        rows: [
          [`${count - 1} policies at once`, first],
          ['one more policy', added],
        ],
      },
      latencyTable('pages', pages),
      usageTable('CPU and memory during the changes', usage),
    ],
    figures: { ...outcome, usage },
  }
}

/** True once nothing waits for an evaluation. */
async function evaluated(owner: pg.Client): Promise<true | string> {
  await pause(lookMs)
  const { rows } = await owner.query<{ waiting: string }>(
    `SELECT (SELECT count(*) FROM device_changes) + (SELECT count(*) FROM device_policy_marks) + (SELECT count(*) FROM device_policies WHERE revision <> queued_revision) AS waiting`,
  )
  return rows[0]?.waiting === '0' ? true : `${rows[0]?.waiting} are waiting`
}

async function untilAllHave(owner: pg.Client, policies: number | string, devices: number, withinMs: number) {
  await until('the evaluation of all devices', withinMs, async () => {
    await pause(lookMs)
    const count = await evaluatedWith(owner, policies)
    return count === devices ? true : `${count} of ${devices}`
  })
}

/** Activates policies together. @returns how long it took until all devices were evaluated with them, in milliseconds */
async function firstEvaluation(owner: pg.Client, ids: readonly string[], devices: number): Promise<number> {
  const startedAt = performance.now()
  await owner.query(
    `UPDATE device_policies SET status = 'active', revision = revision + 1 WHERE id = ANY ($1::uuid[])`,
    [ids],
  )
  await untilAllHave(owner, ids.length, devices, firstMs)
  const tookMs = performance.now() - startedAt
  await until('the first evaluation', firstMs, () => evaluated(owner))
  await owner.query('VACUUM ANALYZE device_policy_results, device_policy_states, device_policy_transitions, events')
  return Math.round(tookMs)
}

async function violatingShare(owner: pg.Client, pairs: number): Promise<number> {
  const { rows } = await owner.query<{ count: string }>(
    `SELECT count(*) AS count FROM device_policy_results WHERE status = 'non_compliant'`,
  )
  return Number(rows[0]?.count ?? 0) / pairs
}

/** Changes each device once, at a fixed rate. @returns the changes per second */
async function change(owner: pg.Client, ids: readonly string[], rate: number): Promise<number> {
  const startedAt = performance.now()
  for (let done = 0; done < ids.length; done += changesAtOnce) {
    await pause(Math.max(0, startedAt + (done * 1000) / rate - performance.now()))
    await changeDevices(owner, done / changesAtOnce, ids.slice(done, done + changesAtOnce))
  }
  return (ids.length * 1000) / (performance.now() - startedAt)
}

/** @returns the milliseconds from the request until all devices were evaluated with the policy */
async function newPolicy(owner: pg.Client, api: ApiClient, id: string, devices: number): Promise<number> {
  const startedAt = performance.now()
  const { status, body } = await api.send('POST', `policies/${id}/activate`)
  if (status !== 200) throw new Error(`the activation was answered with ${status} ${JSON.stringify(body)}`)
  await untilAllHave(owner, id, devices, followedMs)
  return Math.round(performance.now() - startedAt)
}

async function readPages(api: ApiClient, id: string, rounds: number): Promise<Record<string, Percentiles>> {
  const paths = {
    'policies with counts': 'policies?limit=50',
    'one policy': `policies/${id}`,
    'devices of a policy': `policies/${id}/compliance?limit=50`,
    'those that violate it': `policies/${id}/compliance?limit=50&status=non_compliant`,
    'part of a name': `policies/${id}/compliance?limit=50&search=host-12`,
    transitions: `policies/${id}/transitions?limit=50`,
    stats: 'policies/compliance/stats',
    summary: 'policies/compliance/summary',
    'policies of a device': `devices/${idOf('device', 7)}/policies`,
  }
  const found: Record<string, Percentiles> = {}
  for (const [name, path] of Object.entries(paths)) {
    const times = new Histogram()
    for (let round = 0; round <= rounds; round++) {
      const { status, ms, body } = await api.send('GET', path)
      if (status !== 200) throw new Error(`${path} answered ${status} ${JSON.stringify(body)}`)
      // The first one warms up.
      if (round > 0) times.record(ms * 1000)
    }
    found[name] = percentilesOf(times)
  }
  return found
}
