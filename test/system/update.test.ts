// Agents that replace themselves: real executables, a real watchdog, signed releases, and a fake server.
import { existsSync } from 'node:fs'
import { afterAll, beforeAll, describe, expect, it, vi } from 'vitest'
import { Device, Releases } from './update-device.ts'
import { cutOff } from './update-kills.ts'

vi.setConfig({ testTimeout: 300_000, hookTimeout: 300_000 })

const faults = ['exits', 'hangs', 'deaf', 'mute'] as const
const faulty = (fault: string) => `3.0.0-${fault}.1`
/** Long enough for a busy machine; the faulty versions use all of it. */
const confirmSeconds = 15

let releases: Releases
beforeAll(async () => {
  releases = await Releases.build(['1.0.0', '2.0.0', ...faults.map(faulty)])
})
afterAll(() => releases?.remove())

describe('an agent with an offer of a newer version', () => {
  it('runs it within a minute, keeps the old one, and its watchdog follows', async () => {
    const device = await Device.start(releases, '1.0.0')
    try {
      device.offer('2.0.0')
      expect(await device.status('2.0.0', 'confirmed', 'rolled_back', 'refused')).toMatchObject({
        ...{ state: 'confirmed', fromVersion: '1.0.0', barred: [] },
      })
      expect(device.version).toBe('2.0.0')
      const { server } = device
      await server.until(() => server.watchdogHellos.at(-1)?.agentVersion === '2.0.0')
      expect(device.statuses.map(({ state }) => state)).toEqual([
        ...['downloading', 'verifying', 'installing', 'restarting', 'confirmed'],
      ])
      expect(existsSync(device.path('muster-agent.previous'))).toBe(true)
      // The same device as before, with the certificate that it had.
      expect(server.enrollments).toHaveLength(1)

      device.offer('1.0.0')
      expect(await device.status('1.0.0', 'refused')).toMatchObject({ reason: 'not_newer' })

      const off = server.command('set_auto_update', { enabled: false })
      expect((await server.result(off)).status).toBe('completed')
      const before = await device.agentPid()
      if (before !== undefined) process.kill(before, 'SIGKILL')
      await server.until(() => server.hellos.length === 3 && server.isConnected)
      device.offer(faulty('exits'))
      expect(await device.status(faulty('exits'), 'refused')).toMatchObject({ reason: 'auto_update_off' })
    } finally {
      await device.stop()
    }
  })
})

describe('U5: a faulty new version is rolled back and never tried again', () => {
  it.concurrent.each(faults)('when it %s', async (fault) => {
    const version = faulty(fault)
    const device = await Device.start(releases, '2.0.0', confirmSeconds)
    try {
      device.offer(version)
      const end = await device.status(version, 'confirmed', 'rolled_back', 'refused')
      const reasons = { exits: /did_not_start/, hangs: /did_not_start/, deaf: /did_not_connect/, mute: /no_heartbeat/ }
      expect(end, device.output).toMatchObject({ state: 'rolled_back', fromVersion: '2.0.0', barred: [version] })
      expect(end.reason).toMatch(reasons[fault])
      expect(device.version).toBe('2.0.0')
      device.offer(version)
      expect(await device.status(version, 'refused')).toMatchObject({ reason: 'barred' })
      const { server } = device
      const seen = await server.until(() =>
        server.received.find(({ message }) => message.name === 'watchdogStatus' && message.body.agent === 'failover'),
      )
      expect(seen).toBeDefined()
    } finally {
      await device.stop()
    }
  })
})

it('U4: keeps an agent that is killed at random moments of an update, and updates it in the end', async () => {
  await cutOff(releases, { points: 10, atOnce: 3 })
}, 600_000)
