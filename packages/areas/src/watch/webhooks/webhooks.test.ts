import { asSystem } from '@muster/db/database.ts'
import { auditOf } from '@muster/testkit/audit.ts'
import { call, refusal } from '@muster/testkit/call.ts'
import { type Receiver, receiver, status } from '@muster/testkit/receiver.ts'
import { testServices } from '@muster/testkit/services.ts'
import { beginFollower, followUp, testWorkerParts } from '@muster/testkit/worker-parts.ts'
import { person, world } from '@muster/testkit/world.ts'
import { Webhook as Verifier } from 'standardwebhooks'
import { afterAll, describe, expect, it } from 'vitest'
import type { z } from 'zod'
import { deviceOffline } from '../../fleet/devices/devices-events.contract.ts'
import { Deliverer } from '../../platform/deliveries/deliverer.ts'
import { decide } from '../../platform/deliveries/settle.ts'
import { emitAll, eventOf } from '../../platform/events/index.ts'
import { notifications } from '../notifications/notifications.contract.ts'
import { deliveries } from './deliveries.contract.ts'
import { webhookDeliveries } from './webhook-sender.ts'
import { webhooks } from './webhooks.contract.ts'
import { webhookFollower } from './webhooks.followers.ts'

const { system } = await testServices()
const parts = await testWorkerParts()
const here = await world()
const { partnerAdmin, orgAdmin, partner, org, otherOrg } = here
await beginFollower(parts, webhookFollower)
const deliverer = new Deliverer(parts, [webhookDeliveries], { pollMs: 20 })
await deliverer.run()
afterAll(() => deliverer.drain())

const offline = (orgId: string, severity?: string) =>
  eventOf(deviceOffline, {
    partnerId: partner.id,
    orgId,
    siteId: null,
    deviceId: crypto.randomUUID(),
    data: { hostname: 'reception', ...(severity === undefined ? {} : { severity }) },
  })
async function emit(...events: ReturnType<typeof offline>[]) {
  await asSystem(system, (db) => emitAll(db, events))
  await followUp(parts, webhookFollower)
}
type Given = Partial<z.input<typeof webhooks.create.input>>
const hook = (peer: Receiver, more: Given = {}) =>
  call(partnerAdmin, webhooks.create, {
    orgId: org.id,
    name: 'Tickets',
    url: `${peer.url}/hook`,
    events: ['device.*'],
    ...more,
  })
const deliveriesOf = async (id: string) => (await call(partnerAdmin, deliveries.list, { id })).data
const statusesOf = async (id: string) => (await deliveriesOf(id)).map((each) => each.status)
const eventually = <T>(look: () => Promise<T> | T) => expect.poll(look, { timeout: 10_000, interval: 20 })
const verified = (secret: string, { body, headers }: Receiver['received'][number]) => {
  const { 'webhook-id': id, 'webhook-timestamp': timestamp, 'webhook-signature': signature } = headers
  return new Verifier(secret).verify(body, {
    'webhook-id': String(id),
    'webhook-timestamp': String(timestamp),
    'webhook-signature': String(signature),
  })
}
const firstOf = ({ received: [first] }: Receiver) => {
  if (first === undefined) throw new Error('nothing was received')
  return first
}

describe('a webhook', () => {
  it('gets an event with a signature that Standard Webhooks accepts', async () => {
    const peer = await receiver()
    const { id, secret } = await hook(peer, { headers: { 'X-Tenant': 'acme' } })
    expect(secret).toMatch(/^whsec_[A-Za-z0-9+/]{43}=$/)
    await emit(offline(org.id))
    await eventually(() => statusesOf(id)).toEqual(['succeeded'])
    const request = firstOf(peer)
    expect(request).toMatchObject({
      path: '/hook',
      headers: { 'content-type': 'application/json', 'x-tenant': 'acme' },
    })
    const [delivery] = await deliveriesOf(id)
    expect(verified(secret, request)).toEqual({
      id: delivery?.eventId,
      type: 'device.offline',
      timestamp: expect.stringMatching(/Z$/),
      orgId: org.id,
      data: { deviceId: expect.any(String), hostname: 'reception' },
    })
    expect(delivery).toMatchObject({
      eventType: 'device.offline',
      attempts: [{ status: 200, error: null }],
      nextAttemptAt: null,
    })
    expect(request.headers['webhook-id']).toBe(delivery?.eventId)
    const { headers: _headers, ...altered } = request
    expect(() => verified(secret, { ...altered, headers: request.headers, body: `${request.body} ` })).toThrow()
  })

  it('needs its headers again when the URL leads to another server', async () => {
    const { id } = await hook(await receiver(), { headers: { Authorization: 'Bearer s3cret' } })
    const { url } = await receiver()
    const { url: known } = await call(partnerAdmin, webhooks.get, { id })
    const { host, port } = new URL(known)
    for (const other of [url, `https://${host}/`, `http://127.0.0.2:${port}/`, 'http://127.0.0.1/'])
      expect(await refusal(call(partnerAdmin, webhooks.update, { id, url: other })), other).toMatchObject({
        status: 400,
        extra: { issues: [{ path: 'headers' }] },
      })
    const elsewhere = new URL('/elsewhere', known).href
    expect(await call(partnerAdmin, webhooks.update, { id, url: elsewhere })).toMatchObject({
      url: elsewhere,
      headerNames: ['Authorization'],
    })
    expect(await call(partnerAdmin, webhooks.update, { id, url, headers: {} })).toMatchObject({ url, headerNames: [] })
  })

  it('shows its secret only when it is created and when it is rotated', async () => {
    const { id, secret } = await hook(await receiver(), { headers: { Authorization: 'Bearer s3cret' } })
    const { rows } = await system.query('SELECT secret, headers FROM webhooks WHERE id = $1', [id])
    expect(JSON.stringify(rows)).not.toContain(secret.slice(6))
    expect(JSON.stringify(rows)).not.toContain('s3cret')
    const shown = [
      await call(partnerAdmin, webhooks.get, { id }),
      await call(partnerAdmin, webhooks.list, {}),
      await call(partnerAdmin, webhooks.update, { id, name: 'Renamed' }),
      await auditOf(id),
    ]
    expect(JSON.stringify(shown)).not.toMatch(/whsec_|s3cret/)
    expect(await call(partnerAdmin, webhooks.get, { id })).toMatchObject({ headerNames: ['Authorization'] })
  })

  it('signs with the previous secret too for 24 hours after a rotation', async () => {
    const peer = await receiver()
    const { id, secret: old } = await hook(peer)
    const { secret = '' } = await call(partnerAdmin, webhooks.update, { id, rotateSecret: true })
    expect(secret).not.toBe(old)
    await emit(offline(org.id))
    await eventually(() => peer.received.length).toBe(1)
    expect(verified(old, firstOf(peer))).toEqual(verified(secret, firstOf(peer)))
    await system.query(`UPDATE webhooks SET previous_until = now() - interval '1 second' WHERE id = $1`, [id])
    // The worker reads the webhook once per second.
    await eventually(async () => {
      await emit(offline(org.id))
      const last = peer.received.at(-1)
      return String(last?.headers['webhook-signature']).split(' ').length
    }).toBe(1)
    const last = peer.received.at(-1)
    if (last === undefined) throw new Error('nothing was received')
    expect(() => verified(old, last)).toThrow()
    expect(verified(secret, last)).toBeDefined()
  })

  it('gets only events of its organization, of its types and within its filter', async () => {
    const peers = {
      org: await receiver(),
      other: await receiver(),
      partner: await receiver(),
      filtered: await receiver(),
      severe: await receiver(),
      elsewhere: await receiver(),
      exact: await receiver(),
    }
    const elsewhere = await world()
    await hook(peers.org)
    await hook(peers.other, { orgId: otherOrg.id })
    await call(partnerAdmin, webhooks.create, { name: 'All', url: peers.partner.url, events: ['*'] })
    const filter = { orgIds: [otherOrg.id] }
    await call(partnerAdmin, webhooks.create, { name: 'Some', url: peers.filtered.url, events: ['*'], filter })
    await hook(peers.severe, { filter: { severities: ['critical'] } })
    await hook(peers.exact, { events: ['device.online'] })
    const theirs = { name: 'Theirs', url: peers.elsewhere.url, events: ['*'] }
    await call(elsewhere.partnerAdmin, webhooks.create, theirs)
    await emit(offline(org.id), offline(org.id, 'low'), offline(otherOrg.id))
    const counts = () =>
      Object.fromEntries(Object.entries(peers).map(([name, { received }]) => [name, received.length]))
    await eventually(counts).toEqual({ org: 2, other: 1, partner: 3, filtered: 1, severe: 1, elsewhere: 0, exact: 0 })
  })

  it('refuses addresses inside, unknown events, reserved headers and organizations of others', async () => {
    const peer = await receiver()
    const elsewhere = await world()
    const attempts: [Given, RegExp][] = [
      [{ url: 'http://10.0.0.1/hook' }, /not allowed/],
      [{ url: 'http://[::1]/hook' }, /not allowed/],
      [{ url: 'ftp://example.test/' }, /url/],
      [{ events: ['device.exploded'] }, /events/],
      [{ headers: { 'webhook-id': 'x' } }, /headers/],
      [{ headers: { Host: 'x' } }, /headers/],
      [{ headers: { 'X-A': 'a\r\nX-B: b' } }, /headers/],
      [{ filter: { orgIds: [elsewhere.org.id] } }, /filter.orgIds/],
      [{ filter: { orgIds: [otherOrg.id] } }, /filter.orgIds/],
    ]
    for (const [given, message] of attempts)
      expect(await refusal(hook(peer, given)), String(message)).toMatchObject({
        status: 400,
        message: expect.stringMatching(message),
      })
    const { id } = await hook(peer)
    expect(await refusal(call(partnerAdmin, webhooks.update, { id, url: 'http://10.0.0.1/' }))).toMatchObject({
      status: 400,
    })
    expect(await refusal(call(partnerAdmin, webhooks.update, { id }))).toMatchObject({
      status: 400,
      message: expect.stringContaining('No updates provided'),
    })
  })

  it('is hidden from members limited to sites, and belongs to its partner or organization', async () => {
    const tenant = { scope: 'organization', partnerId: partner.id, orgId: org.id } as const
    const limited = await person(tenant, { role: 'Org Admin', siteIds: [here.site.id] })
    const selected = await person(
      { scope: 'partner', partnerId: partner.id },
      { role: 'Partner Admin', orgAccess: 'selected', orgIds: [org.id] },
    )
    const peer = await receiver()
    const ofPartner = await call(partnerAdmin, webhooks.create, { name: 'All', url: peer.url, events: ['*'] })
    const ofOrg = await hook(peer)
    expect((await call(limited, webhooks.list, {})).data).toEqual([])
    for (const who of [limited, orgAdmin, selected])
      expect(await refusal(call(who, webhooks.get, { id: ofPartner.id }))).toMatchObject({ status: 404 })
    expect(await refusal(call(limited, webhooks.get, { id: ofOrg.id }))).toMatchObject({ status: 404 })
    expect(await call(orgAdmin, webhooks.get, { id: ofOrg.id })).toMatchObject({ id: ofOrg.id })
    const given = { name: 'All', url: peer.url, events: ['*'] }
    expect(await refusal(call(selected, webhooks.create, given))).toMatchObject({ status: 403 })
    expect(await refusal(call(here.partnerViewer, webhooks.create, given))).toMatchObject({ status: 403 })
    expect(await call(orgAdmin, webhooks.remove, { id: ofOrg.id })).toEqual({ success: true })
    expect(await auditOf(ofOrg.id)).toMatchObject([{ action: 'webhook.create' }, { action: 'webhook.delete' }])
  })

  it('is tried after 5 s, 1, 5 and 30 min, 2, 5, 10, 14, 20 and 24 h, ten percent more or less', () => {
    const waits = (random: number) =>
      Array.from({ length: 11 }, (_, index) => {
        const claimed = {
          id: '',
          lane: '',
          kind: 'webhook',
          key: '',
          partnerId: '',
          orgId: null,
          payload: {},
          tries: index + 1,
          isFailing: false,
          lastsUntilMs: null,
        }
        const result = { delivered: false, error: '' } as const
        const { waitMs } = decide(webhookDeliveries, { claimed, startedMs: 0, durationMs: 0, result }, random)
        return waitMs === null ? null : Math.round(waitMs / 100) / 10
      })
    const middle = [5, 60, 300, 1_800, 7_200, 18_000, 36_000, 50_400, 72_000, 86_400]
    expect(waits(0.5)).toEqual([...middle, null])
    expect(waits(0)).toEqual([...middle.map((wait) => (wait * 9) / 10), null])
    expect(waits(1)).toEqual([...middle.map((wait) => (wait * 11) / 10), null])
  })
})

describe('a receiver that fails', () => {
  const disabled = async (id: string) => (await call(partnerAdmin, webhooks.get, { id })).status === 'disabled'

  it('with 410 disables its webhook, which tells the owners and keeps the queue to be replayed', async () => {
    const peer = await receiver(status(410))
    const { id } = await hook(peer, { name: 'Gone', concurrency: 1 })
    const before = new Date(Date.now() - 60_000).toISOString()
    await emit(offline(org.id), offline(org.id), offline(org.id))
    await eventually(() => disabled(id)).toBe(true)
    expect(await call(partnerAdmin, webhooks.get, { id })).toMatchObject({
      disabledReason: 'The endpoint answered 410 Gone',
    })
    await eventually(() => statusesOf(id)).toEqual(['failed', 'failed', 'failed'])
    expect(await auditOf(id)).toMatchObject([
      {},
      { action: 'webhook.disable', details: { reason: expect.any(String) } },
    ])
    const told = (await call(partnerAdmin, notifications.list, { unread: true })).data
    expect(told).toContainEqual(
      expect.objectContaining({ title: 'The webhook Gone was disabled', link: { kind: 'webhook', id } }),
    )
    const mails = await system.query(
      `SELECT to_address FROM mail_outbox WHERE template = 'webhook-disabled' AND data ->> 'webhook' = 'Gone' AND org_id = $1`,
      [org.id],
    )
    expect(mails.rows).toContainEqual({ to_address: orgAdmin.email })

    await emit(offline(org.id))
    expect(await statusesOf(id)).toHaveLength(3)
    expect(await refusal(call(partnerAdmin, deliveries.replay, { id, from: before }))).toMatchObject({ status: 409 })
    peer.answers(status(200))
    await call(partnerAdmin, webhooks.update, { id, status: 'active' })
    expect(await call(partnerAdmin, deliveries.replay, { id, from: before })).toEqual({ queued: 3 })
    await eventually(() => statusesOf(id)).toEqual(['succeeded', 'succeeded', 'succeeded'])
    const ids = new Set(peer.received.map(({ headers }) => headers['webhook-id']))
    expect(ids.size).toBe(3)
  })

  it('for 72 hours and 20 tries disables its webhook, but not sooner', async () => {
    const peer = await receiver(status(500))
    const failing = async (failures: number, hours: number) => {
      const { id } = await hook(peer)
      await system.query(
        `UPDATE delivery_lanes SET failures = $2, failing_since = now() - make_interval(hours => $3) WHERE lane = $1`,
        [`webhook:${id}`, failures, hours],
      )
      return id
    }
    const [tooFew, tooShort, enough] = [await failing(18, 80), await failing(30, 71), await failing(19, 73)]
    await emit(offline(org.id))
    await eventually(() => disabled(enough)).toBe(true)
    for (const id of [tooFew, tooShort]) {
      await eventually(async () => (await deliveriesOf(id))[0]?.attempts.length).toBe(1)
      expect(await disabled(id)).toBe(false)
      await call(partnerAdmin, webhooks.remove, { id })
    }
  })
})

describe('testing a webhook', () => {
  it('sends webhook.test and answers the attempt', async () => {
    const peer = await receiver(status(200, {}, 'thanks'))
    const { id, secret } = await hook(peer)
    expect(await call(partnerAdmin, webhooks.test, { id })).toMatchObject({ status: 200, error: null, body: 'thanks' })
    expect(verified(secret, firstOf(peer))).toMatchObject({
      type: 'webhook.test',
      orgId: org.id,
      data: { webhookId: id },
    })
    peer.answers(status(503, {}, 'sorry'))
    expect(await call(partnerAdmin, webhooks.test, { id })).toMatchObject({
      status: 503,
      error: 'The endpoint answered 503',
      body: 'sorry',
    })
    await call(partnerAdmin, webhooks.update, { id, url: 'http://127.0.0.1:1/' })
    expect(await call(partnerAdmin, webhooks.test, { id })).toMatchObject({
      status: null,
      error: expect.stringContaining('ECONNREFUSED'),
    })
    expect((await auditOf(id)).filter(({ action }) => action === 'webhook.test')).toHaveLength(3)
  })
})
