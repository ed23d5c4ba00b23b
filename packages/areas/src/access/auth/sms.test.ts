import { randomInt } from 'node:crypto'
import { once } from 'node:events'
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http'
import type { AddressInfo } from 'node:net'
import { createLog } from '@muster/kit/log.ts'
import { refusal } from '@muster/testkit/call.ts'
import { testServices } from '@muster/testkit/services.ts'
import { afterEach, describe, expect, it } from 'vitest'
import type { SmsSettings } from '../../platform/sms/index.ts'
import { limitsOf } from './limits.ts'
import { Sms } from './sms.ts'

const services = await testServices()
const { redis } = services
const limits = limitsOf(services)
let closing: (() => void)[] = []
afterEach(() => {
  for (const close of closing) close()
  closing = []
})

interface Received {
  readonly path: string
  readonly authorization: string
  readonly form: Record<string, string>
}

/** A local gateway of the common form that answers as the test says. */
async function gateway(answer: (response: ServerResponse, request: IncomingMessage, nth: number) => void) {
  const received: Received[] = []
  const server = createServer(async (request, response) => {
    let body = ''
    for await (const chunk of request) body += chunk
    const { authorization = '' } = request.headers
    received.push({ path: request.url ?? '', authorization, form: Object.fromEntries(new URLSearchParams(body)) })
    answer(response, request, received.length)
  })
  server.listen(0, '127.0.0.1')
  await once(server, 'listening')
  closing.push(() => {
    server.closeAllConnections()
    server.close()
  })
  const { port } = server.address() as AddressInfo
  return { received, baseUrl: `http://127.0.0.1:${port}` }
}
const accepted = (response: ServerResponse) =>
  response.writeHead(201, { 'content-type': 'application/json' }).end('{"sid":"SM1","status":"queued"}')

function sms(baseUrl: string, more: Partial<SmsSettings> = {}) {
  const settings = { baseUrl, accountId: 'AC1', token: 'tok', from: '+15550001', perDayMax: 1_000_000, ...more }
  return new Sms({ settings, redis, limits, log: createLog('sms-test', 'silent'), keepsUnsent: false })
}
const number = () => `+1555${randomInt(1e6, 9e6)}`
const unavailable = { status: 503, code: 'UNAVAILABLE' }

describe('the SMS gateway', () => {
  it('receives number, sender and text in the common form', async () => {
    const { received, baseUrl } = await gateway(accepted)
    const to = number()
    await sms(`${baseUrl}/`).send(to, 'Grüße & 123456')
    expect(received).toEqual([
      {
        path: '/2010-04-01/Accounts/AC1/Messages.json',
        authorization: `Basic ${Buffer.from('AC1:tok').toString('base64')}`,
        form: { To: to, From: '+15550001', Body: 'Grüße & 123456' },
      },
    ])
  })

  it('is retried once when it fails; then the user gets an error', async () => {
    const failing = await gateway((response) => response.writeHead(500).end())
    expect(await refusal(sms(failing.baseUrl).send(number(), 'x'))).toMatchObject(unavailable)
    expect(failing.received).toHaveLength(2)
    const recovering = await gateway((response, _request, nth) =>
      nth === 1 ? response.writeHead(503).end() : accepted(response),
    )
    await sms(recovering.baseUrl).send(number(), 'x')
    expect(recovering.received).toHaveLength(2)
  })

  it('is not retried when it rejects the number or sends an invalid answer', async () => {
    for (const [status, body] of [
      [400, '{"code":21211}'],
      [200, '<html>Welcome to the hotel</html>'],
      [200, '{"sid":null}'],
    ] as const) {
      const { received, baseUrl } = await gateway((response) => response.writeHead(status).end(body))
      expect(await refusal(sms(baseUrl).send(number(), 'x'))).toMatchObject(unavailable)
      expect(received).toHaveLength(1)
    }
  })

  it('can be slow or endless without costing unbounded time or memory', async () => {
    const endless = await gateway((response) => {
      response.writeHead(201)
      const pour = () => {
        while (!response.destroyed && response.write('x'.repeat(65_536)));
      }
      response.on('drain', pour)
      pour()
    })
    const began = process.memoryUsage().rss
    expect(await refusal(sms(endless.baseUrl).send(number(), 'x'))).toMatchObject(unavailable)
    expect(process.memoryUsage().rss - began).toBeLessThan(100e6)
    const silent = await gateway(() => undefined)
    const started = performance.now()
    expect(await refusal(sms(silent.baseUrl).send(number(), 'x'))).toMatchObject(unavailable)
    expect(performance.now() - started).toBeLessThan(15_000)
    expect(silent.received).toHaveLength(1)
  })

  it('receives at most twenty messages a day for one number, and at most the daily maximum for all', async () => {
    const { received, baseUrl } = await gateway(accepted)
    const to = number()
    const many = sms(baseUrl)
    for (let n = 0; n < 20; n++) await many.send(to, 'x')
    expect(await refusal(many.send(to, 'x'))).toMatchObject({ status: 429 })
    const little = sms(baseUrl, { perDayMax: 1 })
    const before = received.length
    const outcomes = await Promise.allSettled([1, 2, 3].map(() => little.send(number(), 'x')))
    expect(outcomes.filter(({ status }) => status === 'fulfilled').length).toBeLessThanOrEqual(1)
    expect(received.length - before).toBeLessThanOrEqual(1)
  })

  it('is required unless the outbox is enabled', async () => {
    const none = new Sms({ settings: null, redis, limits, log: createLog('sms-test', 'silent'), keepsUnsent: false })
    expect(await refusal(none.send(number(), 'x'))).toMatchObject({ status: 400 })
  })
})
