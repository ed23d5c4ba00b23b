import { createServer as createHttp } from 'node:http'
import { type AddressInfo, createServer, type Server } from 'node:net'
import { isPrinterPort } from '@muster/wire/checks/probes.ts'
import type { AssignedCheck, Check } from '@muster/wire/messages/assignment.ts'
import { afterAll, describe, expect, it } from 'vitest'
import { pingedOf } from '../platform/posix/ping.ts'
import { pingedOf as pingedOnWindows } from '../platform/windows/ping-output.ts'
import { roundOf } from './check-schedule.ts'
import { networkCheckers } from './network-checks.ts'

const pinged: string[] = []
const checkers = networkCheckers(async (address) => {
  pinged.push(address)
  return { received: 1, averageMs: 2 }
})
const round = (check: Check, more: Partial<AssignedCheck> = {}) =>
  roundOf(checkers, { id: 'c', everySeconds: 10, timeoutSeconds: 1, pinned: true, check, ...more })

const servers: Server[] = []
async function portOf(server: Server): Promise<number> {
  servers.push(server)
  // A check resets the connection when it has seen enough.
  server.on('connection', (socket) => socket.on('error', () => undefined))
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  const address = server.address() as AddressInfo
  return address.port
}
afterAll(() => {
  for (const server of servers) server.close()
})

const http = (port: number, more: object = {}): Check => ({
  type: 'http',
  url: `http://127.0.0.1:${port}/health?x=1`,
  method: 'GET',
  verifyTls: true,
  ...more,
})

describe('tcp', () => {
  it('is ok when the port opens, and failed with the reason when it does not', async () => {
    const server = createServer((socket) => socket.end('220 mail.example ready\r\n'))
    const port = await portOf(server)
    expect(await round({ type: 'tcp', host: '127.0.0.1', port })).toMatchObject({ state: 'ok' })
    expect(await round({ type: 'tcp', host: '127.0.0.1', port, expect: '220 ' })).toMatchObject({ state: 'ok' })
    expect(await round({ type: 'tcp', host: '127.0.0.1', port, expect: '554 ' })).toMatchObject({
      state: 'failed',
      text: expect.stringContaining('554'),
    })
    await new Promise((resolve) => server.close(resolve))
    expect(await round({ type: 'tcp', host: '127.0.0.1', port })).toMatchObject({
      state: 'failed',
      text: expect.stringContaining('ECONNREFUSED'),
    })
  })

  it('sends nothing', async () => {
    let received = 0
    const port = await portOf(
      createServer((socket) => {
        socket.on('data', (bytes) => {
          received += bytes.length
        })
        socket.end('hello')
      }),
    )
    await round({ type: 'tcp', host: '127.0.0.1', port, expect: 'hello' })
    expect(received).toBe(0)
  })
})

describe('http', () => {
  const server = createHttp((request, response) => {
    if (request.method === 'HEAD') response.writeHead(204).end()
    else if (request.headers['x-hang'] !== undefined) return
    else if (request.url === '/health?x=1') response.writeHead(200).end('all is well')
    else response.writeHead(302, { location: 'http://169.254.169.254/' }).end()
  })

  it('judges status and body', async () => {
    const port = await portOf(server)
    expect(await round(http(port))).toMatchObject({ state: 'ok', value: 200 })
    expect(await round(http(port, { expectBody: 'is well' }))).toMatchObject({ state: 'ok' })
    expect(await round(http(port, { expectBody: 'is ill' }))).toMatchObject({ state: 'failed' })
    expect(await round(http(port, { expectStatus: [204] }))).toMatchObject({ state: 'failed', text: 'answered 200' })
    expect(await round(http(port, { method: 'HEAD', expectStatus: [204] }))).toMatchObject({ state: 'ok', value: 204 })
    const moved = await round(http(port, { url: `http://127.0.0.1:${port}/moved` }))
    expect(moved).toMatchObject({ state: 'failed', text: 'answered 302' })
  })

  it('fails when no answer comes in time', async () => {
    const { port } = server.address() as AddressInfo
    const given = http(port, { headers: { 'x-hang': '1' } })
    expect(await round(given)).toEqual({ state: 'failed', text: 'no answer within 1 s' })
    server.closeAllConnections()
  })

  it('never sends to ports of printers', async () => {
    expect([515, 9_100, 9_116, 9_999, 80, 9_117].map(isPrinterPort)).toEqual([true, true, true, true, false, false])
    const certificate: Check = { type: 'certificate', host: '127.0.0.1', port: 9_100, days: 14 }
    for (const check of [http(9_100), certificate])
      expect(await round(check)).toMatchObject({ state: 'unknown', text: expect.stringContaining('printers') })
  })
})

describe('addresses', () => {
  it('of the machine itself are reached only by a pinned check', async () => {
    for (const host of ['127.0.0.1', '::1', 'localhost', '::ffff:127.0.0.1']) {
      const check: Check = { type: 'tcp', host, port: 9 }
      expect(await round(check, { pinned: false })).toMatchObject({
        state: 'unknown',
        text: expect.stringMatching(/not reach/),
      })
    }
    pinged.length = 0
    expect(await round({ type: 'ping', host: '127.0.0.1', count: 1 })).toEqual({ state: 'ok', ms: 2 })
    expect(pinged).toEqual(['127.0.0.1'])
  })

  it('that are link-local, multicast or unspecified are never reached', async () => {
    for (const host of [
      '169.254.169.254',
      'fe80::1',
      '224.0.0.1',
      'ff02::1',
      '0.0.0.0',
      '::',
      '::ffff:169.254.169.254',
    ])
      expect(await round({ type: 'ping', host, count: 1 }), host).toMatchObject({ state: 'unknown' })
  })
})

describe('ping', () => {
  it('reads what Linux and macOS print', () => {
    const linux =
      '2 packets transmitted, 2 received, 0% packet loss, time 1001ms\nrtt min/avg/max/mdev = 0.020/0.034/0.049/0.014 ms\n'
    expect(pingedOf(linux)).toEqual({ received: 2, averageMs: 0.034 })
    const mac =
      '3 packets transmitted, 1 packets received, 66.7% packet loss\nround-trip min/avg/max/stddev = 1.1/1.2/1.3/0.0 ms\n'
    expect(pingedOf(mac)).toEqual({ received: 1, averageMs: 1.2 })
    expect(pingedOf('2 packets transmitted, 0 received, 100% packet loss, time 1010ms\n')).toEqual({
      received: 0,
      averageMs: null,
    })
    expect(pingedOf('ping: socket: Operation not permitted')).toBeUndefined()
  })

  it('reads what Windows prints in any language', () => {
    const german =
      'Ping wird ausgeführt für 10.0.0.1 mit 32 Bytes Daten:\r\nAntwort von 10.0.0.1: Bytes=32 Zeit=3ms TTL=64\r\nAntwort von 10.0.0.1: Bytes=32 Zeit<1ms TTL=64\r\n\r\n    Minimum = 0ms, Maximum = 3ms, Mittelwert = 1ms\r\n'
    expect(pingedOnWindows(german)).toEqual({ received: 2, averageMs: 2 })
    expect(pingedOnWindows('Zeitüberschreitung der Anforderung.\r\n')).toEqual({ received: 0, averageMs: null })
  })
})
