// Case U4: after a kill of any process at any moment of an update, the machine has a running agent and updates in the end.
import { randomInt } from 'node:crypto'
import { setTimeout as wait } from 'node:timers/promises'
import { expect } from 'vitest'
import { Device, type Releases } from './update-device.ts'

const moments = ['downloading', 'verifying', 'installing', 'restarting', 'connected'] as const
const victims = ['agent', 'watchdog', 'both'] as const
/** A new version that is killed more often before it is confirmed would correctly be rolled back. */
const killsOfOneTrial = 1

/** Updates machines from 1.0.0 to 2.0.0 and kills a random process on each, once, at a random moment. */
export async function cutOff(
  releases: Releases,
  { points, atOnce }: { points: number; atOnce: number },
): Promise<void> {
  let left = points
  const work = async () => {
    while (left-- > 0) await cutOffOnce(releases)
  }
  await Promise.all(Array.from({ length: atOnce }, work))
}

async function cutOffOnce(releases: Releases): Promise<void> {
  const moment = moments[randomInt(moments.length)] ?? 'installing'
  const victim = victims[randomInt(victims.length)] ?? 'both'
  const lateMs = randomInt(600)
  const device = await Device.start(releases, '1.0.0')
  const { server } = device
  const offering = setInterval(() => server.isConnected && device.offer('2.0.0'), 1000)
  try {
    device.offer('2.0.0')
    if (moment === 'connected') await server.until(() => device.version === '2.0.0')
    else await device.status('2.0.0', moment)
    await wait(lateMs)
    for (let kills = 0; kills < killsOfOneTrial; kills++) await kill(device, victim)
    const end = await device.status('2.0.0', 'confirmed', 'rolled_back')
    const what = `${victim} killed ${lateMs} ms after ${moment}\n${device.output}`
    expect(end.state, what).toBe('confirmed')
    await server.until(() => server.isConnected && device.version === '2.0.0')
    expect(await device.journal(), what).toMatchObject({ barred: [], floor: '2.0.0' })
  } finally {
    clearInterval(offering)
    await device.stop()
  }
}

async function kill(device: Device, victim: (typeof victims)[number]): Promise<void> {
  const pids = [
    victim === 'watchdog' ? undefined : await device.agentPid(),
    victim === 'agent' ? undefined : device.watchdogPid,
  ]
  for (const pid of pids) {
    try {
      if (pid !== undefined && pid > 0) process.kill(pid, 'SIGKILL')
    } catch {
      // It ended by itself just then, as a restarting agent does.
    }
  }
}
