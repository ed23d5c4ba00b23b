import { asSystem } from '@muster/db/database.ts'
import { auditOf } from '@muster/testkit/audit.ts'
import { call, refusal } from '@muster/testkit/call.ts'
import { outgoingForTests } from '@muster/testkit/outgoing.ts'
import { ownKind } from '@muster/testkit/own-kind.ts'
import { misbehavior, type Receiver, receiver, status } from '@muster/testkit/receiver.ts'
import { testServices } from '@muster/testkit/services.ts'
import { testWorkerParts } from '@muster/testkit/worker-parts.ts'
import { person, world } from '@muster/testkit/world.ts'
import { AdaptiveCard, SerializationContext } from 'adaptivecards'
import { Webhook as Verifier } from 'standardwebhooks'
import { describe, expect, it, onTestFinished } from 'vitest'
import type { z } from 'zod'
import { Deliverer } from '../../platform/deliveries/deliverer.ts'
import { expireDeliveries } from '../../platform/deliveries/expiry.jobs.ts'
import { createRuntime, createServices } from '../../runtime.ts'
import { channelDeliveries } from './channel-sender.ts'
import { type AlertChannel, alertChannels } from './channels.contract.ts'
import { type ChannelMessage, sendToChannels, setChannelUses } from './index.ts'
import { mailServer } from './testing/mail-server.ts'

const services = await testServices()
const { system } = services
const { partnerAdmin, orgAdmin, partner, org, otherOrg, site } = await world()

/** Refuses one recipient for good. */
const smtp = await mailServer({
  onRcptTo({ address }, _session, done) {
    done(address.startsWith('unknown') ? Object.assign(new Error('no such mailbox'), { responseCode: 550 }) : undefined)
  },
})
const pager = await receiver(status(202))
const smsGateway = await receiver(status(201, {}, JSON.stringify({ sid: 'SM1' })))
const outgoing = {
  ...outgoingForTests,
  pagerDutyUrl: pager.url,
  smtpUrl: `smtp://127.0.0.1:${smtp.port}`,
  sms: { baseUrl: smsGateway.url, accountId: 'AC1', token: 'token', from: '+15550100', perDayMax: 100 },
}
const usual = await testWorkerParts()
const parts = { ...usual, settings: { ...usual.settings, outgoing } }
const runtime = createRuntime(createServices({ ...services, settings: { ...services.settings, outgoing } }))

const own = ownKind(channelDeliveries)

async function delivering() {
  const deliverer = new Deliverer(parts, [own.kind], { pollMs: 20 })
  await deliverer.run()
  onTestFinished(() => deliverer.drain())
}
type Given = z.input<typeof alertChannels.create.input>
async function channel(type: AlertChannel['type'], config: Given['config'], more: Partial<Given> = {}) {
  const made = await call(partnerAdmin, alertChannels.create, { orgId: org.id, name: 'On call', type, config, ...more })
  await own.take(`channel:${made.id}`)
  return made
}
const shown = async (id: string) =>
  (await call(partnerAdmin, alertChannels.list, { limit: 100 })).data.find((each) => each.id === id)

const message = (more: Partial<ChannelMessage> = {}): ChannelMessage => ({
  kind: 'alert',
  groupKey: 'group-1',
  title: 'CPU above 90 % on <!channel> [link](http://evil.test)',
  severity: 'critical',
  lines: ['reception: 97 %', 'Organization: Acme & Sons'],
  link: 'https://muster.test/alerts/1',
  alerts: [
    {
      id: 'a1',
      title: 'CPU above 90 %',
      severity: 'critical',
      status: 'active',
      openedAt: '2026-01-01T00:00:00Z',
      device: 'reception',
      organization: 'Acme',
    },
  ],
  ...more,
})
const send = (channelId: string, key: string, more: Partial<ChannelMessage> = {}) =>
  asSystem(system, (db) => sendToChannels(db, [{ channelId, key, message: message(more) }]))
const eventually = <T>(look: () => Promise<T> | T) => expect.poll(look, { timeout: 10_000, interval: 20 })
const bodiesOf = ({ received }: Receiver) => received.map(({ body }) => JSON.parse(body))
const statusOf = async (id: string) =>
  (await system.query('SELECT status FROM deliveries WHERE lane = $1 ORDER BY key', [`channel:${id}`])).rows.map(
    (row) => row.status,
  )

describe('a message reaches', () => {
  it('Slack as blocks without mentions of people, once per second', async () => {
    const slack = await receiver(status(200, {}, 'ok'))
    const { id } = await channel('slack', { webhookUrl: `${slack.url}/services/T/B/x` })
    await delivering()
    await send(id, '1')
    await eventually(() => slack.received.length).toBe(1)
    const [{ blocks, text }] = bodiesOf(slack)
    expect(JSON.stringify([text, blocks[1]])).not.toContain('<!channel>')
    expect(blocks[0]).toMatchObject({ type: 'header', text: { type: 'plain_text' } })
    expect(blocks[1].text.text).toContain('Acme &amp; Sons')
    expect(blocks[2].elements[0].url).toBe('https://muster.test/alerts/1')
    const lane = await system.query('SELECT spacing_ms FROM delivery_lanes WHERE lane = $1', [`channel:${id}`])
    expect(lane.rows).toEqual([{ spacing_ms: 1_000 }])
  })

  it('Teams as an adaptive card of at most 20 kB', async () => {
    const teams = await receiver(status(202))
    const { id } = await channel('teams', { webhookUrl: `${teams.url}/workflows/x` })
    await delivering()
    await send(id, '1', { lines: Array.from({ length: 500 }, (_, index) => `device ${index} ${'x'.repeat(100)}`) })
    await eventually(() => teams.received.length).toBe(1)
    const [request] = teams.received
    expect(Buffer.byteLength(request?.body ?? '')).toBeLessThanOrEqual(20_000)
    const [body] = bodiesOf(teams)
    expect(body).toMatchObject({
      type: 'message',
      attachments: [{ contentType: 'application/vnd.microsoft.card.adaptive', content: { type: 'AdaptiveCard' } }],
    })
    const card = new AdaptiveCard()
    const context = new SerializationContext()
    card.parse(body.attachments[0].content, context)
    expect(context.eventCount).toBe(0)
    expect(card.getItemCount()).toBeGreaterThan(2)
    expect(JSON.stringify(body)).not.toContain('[link](http')
    expect(JSON.stringify(body)).toMatch(/and \d+ more/)
  })

  it('PagerDuty with the group as dedup_key, and resolves it', async () => {
    const { id } = await channel('pagerduty', { routingKey: 'R123' })
    await delivering()
    await send(id, 'open')
    await send(id, 'warn', { severity: 'medium', groupKey: 'group-2' })
    await eventually(() => pager.received.length).toBe(2)
    await send(id, 'done', { kind: 'resolved' })
    await eventually(() => pager.received.length).toBe(3)
    const events = bodiesOf(pager)
    expect(pager.received[0]?.path).toBe('/v2/enqueue')
    expect(events.find(({ dedup_key }) => dedup_key === 'group-1')).toMatchObject({
      routing_key: 'R123',
      event_action: 'trigger',
      payload: { severity: 'critical', source: 'reception' },
    })
    expect(events.find(({ dedup_key }) => dedup_key === 'group-2')).toMatchObject({ payload: { severity: 'warning' } })
    expect(events[2]).toMatchObject({ event_action: 'resolve', dedup_key: 'group-1' })
  })

  it('a webhook with its headers and a signature', async () => {
    const peer = await receiver()
    const secret = `whsec_${Buffer.alloc(32, 7).toString('base64')}`
    const { id } = await channel('webhook', { url: peer.url, headers: { 'X-Key': 'k' }, secret })
    await delivering()
    await send(id, 'm1')
    await eventually(() => peer.received.length).toBe(1)
    const [request] = peer.received
    expect(request?.headers).toMatchObject({ 'x-key': 'k', 'webhook-id': 'm1' })
    const headers = Object.fromEntries(
      Object.entries(request?.headers ?? {}).map(([name, value]) => [name, String(value)]),
    )
    expect(new Verifier(secret).verify(request?.body ?? '', headers)).toMatchObject({
      groupKey: 'group-1',
      kind: 'alert',
    })
  })

  it('mailboxes', async () => {
    const { id } = await channel('email', { to: ['ann@example.test', 'bob@example.test'] })
    await delivering()
    await send(id, 'm1')
    await eventually(() => smtp.mails.length).toBe(1)
    const [mail = ''] = smtp.mails
    expect(mail).toContain('To: ann@example.test, bob@example.test')
    expect(mail).toContain('Subject: [critical] CPU above 90 %')
    expect(mail).toContain('reception: 97 %')
    expect(mail).toContain('https://muster.test/alerts/1')
  })

  it('each phone number once', async () => {
    const { id } = await channel('sms', { to: ['+491701234567', '+491701234568'] })
    await delivering()
    await send(id, 'm1')
    await send(id, 'm1')
    await eventually(() => smsGateway.received.length).toBe(2)
    const numbers = smsGateway.received.map(({ body }) => new URLSearchParams(body).get('To'))
    expect(numbers.sort()).toEqual(['+491701234567', '+491701234568'])
    await eventually(() => statusOf(id)).toEqual(['succeeded', 'succeeded'])
  })
})

describe('a channel', () => {
  it('gets no message while it is disabled, and no resolution that it does not want', async () => {
    const peer = await receiver()
    const { id } = await channel('webhook', { url: peer.url }, { sendResolved: false })
    expect(await send(id, '1', { kind: 'resolved' })).toEqual([])
    await call(partnerAdmin, alertChannels.update, { id, enabled: false })
    expect(await send(id, '2')).toEqual([])
    await call(partnerAdmin, alertChannels.update, { id, enabled: true })
    expect(await send(id, '3')).toHaveLength(1)
    await delivering()
    await eventually(() => peer.received.length).toBe(1)
  })

  it('is tried again while it fails, and shows its health', async () => {
    const peer = await receiver(status(429, { 'retry-after': '1' }), status(200))
    const { id, status: before } = await channel('slack', { webhookUrl: peer.url })
    expect(before).toBe('untested')
    await delivering()
    await send(id, '1')
    await eventually(async () => (await shown(id))?.status).toBe('failing')
    expect(await shown(id)).toMatchObject({ lastError: 'The endpoint answered 429' })
    await system.query(`UPDATE deliveries SET next_attempt_at = now() WHERE lane = $1`, [`channel:${id}`])
    await eventually(async () => (await shown(id))?.status).toBe('ok')
    expect(await shown(id)).toMatchObject({ lastError: null, lastSuccessAt: expect.any(String) })
    const other = { webhookUrl: (await receiver()).url }
    const changed = await call(partnerAdmin, alertChannels.update, { id, config: other })
    expect(changed).toMatchObject({ status: 'untested', lastSuccessAt: null })
  })

  it('whose message finally failed emits an event for the next step', async () => {
    const peer = await receiver(status(404))
    const { id } = await channel('teams', { webhookUrl: peer.url }, { name: 'Gone' })
    await delivering()
    await send(id, 'step 1')
    const failures = async () =>
      (
        await system.query(
          `SELECT data FROM events WHERE type = 'alert_channel.failed' AND data ->> 'channelId' = $1`,
          [id],
        )
      ).rows
    await eventually(failures).toEqual([
      { data: { channelId: id, name: 'Gone', key: 'step 1', groupKey: 'group-1', error: 'The endpoint answered 404' } },
    ])
  })

  it('gives up a message after an hour', async () => {
    const peer = await receiver(misbehavior.hangs)
    const { id } = await channel('webhook', { url: peer.url })
    await send(id, '1')
    await system.query(`UPDATE deliveries SET began_at = now() - interval '61 minutes' WHERE lane = $1`, [
      `channel:${id}`,
    ])
    await expireDeliveries(parts, [own.kind])
    expect(await statusOf(id)).toEqual(['failed'])
  })

  it('never answers its secrets, and stores them sealed', async () => {
    const made = [
      await channel('slack', { webhookUrl: 'http://127.0.0.1:9/s3cret' }),
      await channel('teams', { webhookUrl: 'http://127.0.0.1:9/s3cret' }),
      await channel('webhook', { url: 'http://127.0.0.1:9/', headers: { 'X-Key': 's3cret' }, secret: 's3cret' }),
      await channel('pagerduty', { routingKey: 's3cret' }),
    ]
    expect(JSON.stringify(made)).not.toContain('s3cret')
    expect(made.map(({ secretFields }) => secretFields)).toEqual([
      ['webhookUrl'],
      ['webhookUrl'],
      ['headers', 'secret'],
      ['routingKey'],
    ])
    const ids = made.map(({ id }) => id)
    const stored = await system.query('SELECT * FROM alert_channels WHERE id = ANY ($1)', [ids])
    expect(JSON.stringify(stored.rows)).not.toContain('s3cret')
    const updated = await call(partnerAdmin, alertChannels.update, {
      id: ids[2] ?? '',
      config: { url: 'http://127.0.0.1:9/other' },
    })
    expect(updated).toMatchObject({ config: { url: 'http://127.0.0.1:9/other' }, secretFields: ['headers', 'secret'] })
    const id = ids[2] ?? ''
    for (const url of ['http://127.0.0.1:8/other', 'https://127.0.0.1:9/other', 'http://127.0.0.2:9/other'])
      expect(await refusal(call(partnerAdmin, alertChannels.update, { id, config: { url } })), url).toMatchObject({
        status: 400,
        message: 'config.headers: is required again, because the URL leads to another server',
      })
    const own = { url: 'http://127.0.0.1:8/', headers: {} }
    expect(await refusal(call(partnerAdmin, alertChannels.update, { id, config: own }))).toMatchObject({
      message: 'config.secret: is required again, because the URL leads to another server',
    })
    expect(JSON.stringify([updated, await auditOf(ids[2] ?? '')])).not.toContain('s3cret')
  })

  it('is listed and can be replaced when its secrets cannot be opened', async () => {
    const { id } = await channel('pagerduty', { routingKey: 's3cret' })
    await system.query(`UPDATE alert_channels SET secrets = 'sealed elsewhere' WHERE id = $1`, [id])
    const { data } = await call(partnerAdmin, alertChannels.list, { limit: 100 })
    expect(data.find((each) => each.id === id)).toMatchObject({ secretFields: ['routingKey'] })
    await call(partnerAdmin, alertChannels.update, { id, name: 'Renamed' })
    await call(partnerAdmin, alertChannels.remove, { id })
  })

  it('refuses a configuration of another type and addresses inside', async () => {
    const wrong: [AlertChannel['type'], Given['config'], RegExp][] = [
      ['email', { webhookUrl: 'https://example.test/' }, /^config\.to: is required$/],
      ['email', {}, /^config\.to: is required$/],
      ['email', { to: [] }, /^config\.to: must not be empty$/],
      ['email', { to: ['not an address'] }, /config\.to/],
      ['sms', { to: ['0170 1234567'] }, /config\.to/],
      ['slack', { webhookUrl: 'http://10.0.0.1/' }, /not allowed/],
      ['webhook', { url: 'http://192.168.0.1/' }, /not allowed/],
      [
        'webhook',
        { url: 'https://example.test/', headers: { 'webhook-id': '1' } },
        /must be a header that Muster does not set itself/,
      ],
      ['pagerduty', {}, /config\.routingKey/],
    ]
    for (const [type, config, text] of wrong)
      expect(await refusal(channel(type, config)), `${type} ${text}`).toMatchObject({
        status: 400,
        message: expect.stringMatching(text),
      })
    const { id } = await channel('email', { to: ['ann@example.test'] })
    expect(await refusal(call(partnerAdmin, alertChannels.update, { id, config: { routingKey: 'x' } }))).toMatchObject({
      status: 400,
    })
  })

  it('cannot be deleted while it is in use', async () => {
    const { id } = await channel('email', { to: ['ann@example.test'] })
    const user = { usedBy: `policy:${crypto.randomUUID()}`, partnerId: partner.id, orgId: org.id }
    await asSystem(system, (db) => setChannelUses(db, user, [id]))
    expect(await refusal(call(partnerAdmin, alertChannels.remove, { id }))).toMatchObject({
      status: 409,
      code: 'CONFLICT',
      message: 'The channel is in use by a policy. Remove it there first',
    })
    await asSystem(system, (db) => setChannelUses(db, user, []))
    expect(await call(partnerAdmin, alertChannels.remove, { id })).toEqual({ success: true })
    const elsewhere = await channel('email', { to: ['ann@example.test'] }, { orgId: otherOrg.id })
    const using = asSystem(system, (db) => setChannelUses(db, user, [elsewhere.id]))
    expect(await refusal(using)).toMatchObject({ status: 400 })
  })

  it('belongs to its partner or organization, and is hidden from members limited to sites', async () => {
    const tenant = { scope: 'organization', partnerId: partner.id, orgId: org.id } as const
    const limited = await person(tenant, { role: 'Org Admin', siteIds: [site.id] })
    const viewer = await person(tenant, { role: 'Org Viewer' })
    const given = { name: 'All', type: 'email' as const, config: { to: ['ann@example.test'] } }
    const ofPartner = await call(partnerAdmin, alertChannels.create, given)
    const update = (who: typeof limited) => call(who, alertChannels.update, { id: ofPartner.id, enabled: false })
    expect(await refusal(update(orgAdmin))).toMatchObject({ status: expect.toBeOneOf([403, 404]) })
    expect(await refusal(update(limited))).toMatchObject({ status: 404 })
    expect((await call(limited, alertChannels.list, {})).data).toEqual([])
    expect(await refusal(call(viewer, alertChannels.create, { ...given, orgId: org.id }))).toMatchObject({
      status: 403,
    })
  })
})

describe('testing a channel', () => {
  const test = (id: string) => call(partnerAdmin, alertChannels.test, { id }, { runtime })

  it('sends through each type and answers the result', async () => {
    const peer = await receiver(status(200))
    const channels = [
      await channel('slack', { webhookUrl: peer.url }),
      await channel('teams', { webhookUrl: peer.url }),
      await channel('webhook', { url: peer.url }),
      await channel('pagerduty', { routingKey: 'R1' }),
      await channel('email', { to: ['ann@example.test'] }),
      await channel('sms', { to: ['+491701234567'] }),
    ]
    for (const { id, type } of channels) {
      expect(await test(id), type).toMatchObject({ delivered: true, error: null, latencyMs: expect.any(Number) })
      expect(await shown(id), type).toMatchObject({ status: 'ok' })
    }
    expect(peer.received).toHaveLength(3)
  })

  it.each([
    ['slack', status(403, {}, 'invalid_token'), 403, 'The endpoint answered 403'],
    ['teams', status(500), 500, 'The endpoint answered 500'],
    ['webhook', misbehavior.hangsUp, null, /socket|closed/],
  ] as const)('tells the error of %s', async (type, answer, code, error) => {
    const peer = await receiver(answer)
    const { id } = await channel(type, type === 'webhook' ? { url: peer.url } : { webhookUrl: peer.url })
    expect(await test(id)).toMatchObject({ delivered: false, status: code, error: expect.stringMatching(error) })
    expect(await shown(id)).toMatchObject({ status: 'failing', lastError: expect.stringMatching(error) })
  })

  it('tells that there is no mail server or SMS gateway, or that a mailbox does not exist', async () => {
    const { id } = await channel('email', { to: ['unknown@example.test'] })
    expect(await test(id)).toMatchObject({ delivered: false, error: expect.stringContaining('no such mailbox') })
    expect(await call(partnerAdmin, alertChannels.test, { id })).toMatchObject({
      delivered: false,
      error: 'No mail server is configured (SMTP_URL)',
    })
    const sms = await channel('sms', { to: ['+491701234567'] })
    expect(await call(partnerAdmin, alertChannels.test, { id: sms.id })).toMatchObject({
      delivered: false,
      error: 'No SMS gateway is configured (SMS_GATEWAY_URL)',
    })
  })
})
