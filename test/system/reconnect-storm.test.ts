// L3g: every ingest process is killed at once while the fleet reports, and all agents reconnect.
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { runs } from '../gates/runs.ts'
import { eventually } from './eventually.ts'
import { Fleet } from './fleet.ts'
import { Recorder } from './recorder.ts'

/** With GATE_SCALE=8 the 8,000 agents of the case. */
const agents = runs(1_000)

describe('L3g: a reconnect storm', () => {
  let fleet: Fleet
  let recorder: Recorder
  beforeAll(async () => {
    fleet = await Fleet.start({ durable: true, ingest: 2 })
    const { org, partner } = await fleet.tenant()
    recorder = await Recorder.start(fleet.stack, agents, { orgId: org.id, partnerId: partner.id })
    await eventually(async () => recorder.live === agents, 120_000)
  })
  afterAll(async () => {
    recorder?.end()
    await fleet?.stop()
  })

  it(`reconnects ${agents} agents after every ingest process was killed, loses nothing acknowledged, and accepts sign-ins meanwhile`, async () => {
    recorder.beat(0.5)
    await eventually(async () => recorder.acknowledged > agents, 60_000)
    for (const ingest of fleet.stack.ingest) ingest.kill('SIGKILL')
    const began = performance.now()
    await eventually(async () => recorder.live === 0)
    await fleet.signIn()
    expect((await fleet.rest('GET', '/devices?limit=50')).status).toBe(200)
    await eventually(async () => recorder.live === agents, 120_000)
    console.log(`${agents} agents reconnected after ${((performance.now() - began) / 1000).toFixed(1)} s`)
    expect(recorder.closes).toBe(agents)
    expect(await recorder.settled()).toEqual({ lost: [], twice: [] })
    await eventually(async () => (await recorder.online()) === agents, 60_000)
  })
})
