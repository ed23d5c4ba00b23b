import { asSystem } from '@muster/db/database.ts'
import { auditOf } from '@muster/testkit/audit.ts'
import { call, refusal } from '@muster/testkit/call.ts'
import { ownKind } from '@muster/testkit/own-kind.ts'
import { receiver, status } from '@muster/testkit/receiver.ts'
import { testServices } from '@muster/testkit/services.ts'
import { testWorkerParts } from '@muster/testkit/worker-parts.ts'
import { world } from '@muster/testkit/world.ts'
import { describe, expect, it, onTestFinished } from 'vitest'
import { Deliverer } from '../../platform/deliveries/deliverer.ts'
import { enqueue } from '../../platform/deliveries/index.ts'
import { deliveries } from './deliveries.contract.ts'
import { webhookDeliveries } from './webhook-sender.ts'
import { webhooks } from './webhooks.contract.ts'

const { system } = await testServices()
const { partnerAdmin, org, orgAdmin } = await world()
const parts = await testWorkerParts()
const own = ownKind(webhookDeliveries)

async function queued(url: string, ...ids: string[]) {
  const given = { orgId: org.id, name: 'Tickets', url, events: ['*'] }
  const { id } = await call(partnerAdmin, webhooks.create, given)
  await own.take(`webhook:${id}`)
  onTestFinished(async () => {
    await call(partnerAdmin, webhooks.remove, { id })
  })
  const body = (eventId: string) => ({
    id: eventId,
    type: 'device.offline',
    timestamp: '2026-01-01T00:00:00Z',
    orgId: org.id,
    data: {},
  })
  await asSystem(system, (db) =>
    enqueue(
      db,
      ids.map((key) => ({ lane: `webhook:${id}`, key, payload: body(key) })),
    ),
  )
  return id
}
const listed = async (id: string) => (await call(partnerAdmin, deliveries.list, { id })).data
async function delivering() {
  const deliverer = new Deliverer(parts, [own.kind], { pollMs: 20 })
  await deliverer.run()
  onTestFinished(() => deliverer.drain())
}
const eventually = <T>(look: () => Promise<T>) => expect.poll(look, { timeout: 10_000, interval: 20 })

describe('the deliveries of a webhook', () => {
  it('are listed with their attempts and by status and type', async () => {
    const peer = await receiver(status(500, {}, 'broken'))
    const id = await queued(peer.url, 'one')
    expect(await listed(id)).toMatchObject([
      {
        eventId: 'one',
        eventType: 'device.offline',
        status: 'pending',
        attempts: [],
        nextAttemptAt: expect.any(String),
      },
    ])
    await delivering()
    await eventually(async () => (await listed(id))[0]?.attempts).toMatchObject([
      { status: 500, error: 'The endpoint answered 500', body: 'broken' },
    ])
    expect((await call(partnerAdmin, deliveries.list, { id, status: 'pending' })).data).toHaveLength(1)
    expect((await call(partnerAdmin, deliveries.list, { id, status: 'failed' })).data).toEqual([])
    expect((await call(partnerAdmin, deliveries.list, { id, eventType: 'device.online' })).data).toEqual([])
    const elsewhere = await world()
    expect(await refusal(call(elsewhere.partnerAdmin, deliveries.list, { id }))).toMatchObject({ status: 404 })
  })

  it('are retried with the same webhook-id, and only after their end', async () => {
    const peer = await receiver(status(200))
    const id = await queued(peer.url, 'one')
    const [{ id: deliveryId } = { id: '' }] = await listed(id)
    const retry = () => call(orgAdmin, deliveries.retry, { id, deliveryId })
    expect(await refusal(retry())).toMatchObject({ status: 409, message: 'The delivery has not ended yet' })
    await delivering()
    await eventually(async () => (await listed(id))[0]?.status).toBe('succeeded')
    expect(await retry()).toMatchObject({ id: deliveryId, status: 'pending', eventId: 'one' })
    await eventually(async () => (await listed(id))[0]?.attempts.length).toBe(2)
    expect(peer.received.map(({ headers }) => headers['webhook-id'])).toEqual(['one', 'one'])
    const unknown = call(orgAdmin, deliveries.retry, { id, deliveryId: crypto.randomUUID() })
    expect(await refusal(unknown)).toMatchObject({ status: 404 })
    expect(await auditOf(id)).toContainEqual(
      expect.objectContaining({ action: 'webhook.retry', details: expect.objectContaining({ deliveryId }) }),
    )
  })

  it('are replayed by time and status', async () => {
    const peer = await receiver(status(200))
    const id = await queued(peer.url, 'old', 'new')
    await system.query(`UPDATE deliveries SET created_at = now() - interval '2 days' WHERE lane = $1 AND key = 'old'`, [
      `webhook:${id}`,
    ])
    await delivering()
    await eventually(async () => (await listed(id)).map((each) => each.status)).toEqual(['succeeded', 'succeeded'])
    const yesterday = new Date(Date.now() - 86_400_000).toISOString()
    expect(await call(partnerAdmin, deliveries.replay, { id, from: yesterday })).toEqual({ queued: 0 })
    const reversed = { id, from: yesterday, to: '2020-01-01T00:00:00Z' }
    expect(await refusal(call(partnerAdmin, deliveries.replay, reversed))).toMatchObject({
      status: 400,
      message: 'from: must be before to',
    })
    expect(await call(partnerAdmin, deliveries.replay, { id, from: yesterday, status: 'succeeded' })).toEqual({
      queued: 1,
    })
    const earlier = { id, from: '2026-01-01T00:00:00Z', to: yesterday, status: 'succeeded' as const }
    expect(await call(partnerAdmin, deliveries.replay, earlier)).toEqual({ queued: 1 })
    await eventually(async () => peer.received.length).toBe(4)
  })
})
