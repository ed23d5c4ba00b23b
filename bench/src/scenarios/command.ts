import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { makeEnrollmentKey, sessionOf } from '@muster/stack/local-agent.ts'
import { z } from 'zod'
import type { ApiClient } from '../api-client.ts'
import { administrator, startBenchStack } from '../bench-stack.ts'
import { Histogram, percentilesOf } from '../histogram.ts'
import { clientOf, tokenOf } from '../people.ts'
import { bar, latencyTable, load, type Report, usageTable } from '../report.ts'
import type { Run, Scenario } from '../scenario.ts'
import { UsageMeter } from '../usage.ts'
import { pause, until } from '../waiting.ts'

const lengths = { full: { count: 200 }, quick: { count: 40 } }
const everyMs = 100
const onlineMs = 60_000
const agentMain = fileURLToPath(new URL('../../../apps/agent/agent.mjs', import.meta.url))

/** Requests the process list of this machine from a real agent, as the console's task manager does. */
export const command: Scenario = {
  summary: 'the process list of this machine from a real agent through the API',
  secondsMax: 300,
  async run({ options, say, keep }: Run): Promise<Report> {
    const { count } = options.isQuick ? lengths.quick : lengths.full
    const bench = keep(await startBenchStack({ agents: 500, admin: 1, profile: options.profile, say }))
    const { admin, ingest } = bench.stack.urls
    const folder = await mkdtemp(join(tmpdir(), 'muster-bench-agent-'))
    keep({ stop: () => rm(folder, { recursive: true, force: true }) })
    const key = await makeEnrollmentKey(sessionOf(admin, await tokenOf(admin, administrator)), folder)
    const agent = await bench.stack.launch({
      name: 'agent',
      file: agentMain,
      args: ['--server', admin, '--ingest', ingest, '--data-dir', folder],
      env: { MUSTER_ENROLLMENT_KEY: key },
    })
    const api = keep(await clientOf(admin, administrator))
    const deviceId = await enrolledDevice(api, bench.owner)
    const path = `system-tools/devices/${deviceId}/processes`
    for (let warm = 0; warm < 10; warm++) await ask(api, path)
    const meter = new UsageMeter({ ...bench.groups, agent: () => (agent.pid === undefined ? [] : [agent.pid]) })
    const latency = new Histogram()
    for (let index = 0; index < count; index++) {
      latency.record(1000 * (await ask(api, path)))
      await pause(everyMs)
    }
    const times = percentilesOf(latency)
    say(`p50 ${times.p50} ms, p99 ${times.p99} ms, load ${load()}`)
    return {
      scenario: 'command',
      ratios: {},
      bars: [bar('process list of this machine through the API, p50', times.p50, 'at most', 60, ' ms')],
      tables: [
        latencyTable('process list of this machine', { 'request → answer': times }),
        usageTable('CPU and memory', meter.report()),
      ],
      figures: { count, times },
    }
  },
}

async function ask(api: ApiClient, path: string): Promise<number> {
  const { status, ms, body } = await api.send('GET', path)
  if (status !== 200) throw new Error(`${path} answered ${status} ${JSON.stringify(body).slice(0, 300)}`)
  return ms
}

async function enrolledDevice(api: ApiClient, owner: { query(text: string): Promise<{ rows: { id: string }[] }> }) {
  let id = ''
  await until('the agent of this machine to be online', onlineMs, async () => {
    const { rows } = await owner.query(
      `SELECT id FROM devices WHERE public_key IS NOT NULL ORDER BY enrolled_at DESC LIMIT 1`,
    )
    id = rows[0]?.id ?? ''
    if (id === '') return 'it has not enrolled'
    const { body } = await api.send('GET', `devices/${id}`)
    const status = z.looseObject({ status: z.string() }).safeParse(body)
    return status.data?.status === 'online' ? true : `it is ${status.data?.status}`
  })
  return id
}
