// From the install script to the emergency stop: a real machine and real releases against a complete Muster.
import { execFile } from 'node:child_process'
import { readdir } from 'node:fs/promises'
import { join } from 'node:path'
import { promisify } from 'node:util'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { eventually } from './eventually.ts'
import { Fleet } from './fleet.ts'
import { ServiceManager } from './service-manager.ts'
import { faultyEntry } from './update-device.ts'
import { Workshop } from './workshop.ts'

const [first, second, broken] = ['1.0.0', '2.0.0', '3.0.0-exits.1']
const run = promisify(execFile)

let fleet: Fleet
let tenant: Awaited<ReturnType<Fleet['tenant']>>
let workshop: Workshop
/** A folder that stands for the machine's file system. */
let machine: string
let service: ServiceManager | undefined

/** The command line from console and API, with the key on its standard input. */
const script = async (key: string, ...args: string[]) => {
  const url = `${fleet.stack.urls.admin}/api/v1/agents/install.sh`
  const line = 'file=$(mktemp) && curl -fsSL "$0" -o "$file" && sh "$file" "$@"'
  const running = run('sh', ['-c', line, url, ...args, '--root', machine])
  running.child.stdin?.end(`${key}\n`)
  return (await running).stdout
}

const theDevice = (
  until: (device: { status: string; agentVersion: string; watchdogStatus: string | null }) => boolean,
) => fleet.device(tenant.org.id, until, 60_000)

beforeAll(async () => {
  fleet = await Fleet.start()
  tenant = await fleet.tenant()
  workshop = await Workshop.open(fleet)
  machine = await fleet.folder()
  await workshop.publish(first)
}, 180_000)
afterAll(async () => {
  await service?.stop()
  await workshop?.close()
  await fleet?.stop()
})

describe('a machine from its installation on', () => {
  it('is installed by the script of its server, enrolls and goes online', async () => {
    expect(await script(tenant.key)).toContain(`version ${first} is installed`)
    const installed = join(machine, 'opt/muster')
    service = new ServiceManager({
      first: join(installed, 'muster-agent.watchdog'),
      again: join(installed, 'muster-agent.watchdog'),
      args: ['watchdog', '--server', fleet.stack.urls.admin, '--data-dir', join(machine, 'var/lib/muster-agent')],
    })
    const device = await theDevice(({ status, agentVersion }) => status === 'online' && agentVersion === first)
    expect(device).toMatchObject({ siteId: tenant.site.id, osType: 'linux' })
    const guarded = await theDevice(({ watchdogStatus }) => watchdogStatus === 'connected')
    expect(guarded.mainAgentSilentSince).toBeNull()
  })

  it('gets no offer during an emergency stop', async () => {
    const { id } = await theDevice(() => true)
    await workshop.publish(second)
    await fleet.must('POST', '/agent-updates/stop', { reason: 'A drill' })
    const { createdAt } = await workshop.rollOut(second)
    expect(await fleet.must('GET', `/devices/${id}/agent-update`)).toMatchObject({ hold: 'stopped', target: second })
    // Twice the interval of the worker.
    await eventually(async () => Date.now() - Date.parse(createdAt) > 5_000)
    expect(await fleet.must('GET', `/devices/${id}/agent-update`)).toMatchObject({ hold: 'stopped', offers: 0 })
  })

  it('updates ring by ring once the stop is lifted: updating, then online with the new version', async () => {
    const { id } = await theDevice(() => true)
    const watched: string[] = []
    const watching = fleet
      .client()
      .devices.live.events.subscribe(
        { orgIds: [tenant.org.id] },
        { onData: (event) => event.type === 'device.status' && watched.push(event.status) },
      )
    await fleet.must('POST', '/agent-updates/allow')
    const device = await theDevice(({ status, agentVersion }) => status === 'online' && agentVersion === second)
    expect(device.id).toBe(id)
    await eventually(async () => watched.includes('updating') && watched.at(-1) === 'online')
    expect(watched).not.toContain('offline')
    watching.unsubscribe()
    const done = await eventually(async () => {
      const { data } = await fleet.must('GET', '/agent-rollouts')
      return data[0].state === 'completed' && fleet.must('GET', `/agent-rollouts/${data[0].id}`)
    })
    expect(done).toMatchObject({ stage: 2, devices: { offered: 1, succeeded: 1, failed: 0 } })
  })

  it('rolls back a version that does not start, reports why, and is not offered it again', async () => {
    const { id } = await theDevice(() => true)
    await workshop.publish(broken, faultyEntry)
    const rollout = await workshop.rollOut(broken)
    const update = await eventually(async () => {
      const now = await fleet.must('GET', `/devices/${id}/agent-update`)
      return now.hold === 'rolled_back' && now
    }, 90_000)
    expect(update).toMatchObject({ reason: 'did_not_start', barred: [broken], target: broken })
    expect(update.why).toMatch(/^The agent went back to the version before: /)
    await theDevice(
      ({ status, agentVersion, watchdogStatus }) =>
        status === 'online' && agentVersion === second && watchdogStatus === 'failover',
    )
    const halted = await eventually(async () => {
      const now = await fleet.must('GET', `/agent-rollouts/${rollout.id}`)
      return now.state === 'halted' && now
    })
    expect(halted.reason).toBe('1 of 1 devices failed to update')
    const stuck = await fleet.must('GET', '/agent-updates/stuck')
    expect(stuck.data.map((one: { deviceId: string }) => one.deviceId)).toContain(id)
    await fleet.must('POST', `/agent-rollouts/${rollout.id}/cancel`)
  })

  it('has no files of the agent after uninstalling', async () => {
    await service?.stop()
    expect(await script('', '--uninstall', '--purge')).toContain('removed, with its identity')
    const left = await readdir(machine, { recursive: true, withFileTypes: true })
    expect(left.filter((entry) => !entry.isDirectory() || entry.name.includes('muster'))).toEqual([])
  })
})
