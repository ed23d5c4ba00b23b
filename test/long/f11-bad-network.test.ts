// A bad network between agents and server: slow, repeatedly cut, and silent for minutes with half-open sockets.
import { liveChannel } from '@muster/backplane/keys.ts'
import { decodeLive, type LiveEvent } from '@muster/backplane/live.ts'
import { connectSubscriber } from '@muster/backplane/redis.ts'
import { expect, it } from 'vitest'
import { eventually } from '../system/eventually.ts'
import { Fleet } from '../system/fleet.ts'
import { Recorder } from '../system/recorder.ts'
import { Relay } from './relay.ts'
import { say, scale } from './scale.ts'

const { agents, minutes } = scale(50, 5)

it(`keeps every heartbeat in a bad network with ${minutes} minutes of silence`, async () => {
  const fleet = await Fleet.start({ durable: true, settings: { ingest: { HEARTBEAT_SECONDS: '2' } } })
  const relay = await Relay.open(fleet.stack.ports.ingest)
  const watcher = connectSubscriber(fleet.stack.urls.redis, 'watcher')
  try {
    const { org, partner } = await fleet.tenant()
    const events: LiveEvent[] = []
    watcher.on('messageBuffer', (_channel: Buffer, message: Buffer) => events.push(...decodeLive(message)))
    await watcher.subscribe(liveChannel(partner.id))
    const url = `ws://127.0.0.1:${relay.port}/agent`
    const recorder = await Recorder.start(fleet.stack, agents, { orgId: org.id, partnerId: partner.id }, url)
    const allBack = () =>
      eventually(async () => recorder.live === agents && (await recorder.online()) === agents, 300_000)
    await allBack()

    relay.slow(100, 500)
    recorder.beat(1)
    await new Promise((resolve) => setTimeout(resolve, 20_000))
    expect(await recorder.settled()).toEqual({ lost: [], twice: [] })
    expect(recorder.closes).toBe(0)
    say('slow: no agent lost its connection')

    for (let time = 0; time < 5; time++) {
      recorder.beat(1)
      await new Promise((resolve) => setTimeout(resolve, 2_000))
      relay.reset()
      await allBack()
    }
    expect(await recorder.settled()).toEqual({ lost: [], twice: [] })
    say('reset: all agents reconnected, nothing lost')

    relay.slow(0, 0)
    await allBack()
    recorder.beat(1)
    const statuses = (status: string) =>
      events.filter((event) => event.type === 'device.status' && event.status === status)
    events.length = 0
    relay.silence(true)
    await eventually(async () => statuses('offline').length >= agents, 300_000)
    await new Promise((resolve) => setTimeout(resolve, minutes * 60_000))
    relay.silence(false)
    relay.reset()
    await allBack()
    expect(await recorder.settled()).toEqual({ lost: [], twice: [] })
    expect(statuses('offline')).toHaveLength(agents)
    expect(statuses('online')).toHaveLength(agents)
    say('silence: every device went offline once and came online once')
    recorder.end()
  } finally {
    watcher.disconnect()
    relay.close()
    await fleet.stop()
  }
})
