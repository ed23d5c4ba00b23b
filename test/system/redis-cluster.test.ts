// The processes as on two hosts, each with its own addresses, against one Redis Cluster, as in `docs/scaling.md`.
import { fileURLToPath } from 'node:url'
import { type OwnCluster, startOwnCluster } from '@muster/backplane/testing/redis-cluster.ts'
import { freePort } from '@muster/stack/ports.ts'
import type { ManagedProcess } from '@muster/stack/processes.ts'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { eventually } from './eventually.ts'
import { Fleet } from './fleet.ts'
import { Recorder } from './recorder.ts'

const agentsPerHost = 100
const hosts = ['127.0.2.1', '127.0.2.2'] as const
const mainOf = (app: string) => fileURLToPath(new URL(`../../apps/${app}/src/main.ts`, import.meta.url))

interface Host {
  readonly ingest: ManagedProcess
  readonly worker: ManagedProcess
  readonly agents: Recorder
}

/** Ends a process as the loss of its host would: without a drain and without a restart. */
async function lose(process: ManagedProcess): Promise<void> {
  process.kill('SIGSTOP')
  await process.stop(0)
}

async function startProcesses(fleet: Fleet, host: string, ingestPort: number) {
  const { urls, secretFiles } = fleet.stack.stores
  const common = { REDIS_URL: urls.redis, STREAM_SHARDS: '8' }
  const metrics = () => freePort().then(String)
  const worker = await fleet.stack.launch({
    name: `worker-of-${host}`,
    file: mainOf('worker'),
    env: {
      ...common,
      SYSTEM_DATABASE_URL: urls.system,
      KEYS_FILE: secretFiles.keysFile,
      METRICS_PORT: await metrics(),
    },
  })
  const ingest = await fleet.stack.launch({
    name: `ingest-of-${host}`,
    file: mainOf('ingest'),
    env: {
      ...common,
      INGEST_HOST: host,
      INGEST_PORT: String(ingestPort),
      DEVICE_KEYS_FILE: secretFiles.deviceKeysFile,
      METRICS_PORT: await metrics(),
    },
  })
  return { worker, ingest }
}

describe('two hosts with a Redis Cluster', () => {
  let cluster: OwnCluster
  let fleet: Fleet
  let tenant: Awaited<ReturnType<Fleet['tenant']>>
  const running: Host[] = []
  beforeAll(async () => {
    const ingestPort = await freePort()
    cluster = await startOwnCluster()
    fleet = await Fleet.start({
      redisUrl: cluster.address,
      workers: 0,
      ingest: 0,
      settings: { admin: { INGEST_PUBLIC_URL: `ws://${hosts[1]}:${ingestPort}/agent` } },
    })
    tenant = await fleet.tenant()
    const place = { orgId: tenant.org.id, partnerId: tenant.partner.id }
    const start = async (host: string): Promise<Host> => {
      const processes = await startProcesses(fleet, host, ingestPort)
      const url = `ws://${host}:${ingestPort}/agent`
      return { ...processes, agents: await Recorder.start(fleet.stack, agentsPerHost, place, url) }
    }
    running.push(...(await Promise.all(hosts.map(start))))
  })
  afterAll(async () => {
    for (const { agents } of running) agents.end()
    await fleet?.stop()
    await cluster?.stop()
  })
  /** Every agent has some heartbeats acknowledged, and every acknowledged one is stored once. */
  const beatAndSettle = async () => {
    const before = running.map(({ agents }) => agents.acknowledged)
    for (const { agents } of running) agents.beat(2)
    for (const [index, { agents }] of running.entries())
      await eventually(async () => agents.acknowledged > (before[index] ?? 0) + agentsPerHost * 4, 60_000)
    for (const { agents } of running) expect(await agents.settled()).toEqual({ lost: [], twice: [] })
  }
  const allOnline = async () => {
    for (const { agents } of running) await eventually(async () => (await agents.online()) === agentsPerHost, 60_000)
  }

  it('show every device online, and store every heartbeat of either host once', async () => {
    await allOnline()
    await beatAndSettle()
  })

  it('deliver a command to a device on the other host, and its live events', async () => {
    const { org, key } = await fleet.tenant()
    const told: string[] = []
    const watching = fleet
      .client()
      .devices.live.events.subscribe({ orgIds: [org.id] }, { onData: ({ type }) => told.push(type) })
    await eventually(async () => told.includes('resync'))
    await fleet.agent('agent-of-another-host', key)
    const device = await fleet.device(org.id, (one) => one.status === 'online')
    const command = await fleet.must('POST', `/devices/${device.id}/commands`, {
      type: 'run_script',
      payload: { language: 'sh', script: 'echo here' },
      waitMs: 20_000,
    })
    expect(command).toMatchObject({ status: 'completed', stdout: 'here\n' })
    await eventually(async () => told.includes('device.status') && told.includes('command.changed'))
    watching.unsubscribe()
  })

  it('take over the shards of a dead worker, and lose or duplicate nothing', async () => {
    for (const { agents } of running) agents.beat(2)
    if (running[0]) await lose(running[0].worker)
    await beatAndSettle()
  })

  it('keep storing heartbeats once when a replica replaces a dead master', async () => {
    await cluster.failOver()
    await beatAndSettle()
    await allOnline()
  })

  it('show the agents of a dead ingest process offline after its lease, and those of the other online', async () => {
    const [first, second] = running
    if (!first || !second) throw new Error('the test needs two hosts')
    await lose(first.ingest)
    await eventually(async () => (await first.agents.online()) === 0, 60_000)
    expect(await second.agents.online()).toBe(agentsPerHost)
    expect(second.agents.live).toBe(agentsPerHost)
  })
})
