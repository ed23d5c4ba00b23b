// Rejected request bodies must not change files or block later requests on their connection.
import { Agent, request } from 'node:http'
import { enrolled } from '@muster/testkit/machines.ts'
import { world } from '@muster/testkit/world.ts'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { listen, testServer } from './testing/server.ts'

const here = await world()
const app = await testServer()
const agent = new Agent({ keepAlive: true, maxSockets: 1 })
let port = 0
beforeAll(async () => {
  port = await listen(app)
})
afterAll(async () => {
  agent.destroy()
  await app.close()
})

interface Sent {
  readonly method?: string
  readonly path: string
  readonly headers?: Record<string, string>
  readonly body?: Buffer
}
/** One request on the single connection of this file. */
const send = ({ method = 'GET', path, headers = {}, body }: Sent) =>
  new Promise<{ status: number; text: string }>((resolve, reject) => {
    const asked = request(
      {
        agent,
        port,
        host: '127.0.0.1',
        method,
        path: `/api/v1${path}`,
        headers: { authorization: `Bearer ${here.partnerAdmin.token}`, ...headers },
      },
      (answer) => {
        let text = ''
        answer.setEncoding('utf8').on('data', (part: string) => {
          text += part
        })
        answer.on('end', () => resolve({ status: answer.statusCode ?? 0, text }))
      },
    )
    asked.on('error', reject)
    asked.end(body)
  })

const device = '11111111-1111-4111-8111-111111111111'
const upload = (type: string, body?: Buffer): Sent => ({
  method: 'POST',
  path: `/system-tools/devices/${device}/files/upload?path=/tmp/x&overwrite=true`,
  headers: { 'content-type': type },
  ...(body && { body }),
})

describe('an upload', () => {
  it.each(['application/json', 'text/plain', 'multipart/form-data; boundary=x'])(
    'of %s returns 415 and names the accepted type',
    async (type) => {
      const answer = await send(upload(type, Buffer.from('{}')))
      expect([answer.status, JSON.parse(answer.text)]).toEqual([
        415,
        { code: 'UNSUPPORTED_MEDIA_TYPE', message: 'Send the body with content-type application/octet-stream' },
      ])
    },
  )
  it('that is rejected leaves its connection usable', async () => {
    for (const bytes of [10, 2_000_000, 10_000_000]) {
      const refused = await send(upload('application/octet-stream', Buffer.alloc(bytes)))
      expect(refused.status).toBe(404)
      expect((await send({ path: '/health' })).status).toBe(200)
    }
  })
  it('that is rejected after its first chunk was read leaves its connection usable', async () => {
    const [offline = ''] = await enrolled(here.partnerAdmin, { orgId: here.org.id }, 'offline')
    const path = `/system-tools/devices/${offline}/files/upload?path=/tmp/x&overwrite=true`
    for (const bytes of [10, 1_000_000, 8_000_000]) {
      const headers = { 'content-type': 'application/octet-stream' }
      expect((await send({ method: 'POST', path, headers, body: Buffer.alloc(bytes) })).status).toBe(409)
      expect((await send({ path: '/health' })).status).toBe(200)
    }
  })
  it('of another type, and a JSON body without an operation, leave their connection usable', async () => {
    expect((await send(upload('application/json', Buffer.alloc(2_000_000)))).status).toBe(415)
    expect((await send({ path: '/health' })).status).toBe(200)
    const json = { 'content-type': 'application/json' }
    expect(
      (await send({ method: 'POST', path: '/orgs/sites', headers: json, body: Buffer.alloc(3_000_000) })).status,
    ).toBe(413)
    expect((await send({ path: '/health' })).status).toBe(200)
  })
})
