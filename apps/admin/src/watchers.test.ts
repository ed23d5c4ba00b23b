// L6: many people watch many devices, and some of them stop reading without going away.
import { randomUUID } from 'node:crypto'
import { type AddressInfo, connect, type Socket } from 'node:net'
import { promisify } from 'node:util'
import { setFlagsFromString } from 'node:v8'
import { runInNewContext } from 'node:vm'
import { operations } from '@muster/areas/registry.ts'
import { type LiveEvent, publishLive } from '@muster/backplane/live.ts'
import { createLog } from '@muster/kit/log.ts'
import { testRuntime, testServices } from '@muster/testkit/services.ts'
import { world } from '@muster/testkit/world.ts'
import { Registry } from 'prom-client'
import { afterAll, expect, it } from 'vitest'
import { createServer } from './server.ts'

const [watchers, stalledOfThem, devices] = [130, 20, 2_000]
const stalledMs = 2_000
const grownBytesMax = 30 * 1024 * 1024

const here = await world()
const { redis } = await testServices()
const app = await createServer({
  operations,
  runtime: await testRuntime(),
  log: createLog('test', 'silent'),
  trustedProxies: [],
  registry: new Registry(),
  stalledMs,
})
afterAll(() => app.close())
await app.listen({ host: '127.0.0.1', port: 0 })
const { port } = app.server.address() as AddressInfo

interface Watcher {
  readonly socket: Socket
  said: string
  closed: boolean
}

/** Watches as a client does that keeps of it what is asked for. Has begun when the promise resolves. */
function watch(query: string): Promise<Watcher> {
  const watcher: Watcher = { socket: connect(port, '127.0.0.1'), said: '', closed: false }
  const head = [
    `GET /api/v1/devices/events${query} HTTP/1.1`,
    'Host: muster',
    `Authorization: Bearer ${here.partnerAdmin.token}`,
  ]
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

function heapBytes(): number {
  setFlagsFromString('--expose-gc')
  runInNewContext('gc')()
  const { heapUsed, external } = process.memoryUsage()
  return heapUsed + external
}

/** As the server sees them: who does not read does not hear of the end either. */
const connections = () => promisify(app.server.getConnections.bind(app.server))()

const ids = Array.from({ length: devices }, () => randomUUID())
let clock = 0
const beat = (deviceId: string): LiveEvent => ({
  type: 'device.heartbeat',
  orgId: here.org.id,
  siteId: null,
  deviceId,
  at: ++clock,
  cpuPercent: 12.5,
  memoryUsed: 8_000_000_000,
  memoryTotal: 16_000_000_000,
  diskUsed: 100_000_000_000,
  diskTotal: 500_000_000_000,
  load1m: 0.75,
  uptimeSeconds: 1_000_000,
  processCount: 300,
})
/** Each reader sees a page of devices, as a console does. */
const pageOf = (reader: number) => ids[reader % 10] ?? ''

it(`of ${watchers} watchers ${stalledOfThem} stop reading: what waits for them is bounded, they are cut off, the others see everything`, async () => {
  const stalled = await Promise.all(Array.from({ length: stalledOfThem }, () => watch('')))
  const readers = await Promise.all(
    Array.from({ length: watchers - stalledOfThem }, (_, reader) => watch(`?deviceIds=${pageOf(reader)}`)),
  )
  for (const { socket } of stalled) socket.pause()
  const before = heapBytes()
  // More than all buffers on the way to a reader take in, so that the server notices.
  for (let round = 0; (await connections()) > readers.length; round++) {
    expect(round, 'rounds until the stalled were cut off').toBeLessThan(400)
    for (let from = 0; from < devices; from += 500)
      await publishLive(redis, here.partner.id, ids.slice(from, from + 500).map(beat))
    await new Promise((resolve) => setTimeout(resolve, 100))
    if (round % 20 === 10) expect(heapBytes() - before - kept(readers)).toBeLessThan(grownBytesMax)
  }
  const seen = ++clock
  await publishLive(
    redis,
    here.partner.id,
    ids.slice(0, 10).map((id) => ({ ...beat(id), at: seen })),
  )
  await expect
    .poll(() => readers.filter(({ said }) => said.includes(`"at":${seen},`)).length, { timeout: 20_000 })
    .toBe(readers.length)
  expect(readers.filter(({ closed }) => closed)).toEqual([])
  expect(heapBytes() - before - kept(readers)).toBeLessThan(grownBytesMax)
  for (const { socket } of [...readers, ...stalled]) socket.destroy()
}, 120_000)

/** What the clients of this very process hold themselves. */
const kept = (all: readonly Watcher[]) => all.reduce((sum, { said }) => sum + said.length, 0)
