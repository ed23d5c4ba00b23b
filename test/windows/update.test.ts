// Updates of the Windows agent under wine: real releases from a real server, and kills at every step.
import { readdir, stat } from 'node:fs/promises'
import { join } from 'node:path'
import { afterAll, beforeAll, describe, expect, it, vi } from 'vitest'
import { eventually } from '../system/eventually.ts'
import { Fleet } from '../system/fleet.ts'
import { faultyEntry } from '../system/update-device.ts'
import { Workshop } from '../system/workshop.ts'
import { type AfterKill, InterruptedUpdates } from './interrupted-updates.ts'
import { windowsTarget } from './release.ts'
import { WindowsMachine } from './windows-machine.ts'
import { withoutWine } from './wine.ts'

vi.setConfig({ testTimeout: 150_000 })

const [first, second, broken] = ['7.0.0', '7.1.0', '8.0.0-exits.1']

describe.skipIf(withoutWine !== undefined)('updates on Windows', () => {
  let machine: WindowsMachine
  let fleet: Fleet
  let workshop: Workshop
  let id: string
  const fileNumber = async (name: string) => (await stat(join(machine.folder, 'agent', name))).ino
  const startWatchdog = async () => {
    const key = { MUSTER_ENROLLMENT_KEY: machine.tenant.key }
    const flags = ['watchdog', ...machine.flags]
    await machine.wine.start(machine.executable, flags, join(machine.folder, 'watchdog.log'), key)
  }
  const theDevice = (until: (device: { status: string; agentVersion: string; lastSeenAt: string }) => boolean) =>
    machine.fleet.device(machine.tenant.org.id, until, 90_000)
  const isOnlineWith = (version: string) => theDevice((one) => one.status === 'online' && one.agentVersion === version)

  beforeAll(async () => {
    // A rollout reaches all devices of a Muster, so these tests have one of their own.
    fleet = await Fleet.start()
    workshop = await Workshop.open(fleet, windowsTarget())
    const executable = await workshop.build(first)
    machine = await WindowsMachine.start('muster-update', { fleet, executable })
    await startWatchdog()
    id = (await isOnlineWith(first)).id
  }, 180_000)
  afterAll(async () => {
    await machine?.stop()
    await workshop?.close()
    await fleet?.stop()
  })

  it('replaces its running executable by a newer version, and its watchdog follows', async () => {
    await workshop.publish(second)
    await workshop.rollOut(second)
    expect((await isOnlineWith(second)).id).toBe(id)
    // They are the same file again once the watchdog has adopted the new version.
    const [agents, watchdogs] = ['muster-agent.exe', 'muster-agent.watchdog.exe']
    await eventually(async () => (await fileNumber(agents)) === (await fileNumber(watchdogs)))
    expect(await fileNumber('muster-agent.previous.exe')).not.toBe(await fileNumber(agents))
    expect(await machine.fleet.must('GET', `/devices/${id}/agent-update`)).toMatchObject({ barred: [] })
  })

  it('goes back from a version that does not start, and says why', async () => {
    await workshop.publish(broken, faultyEntry)
    await workshop.rollOut(broken)
    const update = await eventually(async () => {
      const now = await machine.fleet.must('GET', `/devices/${id}/agent-update`)
      return now.hold === 'rolled_back' && now
    }, 90_000)
    expect(update).toMatchObject({ reason: 'did_not_start', barred: [broken] })
    await isOnlineWith(second)
  })

  it('keeps its executable while another program holds the new one, and waits for a file that is read', async () => {
    const updates = await InterruptedUpdates.prepare(machine.wine)
    const refused = { check: 'file_locked', replacing: 'file_locked', keptOld: true }
    expect(await updates.whileHeld()).toEqual({ ...refused, later: 'done', isNew: true, settings: 'new' })
  })

  it('starts the old or the new version after a kill at any step of an update', async () => {
    const updates = await InterruptedUpdates.prepare(machine.wine)
    let last: AfterKill | undefined
    for (const [change, after] of (await updates.killAtEach()).entries()) {
      expect(after.isNew || after.isOld, `killed at change ${change}`).toBe(true)
      // The new one never runs without being watched.
      expect(after.trial, `killed at change ${change}`).toBe(after.isNew ? '2.0.0' : undefined)
      expect(after.isUpdated, `killed at change ${change}`).toBe(true)
      // Once it is in place, no kill loses it.
      expect(last?.isNew === true && !after.isNew, `killed at change ${change}`).toBe(false)
      last = after
    }
    expect(last?.isNew).toBe(true)
  })

  it('removes what updates left behind at its next start', async () => {
    await machine.wine.stop()
    const before = Date.now()
    await startWatchdog()
    await theDevice((one) => Date.parse(one.lastSeenAt) > before)
    const names = await readdir(join(machine.folder, 'agent'))
    expect(names.filter((name) => !name.startsWith('native-')).sort()).toEqual([
      ...['muster-agent.exe', 'muster-agent.previous.exe', 'muster-agent.watchdog.exe'],
    ])
    expect(names.filter((name) => name.startsWith('native-'))).toHaveLength(1)
  })
})
