// Monitors end to end: an agent checks a server of this test, once on request and again and again on its own.
import { once } from 'node:events'
import { createServer, type Server } from 'node:net'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { eventually } from './eventually.ts'
import { Fleet } from './fleet.ts'

async function listening(port: number, connected: () => void): Promise<{ server: Server; port: number }> {
  const server = createServer((socket) => {
    connected()
    socket.on('error', () => {}).resume()
  }).listen(port, '127.0.0.1')
  await once(server, 'listening')
  const address = server.address()
  if (address === null || typeof address === 'string') throw new Error('the server has no port')
  return { server, port: address.port }
}

async function close(server: Server): Promise<void> {
  server.close()
  await once(server, 'close')
}

describe('a monitor that one agent checks', () => {
  let fleet: Fleet
  let orgId: string
  let siteId: string
  let deviceId: string
  let monitorId: string
  let target: Awaited<ReturnType<typeof listening>>
  let connections = 0
  const connected = () => {
    connections++
  }

  beforeAll(async () => {
    target = await listening(0, connected)
    fleet = await Fleet.start()
    const { org, site, key } = await fleet.tenant()
    orgId = org.id
    siteId = site.id
    await fleet.agent('agent-monitors', key)
    const device = await fleet.device(orgId, ({ status }) => status === 'online')
    deviceId = device.id
  })
  afterAll(async () => {
    await fleet?.stop()
    target.server.close()
  })

  const becomes = (status: string) =>
    eventually(async () => {
      const monitor = await fleet.must('GET', `/monitors/${monitorId}`)
      return monitor.status === status && monitor
    })
  const results = async () => (await fleet.must('GET', `/monitors/${monitorId}/results`)).data
  const alerts = async () => (await fleet.must('GET', `/alerts?orgId=${orgId}&source=monitor`)).data

  it('becomes online after the first round', async () => {
    const created = await fleet.must('POST', '/monitors', {
      orgId,
      siteId,
      deviceId,
      name: 'Local',
      type: 'tcp',
      target: '127.0.0.1',
      config: { port: target.port },
      retries: 1,
      // One round alone, so that the next test knows which results are stored.
      intervalSeconds: 86_400,
    })
    monitorId = created.id
    expect(created).toMatchObject({ status: 'unknown', statusReason: 'not_checked' })
    const monitor = await becomes('online')
    expect(monitor).toMatchObject({ assignedDeviceIds: [deviceId], lastResponseMs: expect.any(Number) })
    expect(connections).toBe(1)
    expect(await results()).toMatchObject([{ deviceId, state: 'ok', rounds: 1, failed: 0, reason: null }])
  })

  it('stores what /check finds, and nothing of what /test finds', async () => {
    const checked = await fleet.must('POST', `/monitors/${monitorId}/check`, {})
    expect(checked.results).toEqual([{ deviceId, state: 'ok', responseMs: expect.any(Number), error: null }])
    expect(connections).toBe(2)
    expect(await results()).toMatchObject([{ state: 'ok' }, { deviceId, state: 'ok', rounds: 1 }])

    const before = await fleet.must('GET', `/monitors/${monitorId}`)
    const unused = await listening(0, () => {})
    await close(unused.server)
    const failing = await fleet.must('POST', `/monitors/${monitorId}/test`, { config: { port: unused.port } })
    expect(failing.results).toEqual([
      { deviceId, state: 'failed', responseMs: null, error: expect.stringContaining('ECONNREFUSED') },
    ])
    const tested = await fleet.must('POST', `/monitors/${monitorId}/test`, {})
    expect(tested.results).toMatchObject([{ deviceId, state: 'ok' }])
    expect(await results()).toHaveLength(2)
    expect(await fleet.must('GET', `/monitors/${monitorId}`)).toEqual(before)
  })

  it('is offline after retries + 1 failing rounds with one alert, and online again after one good round', async () => {
    const seen = connections
    await fleet.must('PATCH', `/monitors/${monitorId}`, { intervalSeconds: 10 })
    await eventually(async () => connections >= seen + 2)
    await close(target.server)
    const offline = await becomes('offline')
    expect(offline.statusReason).toContain('ECONNREFUSED')
    const failed = (await results()).filter(({ state }: { state: string }) => state === 'failed')
    expect(failed.map((result: { failed: number }) => result.failed)).toEqual([1, 1])
    const opened = await alerts()
    expect(opened).toMatchObject([
      { source: 'monitor', monitorId, siteId, status: 'active', severity: 'high', title: 'Local is offline' },
    ])

    target = await listening(target.port, connected)
    await becomes('online')
    expect(await alerts()).toMatchObject([{ id: opened[0].id, status: 'resolved', resolution: 'auto', occurrences: 1 }])
  })
})
