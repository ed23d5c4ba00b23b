import { randomUUID } from 'node:crypto'
import { operations } from '@muster/areas/registry.ts'
import type { RawAnswer } from '@muster/kit/call.ts'
import { run } from '@muster/kit/operation/run.ts'
import { call, refusal, requestAs } from '@muster/testkit/call.ts'
import { enrolled } from '@muster/testkit/machines.ts'
import { testRuntime, testServices } from '@muster/testkit/services.ts'
import { testWorkerParts } from '@muster/testkit/worker-parts.ts'
import { type Person, person, world } from '@muster/testkit/world.ts'
import { Webhook } from 'standardwebhooks'
import { beforeAll, describe, expect, it } from 'vitest'
import { automations } from '../automations.contract.ts'
import { runs } from '../runs/runs.contract.ts'
import { moveAll } from '../testing/move-all.ts'

const { system } = await testServices()
const parts = await testWorkerParts()
const { org, partner, partnerAdmin } = await world()
const orgId = org.id
const made = (given: object = {}) =>
  call(partnerAdmin, automations.create, {
    ...{ orgId, name: `H ${randomUUID()}`, trigger: { type: 'webhook' as const } },
    ...{ actions: [{ type: 'notify' as const, title: '{{ body.what }}', message: 'm' }] },
    ...given,
  })

const operation = operations.find(({ endpoint }) => endpoint === runs.trigger)

/** Sends a trigger as REST does. */
async function send(
  id: string,
  body: string,
  headers: Record<string, string>,
  who: Pick<Person, 'token'> | null = null,
) {
  if (operation === undefined) throw new Error('the operation is in the registry')
  async function* bytes() {
    yield Buffer.from(body)
  }
  const request = { ...requestAs(who, { headers }), body: bytes() }
  const answer = (await run(operation, { id }, request, { header() {}, cookie() {} }, await testRuntime())) as RawAnswer
  return { status: answer.status, ...JSON.parse(String(answer.body)) }
}
const signed = (secret: string | undefined, body: string, id: string = randomUUID(), at = new Date()) => ({
  'webhook-id': id,
  'webhook-timestamp': String(Math.floor(at.getTime() / 1_000)),
  'webhook-signature': new Webhook(secret ?? '').sign(id, at, body),
})
const body = JSON.stringify({ what: 'Disk is full' })

let device = ''
beforeAll(async () => {
  device = (await enrolled(partnerAdmin, { orgId }, 'hook-one'))[0] ?? ''
})

describe('a webhook trigger', () => {
  it('starts a run with a signature over the raw body, whose values templates take', async () => {
    const { id, secret } = await made()
    expect(secret).toMatch(/^whsec_/)
    const answer = await send(id, body, signed(secret, body))
    expect(answer).toEqual({ status: 'queued', runId: answer.runId, duplicate: false })
    await moveAll(parts, partner.id)
    expect(await call(partnerAdmin, runs.get, { runId: answer.runId })).toMatchObject({
      triggeredBy: 'webhook',
      status: 'completed',
    })
    expect(await call(partnerAdmin, automations.get, { id })).not.toHaveProperty('secret')
  })

  it('answers a repetition with the same run, duplicate: true, and starts nothing', async () => {
    const { id, secret } = await made()
    const headers = signed(secret, body)
    const first = await send(id, body, headers)
    const again = await Promise.all([send(id, body, headers), send(id, body, headers)])
    for (const answer of again) expect(answer).toMatchObject({ runId: first.runId, duplicate: true })
    expect((await call(partnerAdmin, runs.list, { id })).data).toHaveLength(1)
  })

  it.each([
    ['without a signature', () => ({})],
    ['with a signature of another secret', () => signed('whsec_c2VjcmV0', body)],
    ['with a signature of another body', (secret: string) => signed(secret, '{"what":"other"}')],
    ['older than five minutes', (secret: string) => signed(secret, body, randomUUID(), new Date(Date.now() - 301_000))],
    ['from the future', (secret: string) => signed(secret, body, randomUUID(), new Date(Date.now() + 301_000))],
  ])('answers 401 %s', async (_how, headersOf) => {
    const { id, secret = '' } = await made()
    expect(await refusal(send(id, body, headersOf(secret)))).toMatchObject({ status: 401 })
    expect((await call(partnerAdmin, runs.list, { id })).data).toEqual([])
  })

  it('answers 401 for an automation that does not exist, or has another trigger', async () => {
    const { id } = await made({ trigger: { type: 'manual' }, actions: [{ type: 'add_tag', tag: 'x' }] })
    const headers = signed('whsec_c2VjcmV0', body)
    expect(await refusal(send(id, body, headers))).toMatchObject({ status: 401 })
    expect(await refusal(send(randomUUID(), body, headers))).toMatchObject({ status: 401 })
  })

  it('accepts the previous secret too while it is rotated', async () => {
    const { id, secret } = await made()
    const { secret: next } = await call(partnerAdmin, automations.update, { id, rotateSecret: true })
    expect(next).not.toBe(secret)
    expect(await send(id, body, signed(secret, body))).toMatchObject({ duplicate: false })
    expect(await send(id, body, signed(next, body))).toMatchObject({ duplicate: false })
    await system.query(`UPDATE automations SET previous_until = now() - interval '1 second' WHERE id = $1`, [id])
    expect(await refusal(send(id, body, signed(secret, body)))).toMatchObject({ status: 401 })
  })

  it('takes a credential with automations:write instead of a signature', async () => {
    const { id } = await made()
    expect(await send(id, body, {}, partnerAdmin)).toMatchObject({ duplicate: false })
    const viewer = await person({ scope: 'partner', partnerId: partner.id }, { role: 'Partner Viewer' })
    expect(await refusal(send(id, body, {}, viewer))).toMatchObject({ status: 403 })
    const elsewhere = await world()
    expect(await refusal(send(id, body, {}, elsewhere.partnerAdmin))).toMatchObject({ status: 404 })
  })

  it('acts on the devices that the body names', async () => {
    const { id, secret } = await made({ actions: [{ type: 'add_tag', tag: '{{ body.what }}' }] })
    const naming = JSON.stringify({ what: 'hooked', deviceIds: [device] })
    const { runId } = await send(id, naming, signed(secret, naming))
    await moveAll(parts, partner.id)
    expect(await call(partnerAdmin, runs.get, { runId })).toMatchObject({ status: 'completed', devices: { total: 1 } })
    const wrong = JSON.stringify({ deviceIds: ['x'] })
    expect(await refusal(send(id, wrong, signed(secret, wrong)))).toMatchObject({
      status: 400,
      message: expect.stringContaining('deviceIds'),
    })
    expect(await refusal(send(id, '[1]', signed(secret, '[1]')))).toMatchObject({ status: 400 })
  })

  it('answers 409 while the automation is disabled', async () => {
    const { id, secret } = await made()
    await call(partnerAdmin, automations.update, { id, enabled: false })
    expect(await refusal(send(id, body, signed(secret, body)))).toMatchObject({ status: 409 })
  })

  it('answers 429 above 60 triggers a minute, and a repetition nevertheless', async () => {
    const { id, secret } = await made({ maxRunsPerHour: 1_000 })
    const headers = signed(secret, body)
    const first = await send(id, body, headers)
    for (let sent = 1; sent < 60; sent++) await send(id, body, signed(secret, body))
    const refused = await refusal(send(id, body, signed(secret, body)))
    expect(refused).toMatchObject({ status: 429, extra: { retryAfter: expect.any(Number) } })
    expect(await send(id, body, headers)).toMatchObject({ runId: first.runId, duplicate: true })
  })
})
