import type pg from 'pg'
import { z } from 'zod'
import type { ApiClient } from '../api-client.ts'
import { administrator, startBenchStack } from '../bench-stack.ts'
import { fleetTenants, idOf, tenantOf } from '../fleet-files.ts'
import { Generator } from '../generator/generator.ts'
import { clientOf } from '../people.ts'
import { bar, load, type Report, significant, usageTable } from '../report.ts'
import type { Run, Scenario } from '../scenario.ts'
import { UsageMeter, type UsageReport } from '../usage.ts'
import { pause, until } from '../waiting.ts'

const lengths = { full: 10_000, quick: 2_000 }
const maxConcurrency = 500
const commandMs = 1_000
const perIngest = 15_000
const connectMs = 200_000
const onlineMs = 60_000
const endMs = 120_000
const lookMs = 200
const Deployment = z.looseObject({
  id: z.string(),
  status: z.string(),
  reason: z.string().nullable(),
  counts: z.looseObject({ succeeded: z.number() }),
})

/** A deployment to a fleet that is online. Each agent works on its order for one second. */
export const deploy: Scenario = {
  summary: 'a deployment to 10,000 devices, one second each, 500 at once: time against the ideal, each once',
  secondsMax: 900,
  async run({ options, say, keep }: Run): Promise<Report> {
    const { agents = options.isQuick ? lengths.quick : lengths.full } = options
    const ingest = options.ingest ?? Math.ceil(agents / perIngest)
    const bench = keep(
      await startBenchStack({ agents, ingest, admin: 1, workers: options.workers, profile: options.profile, say }),
    )
    const { owner } = bench
    await moveToOnePartner(owner)
    const common = { folder: bench.fleetFolder, agents, sequencesMax: 1_000, target: bench.target }
    const fleet = keep(new Generator({ ...common, answersCommands: true, commandMs }))
    say(`${agents} agents connected in ${((await fleet.connect(connectMs)) / 1000).toFixed(1)} s`)
    await until('all devices to be online', onlineMs, async () => {
      const { rows } = await owner.query<{ n: string }>(
        `SELECT count(*) AS n FROM device_state WHERE status = 'online'`,
      )
      return Number(rows[0]?.n) === agents ? true : `${rows[0]?.n} of ${agents} are`
    })
    const api = keep(await clientOf(bench.stack.urls.admin, administrator))
    const id = await prepare(api, agents)
    await fleet.receipts()
    const meter = new UsageMeter({ ...bench.groups, generator: () => fleet.pids })
    const began = performance.now()
    await send(api, `deployments/${id}/start`)
    await until('the deployment to complete', endMs, async () => {
      await pause(lookMs)
      const { rows } = await owner.query<{ status: string }>('SELECT status FROM deployments WHERE id = $1', [id])
      return rows[0]?.status === 'completed' ? true : `it is ${rows[0]?.status}`
    })
    const tookMs = performance.now() - began
    const usage = meter.report()
    const { succeeded, commands } = await outcomeOf(owner, id)
    const firstAt = new Map<string, number>()
    for (const { id: command, atMicros } of await fleet.receipts())
      firstAt.set(command, Math.min(atMicros / 1_000, firstAt.get(command) ?? Infinity))
    const peak = mostAtOnce(commands.flatMap((command) => firstAt.get(command) ?? []))
    const ideal = (Math.ceil(agents / maxConcurrency) * commandMs) / 1_000
    say(
      `${agents} devices in ${(tookMs / 1000).toFixed(1)} s (ideal ${ideal} s), at most ${peak} at once, load ${load()}`,
    )
    return report({ agents, tookMs, ideal, peak, succeeded, commands: commands.length, usage })
  },
}

/** All devices go to one organization, because a deployment belongs to one partner. */
async function moveToOnePartner(owner: pg.Client): Promise<void> {
  const ids = [idOf('org', 0), idOf('partner', 0), idOf('site', 0)]
  await owner.query('DELETE FROM device_state')
  await owner.query('UPDATE devices SET org_id = $1, partner_id = $2, site_id = $3', ids)
  await owner.query(
    'INSERT INTO device_state (device_id, org_id, partner_id) SELECT id, org_id, partner_id FROM devices',
  )
  await owner.query('TRUNCATE deployments, device_commands, plan_reach CASCADE')
  await owner.query('VACUUM ANALYZE devices, device_state')
}

async function send(api: ApiClient, path: string, body?: object): Promise<z.infer<typeof Deployment>> {
  const { status, body: answer } = await api.send('POST', path, body ?? {})
  if (status >= 300) throw new Error(`${path} was answered with ${status} ${JSON.stringify(answer).slice(0, 300)}`)
  return Deployment.parse(answer)
}

/** @returns the id of a deployment that is ready */
async function prepare(api: ApiClient, agents: number): Promise<string> {
  const { partner } = tenantOf(0)
  const { id } = await send(api, 'deployments', {
    ...{ partnerId: idOf('partner', partner), orgId: idOf('org', 0), name: `To ${agents} of ${fleetTenants.orgs}` },
    order: { kind: 'command', type: 'run_script', payload: { script: 'sleep 1', language: 'sh' } },
    targets: { orgIds: [idOf('org', 0)] },
    strategy: { batches: [{ percent: 100 }], soakSeconds: 0, maxConcurrency },
  })
  await send(api, `deployments/${id}/initialize`)
  return id
}

async function outcomeOf(owner: pg.Client, id: string): Promise<{ succeeded: number; commands: string[] }> {
  const { rows } = await owner.query<{ succeeded: string }>(
    `SELECT count(*) AS succeeded FROM deployment_devices WHERE deployment_id = $1 AND status = 'succeeded' AND attempt = 1`,
    [id],
  )
  const commands = await owner.query<{ id: string }>(
    `SELECT id FROM device_commands WHERE origin->>'id' = $1 AND status = 'completed'`,
    [id],
  )
  return { succeeded: Number(rows[0]?.succeeded), commands: commands.rows.map((row) => row.id) }
}

/** How many agents worked at the same moment: each from the receipt of its order for the time that it takes. */
function mostAtOnce(receivedMs: readonly number[]): number {
  const begins = receivedMs.toSorted((one, other) => one - other)
  let [most, ended] = [0, 0]
  for (const [index, at] of begins.entries()) {
    while ((begins[ended] ?? Infinity) + commandMs <= at) ended++
    most = Math.max(most, index - ended + 1)
  }
  return most
}

interface Outcome {
  readonly agents: number
  readonly tookMs: number
  /** Seconds. */
  readonly ideal: number
  readonly peak: number
  readonly succeeded: number
  readonly commands: number
  readonly usage: UsageReport
}

function report({ usage, ...outcome }: Outcome): Report {
  const { agents, tookMs, ideal, peak, succeeded, commands } = outcome
  return {
    scenario: 'deploy',
    ratios: { 'of the ideal': significant(tookMs / 1_000 / ideal) },
    bars: [
      bar(`deployment to ${agents} devices, ideal ${ideal} s`, tookMs / 1_000, 'at most', 1.5 * ideal, ' s'),
      bar('devices at once', peak, 'at most', maxConcurrency),
      bar('devices that executed it', succeeded, 'at least', agents),
      bar('commands that were sent', commands, 'at most', agents),
    ],
    tables: [
      {
        title: `${agents} devices, one second each, ${maxConcurrency} at once`,
        head: ['', 'seconds'],
        rows: [
          ['ideal', ideal],
          ['measured', significant(tookMs / 1_000)],
        ],
      },
      usageTable('CPU and memory', usage),
    ],
    figures: { ...outcome, usage },
  }
}
