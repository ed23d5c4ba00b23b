// Every process is killed at once, as in a power failure, and started again with the one start command.
import { rm } from 'node:fs/promises'
import { operatorSession } from '@muster/stack/operator-session.ts'
import { expect, it } from 'vitest'
import { eventually } from '../system/eventually.ts'
import { Launcher, newPlace, operatorAccess, processesOf } from '../system/launcher.ts'
import { say } from './scale.ts'

it('recovers completely, agent included, with one command after a kill -9 of every process', async () => {
  const place = await newPlace()
  const settings = { MUSTER_LOCAL_AGENT: '1' }
  const api = `http://127.0.0.1:${place.ports.admin}/api/v1`
  const isOnline = async () => {
    const token = await operatorSession(await operatorAccess(place), 'admin@muster.local')
    const answer = await fetch(`${api}/devices`, { headers: { authorization: `Bearer ${token}` } })
    const { devices }: { devices: { status: string }[] } = JSON.parse(await answer.text())
    return devices.length === 1 && devices[0]?.status === 'online'
  }
  let launcher = new Launcher(place, settings)
  try {
    await launcher.ready()
    await eventually(isOnline, 120_000)
    const { processes, postgres, redis } = processesOf(place)
    for (const { pid } of [{ pid: launcher.pid }, ...processes, postgres, redis]) process.kill(pid, 'SIGKILL')
    await launcher.exited
    launcher = new Launcher(place, settings)
    say(`ready after ${((await launcher.ready()) / 1000).toFixed(1)} s`)
    const began = performance.now()
    await eventually(isOnline, 120_000)
    say(`the agent is online ${((performance.now() - began) / 1000).toFixed(1)} s later`)
    expect(await launcher.stop()).toBe(0)
  } finally {
    launcher.kill('SIGKILL')
    await rm(place.dataDir, { recursive: true, force: true })
  }
})
