// The trigger of an automation at the level of HTTP: the signature covers the bytes that were sent, not what they mean.
import { randomUUID } from 'node:crypto'
import { automations } from '@muster/areas/change/automations/automations.contract.ts'
import { signedHeaders } from '@muster/areas/platform/deliveries/index.ts'
import { call } from '@muster/testkit/call.ts'
import { world } from '@muster/testkit/world.ts'
import { afterAll, expect, it } from 'vitest'
import { testServer } from './testing/server.ts'

const app = await testServer()
afterAll(() => app.close())
const { org, partnerAdmin } = await world()
const { id, secret = '' } = await call(partnerAdmin, automations.create, {
  ...{ orgId: org.id, name: 'Hooked', trigger: { type: 'webhook' } },
  actions: [{ type: 'notify', title: '{{ body.what }}', message: 'm' }],
})

function send(payload: string, signedText = payload) {
  const signed = signedHeaders({ id: randomUUID(), atMs: Date.now(), body: signedText }, [secret])
  const headers = { 'content-type': 'application/json', ...signed }
  return app.inject({ method: 'POST', url: `/api/v1/automations/${id}/trigger`, headers, payload })
}

it('takes a body in any spelling that its signature covers', async () => {
  const answer = await send('{ "what":\n "Disk is full",  "n": 1.0 }')
  expect(answer.statusCode).toBe(202)
  expect(answer.headers['content-type']).toMatch('application/json')
  expect(answer.json()).toEqual({ runId: expect.any(String), status: 'queued', duplicate: false })
})

it('refuses the same content with other bytes', async () => {
  expect((await send('{"what":"x"}', '{ "what":"x"}')).statusCode).toBe(401)
})

it('takes an empty body, and refuses one that is no object, not JSON or too large', async () => {
  expect((await send('')).statusCode).toBe(202)
  expect((await send('[]')).statusCode).toBe(400)
  expect((await send('{"what"')).statusCode).toBe(400)
  expect((await send(`{"what":"${'x'.repeat(300_000)}"}`)).statusCode).toBe(413)
})

it('answers 401 without a credential or a signature', async () => {
  const url = `/api/v1/automations/${id}/trigger`
  const answer = await app.inject({
    method: 'POST',
    url,
    headers: { 'content-type': 'application/json' },
    payload: '{}',
  })
  expect(answer.statusCode).toBe(401)
})
