// Deployments over 200 simulated machines with real processes: they stop themselves, and survive the death of workers.
import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { DemoAgent } from '@muster/demo/agent.ts'
import { enrollAll } from '@muster/demo/enrollment.ts'
import { machineOf } from '@muster/demo/machine.ts'
import { placeOf } from '@muster/demo/places.ts'
import { Roster } from '@muster/demo/roster.ts'
import type { ManagedProcess } from '@muster/stack/processes.ts'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { eventually } from './eventually.ts'
import { Fleet } from './fleet.ts'

const size = 200
const maxConcurrency = 40
/** Machines that stay connected and have the shell of the script. */
const isSteady = (index: number): boolean => {
  const { behavior, platform } = machineOf(index)
  return behavior === 'steady' && platform.osType !== 'windows'
}
const machines = Array.from({ length: 20 * size }, (_, index) => index)
  .filter(isSteady)
  .slice(0, size)

interface Device {
  readonly deviceId: string
  readonly hostname: string
  readonly batch: number
  readonly status: string
  readonly attempt: number
  readonly commandId: string | null
}

describe('a deployment', () => {
  let fleet: Fleet
  let folder: string
  let orgId: string
  const agents: DemoAgent[] = []
  beforeAll(async () => {
    folder = await mkdtemp(join(tmpdir(), 'muster-deployments-'))
    fleet = await Fleet.start({ workers: 2 })
    const { org, key } = await fleet.tenant()
    orgId = org.id
    const roster = await Roster.open(folder)
    const connect = (index: number) => {
      const agent = new DemoAgent(index, fleet.stack.urls.ingest, roster)
      agents.push(agent)
      agent.connect()
    }
    const keys = new Map(machines.map((index) => [placeOf(index), key]))
    await enrollAll({ server: fleet.stack.urls.admin, machines, keys, roster, enrolled: connect })
    await eventually(async () => {
      const { total } = await fleet.must('GET', `/devices?orgIds=${orgId}&status=online&limit=1&includeTotal=true`)
      return total === size
    }, 90_000)
  })
  afterAll(async () => {
    for (const agent of agents) agent.stop()
    await fleet?.stop()
    await rm(folder, { recursive: true, force: true })
  })

  const devicesOf = async (id: string): Promise<Device[]> => {
    const pages = await Promise.all(
      [1, 2].map((page) => fleet.must('GET', `/deployments/${id}/devices?limit=100&page=${page}`)),
    )
    return pages.flatMap(({ data }) => data)
  }
  /** @param failing the host names on which the script fails */
  const started = async (strategy: object, failing: readonly string[]): Promise<string> => {
    const { id } = await fleet.must('POST', '/deployments', {
      ...{ orgId, name: 'Staged', targets: { orgIds: [orgId] } },
      strategy: { soakSeconds: 0, maxConcurrency, ...strategy },
      order: {
        kind: 'command',
        type: 'run_script',
        payload: { script: `# simulated failure: ${failing.join(' ')}`, language: 'sh' },
      },
    })
    await fleet.must('POST', `/deployments/${id}/initialize`, {})
    await fleet.must('POST', `/deployments/${id}/start`, {})
    return id
  }
  const scriptsOf = async (deviceId: string, deploymentId: string): Promise<number> => {
    const { data } = await fleet.must('GET', `/devices/${deviceId}/commands?type=run_script&limit=100`)
    return data.filter(({ batchId }: { batchId: string | null }) => batchId === deploymentId).length
  }

  it('stops when 5 percent of 200 agents fail, and touches no device of a later batch', async () => {
    const { devices } = await fleet.must('GET', `/devices?orgIds=${orgId}&limit=100&sort=hostname`)
    const failing = devices.slice(0, size / 20).map(({ hostname }: Device) => hostname)
    const id = await started(
      { batches: [{ percent: 10 }, { percent: 50 }, { percent: 100 }], maxErrors: { count: 0 } },
      failing,
    )
    await eventually(async () => (await fleet.must('GET', `/deployments/${id}`)).status === 'halted', 60_000)
    await eventually(async () => {
      const { counts } = await fleet.must('GET', `/deployments/${id}`)
      return counts.queued + counts.running === 0
    })
    const { currentBatch, counts, batches } = await fleet.must('GET', `/deployments/${id}`)
    expect(currentBatch).toBeLessThan(3)
    expect(counts.failed).toBeGreaterThan(0)
    const later = (await devicesOf(id)).filter(({ batch }) => batch > currentBatch)
    expect(later.length).toBeGreaterThan(0)
    expect(
      later.every(({ status, attempt, commandId }) => status === 'pending' && attempt === 0 && commandId === null),
    ).toBe(true)
    for (const { deviceId } of later.slice(0, 10)) expect(await scriptsOf(deviceId, id)).toBe(0)
    expect(batches.slice(currentBatch).every(({ beganAt }: { beganAt: string | null }) => beganAt === null)).toBe(true)
  })

  it('sends the order once to each device while workers are killed, and never to more than it may at once', async () => {
    const id = await started({ batches: [{ percent: 10 }, { percent: 50 }, { percent: 100 }] }, [])
    let most = 0
    let kills = 0
    const isDone = async () => {
      const { status, counts } = await fleet.must('GET', `/deployments/${id}`)
      most = Math.max(most, counts.queued + counts.running)
      return status === 'completed' && counts
    }
    const killing = (async () => {
      for (; kills < 3; kills++) {
        await eventually(
          async () => (await fleet.must('GET', `/deployments/${id}`)).counts.succeeded >= kills * 50,
          90_000,
        )
        await killed(fleet.stack.workers[kills % 2])
      }
    })()
    const counts = await eventually(isDone, 150_000)
    await killing
    expect(counts).toMatchObject({ total: size, succeeded: size, failed: 0 })
    expect(most).toBeLessThanOrEqual(maxConcurrency)
    const devices = await devicesOf(id)
    expect(devices.every(({ attempt }) => attempt === 1)).toBe(true)
    const { total } = await fleet.must('GET', `/devices/bulk/commands/${id}`)
    expect(total).toBe(size)
  })

  const killed = async (process: ManagedProcess | undefined) => {
    if (process === undefined) throw new Error('the stack has no such process')
    const before = process.pid
    process.kill('SIGKILL')
    await eventually(async () => process.pid !== before)
    await process.ready
  }
})
