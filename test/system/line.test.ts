// The main path end to end: an agent enrolls, reports, is displayed and commanded. All processes are the real ones.
import { hostname } from 'node:os'
import type { DeviceEvent } from '@muster/areas/control/live/live.contract.ts'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { eventually } from './eventually.ts'
import { Fleet } from './fleet.ts'

describe('the main path', () => {
  let fleet: Fleet
  let tenant: Awaited<ReturnType<Fleet['tenant']>>
  beforeAll(async () => {
    fleet = await Fleet.start()
    tenant = await fleet.tenant()
  })
  afterAll(() => fleet?.stop())

  it('enrolls an agent and shows its inventory and state', async () => {
    await fleet.agent('agent-one', tenant.key)
    const device = await fleet.device(tenant.org.id, (one) => one.status === 'online' && one.memoryTotal > 0)
    expect(device).toMatchObject({ hostname: hostname(), osType: 'linux', siteId: tenant.site.id })
    for (const figure of ['cpuPercent', 'memoryUsed', 'diskUsed', 'diskTotal', 'uptimeSeconds'])
      expect(device[figure], figure).toBeTypeOf('number')
    expect(Date.now() - Date.parse(device.lastSeenAt)).toBeLessThan(120_000)
    const detail = await eventually(async () => {
      const found = await fleet.must('GET', `/devices/${device.id}`)
      return found.inventory !== null && found
    })
    expect(detail.inventory.hardware.cpuModel).toBeTypeOf('string')
  })

  it('runs a script on that machine and returns its result in the same request', async () => {
    const device = await fleet.device(tenant.org.id, (one) => one.status === 'online')
    const payload = { language: 'bash', script: 'hostname; echo trouble >&2; exit 3' }
    const command = await fleet.must('POST', `/devices/${device.id}/commands`, {
      type: 'run_script',
      payload,
      waitMs: 20_000,
    })
    expect(command).toMatchObject({ status: 'failed', exitCode: 3, stdout: `${hostname()}\n`, stderr: 'trouble\n' })
    const inventory = await fleet.must('POST', `/devices/${device.id}/commands`, {
      type: 'refresh_inventory',
      waitMs: 30_000,
    })
    expect(inventory.status).toBe('completed')
  })

  it('sends live events to users who may see them', async () => {
    const { org, key } = await fleet.tenant()
    const events: DeviceEvent[] = []
    const watching = fleet
      .client()
      .devices.live.events.subscribe({ orgIds: [org.id] }, { onData: (event) => events.push(event) })
    await eventually(async () => events.some((event) => event.type === 'resync'))
    const agent = await fleet.agent('agent-live', key)
    await eventually(async () => events.some((event) => event.type === 'device.status' && event.status === 'online'))
    await eventually(async () => events.some((event) => event.type === 'device.heartbeat'))
    await agent.process.stop()
    await eventually(async () => events.some((event) => event.type === 'device.status' && event.status === 'offline'))
    watching.unsubscribe()
  })

  it('queues a command for an offline device until it reconnects, and refuses a second refresh meanwhile', async () => {
    const { org, key } = await fleet.tenant()
    const agent = await fleet.agent('agent-away', key)
    const device = await fleet.device(org.id, (one) => one.status === 'online')
    await agent.process.stop()
    await fleet.device(org.id, (one) => one.status === 'offline')
    const script = await fleet.must('POST', `/devices/${device.id}/commands`, {
      type: 'run_script',
      payload: { language: 'sh', script: 'echo back' },
    })
    expect(script.status).toBe('pending')
    expect((await fleet.rest('POST', `/devices/${device.id}/commands`, { type: 'refresh_inventory' })).status).toBe(201)
    const second = await fleet.rest('POST', `/devices/${device.id}/commands`, { type: 'refresh_inventory' })
    expect([second.status, second.body.code]).toEqual([409, 'ALREADY_PENDING'])
    await fleet.agent('agent-away-2', key, agent.dataDir)
    const done = await eventually(async () => {
      const command = await fleet.must('GET', `/devices/${device.id}/commands/${script.id}`)
      return command.status === 'completed' && command
    })
    expect(done.stdout).toBe('back\n')
  })

  it('disconnects a decommissioned device and refuses its reconnect', async () => {
    const { org, key } = await fleet.tenant()
    await fleet.agent('agent-gone', key)
    const device = await fleet.device(org.id, (one) => one.status === 'online')
    expect(await fleet.must('DELETE', `/devices/${device.id}`)).toEqual({ success: true })
    await eventually(async () => (await fleet.must('GET', `/devices?orgIds=${org.id}`)).devices.length === 0)
    const state = await fleet.must('GET', `/devices?orgIds=${org.id}&includeDecommissioned=true`)
    expect(state.devices[0].status).toBe('decommissioned')
  })
})
