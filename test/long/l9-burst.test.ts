// A burst of eight times the regular load: what is acknowledged is stored, and the backlog is cleared soon after.
import { expect, it } from 'vitest'
import { eventually } from '../system/eventually.ts'
import { Fleet } from '../system/fleet.ts'
import { Recorder } from '../system/recorder.ts'
import { say, scale } from './scale.ts'

const perAgent = 20
const { agents, minutes } = scale(500, 1)

it(`stores ${agents * perAgent} heartbeats per second for ${minutes} minutes`, async () => {
  const settings = { ingest: { DEVICE_FRAMES_PER_SECOND: String(perAgent * 2) } }
  const fleet = await Fleet.start({ durable: true, ingest: 2, settings })
  try {
    const { org, partner } = await fleet.tenant()
    const recorder = await Recorder.start(fleet.stack, agents, { orgId: org.id, partnerId: partner.id })
    await eventually(async () => recorder.live === agents, 120_000)
    recorder.beat(perAgent)
    await new Promise((resolve) => setTimeout(resolve, minutes * 60_000))
    const burst = recorder.acknowledged
    const began = performance.now()
    expect(await recorder.settled(300_000)).toEqual({ lost: [], twice: [] })
    say(
      `${burst} acknowledged in the burst, the backlog cleared after ${((performance.now() - began) / 1000).toFixed(1)} s`,
    )
    expect(recorder.closes).toBe(0)
    recorder.end()
  } finally {
    await fleet.stop()
  }
})
