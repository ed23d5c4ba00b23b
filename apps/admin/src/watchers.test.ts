// L6: many clients watch many devices, and some of them stop reading without disconnecting.
import { randomUUID } from 'node:crypto'
import { connect, type Socket } from 'node:net'
import { promisify } from 'node:util'
import { setFlagsFromString } from 'node:v8'
import { runInNewContext } from 'node:vm'
import { type LiveEvent, publishLive } from '@muster/backplane/live.ts'
import { testServices } from '@muster/testkit/services.ts'
import { person, world } from '@muster/testkit/world.ts'
import { afterAll, expect, it } from 'vitest'
import { listen, testServer } from './testing/server.ts'

const [watchers, stalledOfThem, devices] = [130, 20, 200]
const stalledMs = 4_000
const rushRounds = 30
const grownBytesMax = 30 * 1024 * 1024

const here = await world()
const { redis } = await testServices()
const app = await testServer({
  stalledMs,
})
afterAll(() => app.close())
const port = await listen(app)

// No user opens more streams than one session may have.
const people = await Promise.all(
  [1, 2, 3].map(() => person({ scope: 'partner', partnerId: here.partner.id }, { role: 'Partner Admin' })),
)

interface Watcher {
  readonly socket: Socket
  said: string
  closed: boolean
}

/** Opens an event stream and stores what arrives. The promise resolves when the stream has started. */
function watch(query: string, token: string): Promise<Watcher> {
  const watcher: Watcher = { socket: connect(port, '127.0.0.1'), said: '', closed: false }
  const head = [`GET /api/v1/devices/events${query} HTTP/1.1`, 'Host: 127.0.0.1', `Authorization: Bearer ${token}`]
  watcher.socket.write(`${head.join('\r\n')}\r\n\r\n`)
  watcher.socket.on('error', () => undefined)
  watcher.socket.on('close', () => {
    watcher.closed = true
  })
  return new Promise((resolve) => {
    watcher.socket.on('data', (bytes) => {
      watcher.said += bytes
      if (watcher.said.includes('resync')) resolve(watcher)
    })
  })
}

async function heapBytes(): Promise<number> {
  setFlagsFromString('--expose-gc')
  const collect: unknown = runInNewContext('gc')
  // Another thread frees the memory of buffers after the collection, so collect several times.
  for (let time = 0; time < 3 && typeof collect === 'function'; time++) {
    collect()
    await new Promise((resolve) => setTimeout(resolve, 20))
  }
  const { heapUsed, external } = process.memoryUsage()
  return heapUsed + external
}

/** Counted by the server, because a client that does not read does not notice the end of its connection. */
const connections = () => promisify(app.server.getConnections.bind(app.server))()

const ids = Array.from({ length: devices }, () => randomUUID())
const place = { orgId: here.org.id, siteId: null }
/** Each reader watches one device, as a console does. Stalled clients watch all devices. */
const shown = ids.slice(0, 10)
const beats = (at: number): LiveEvent[] =>
  shown.map((deviceId) => ({ type: 'device.heartbeat', ...place, deviceId, at, cpuPercent: 12.5 }))
const changes = (at: number): LiveEvent[] =>
  ids.map((deviceId) => ({ type: 'device.changed', ...place, deviceId, at, changed: 'x'.repeat(8 * 1024) }))

it(`closes ${stalledOfThem} of ${watchers} streams whose clients stop reading, within bounded memory, while the others receive all events`, async () => {
  const stalled = await Promise.all(Array.from({ length: stalledOfThem }, () => watch('', here.partnerAdmin.token)))
  const readers = await Promise.all(
    Array.from({ length: watchers - stalledOfThem }, (_, reader) =>
      watch(`?deviceIds=${shown[reader % 10]}`, people[reader % people.length]?.token ?? ''),
    ),
  )
  for (const { socket } of stalled) socket.pause()
  const before = await heapBytes()
  let at = 0
  while ((await connections()) > readers.length) {
    expect(++at, 'rounds until the stalled streams were closed').toBeLessThan(600)
    await publishLive(redis, here.partner.id, beats(at))
    // More than all buffers on the way to a client can hold, so that the server notices stalled clients.
    if (at < rushRounds) await publishLive(redis, here.partner.id, changes(at).slice(10))
    await new Promise((resolve) => setTimeout(resolve, 50))
    // Only after the large events, because this process publishes them and holds what it sends and receives.
    if (at > rushRounds && at % 25 === 0)
      expect((await heapBytes()) - before - kept(readers)).toBeLessThan(grownBytesMax)
  }
  await publishLive(redis, here.partner.id, beats(++at))
  const isUpToDate = ({ said }: Watcher) => said.includes(`"at":${at},`)
  await expect.poll(() => readers.filter(isUpToDate).length, { timeout: 20_000 }).toBe(readers.length)
  expect(readers.filter(({ closed }) => closed)).toEqual([])
  expect((await heapBytes()) - before - kept(readers)).toBeLessThan(grownBytesMax)
  for (const { socket } of [...readers, ...stalled]) socket.destroy()
}, 120_000)

/** The bytes that the clients in this process hold. */
const kept = (all: readonly Watcher[]) => all.reduce((sum, { said }) => sum + said.length, 0)
