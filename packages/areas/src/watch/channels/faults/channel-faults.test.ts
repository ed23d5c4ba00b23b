// Channels whose peers fail in every way. A message waits, or has failed, with a reason that contains no secret; when the peer
// recovers, it arrives once, with the same key as before.
import { execFile } from 'node:child_process'
import { once } from 'node:events'
import { mkdtempSync, readFileSync, rmSync } from 'node:fs'
import { createServer as createHttpsServer } from 'node:https'
import { createServer as createTcpServer, type Server } from 'node:net'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { promisify } from 'node:util'
import { asSystem } from '@muster/db/database.ts'
import type { JsonObject } from '@muster/db/json.ts'
import { call } from '@muster/testkit/call.ts'
import { outgoingForTests } from '@muster/testkit/outgoing.ts'
import { ownKind } from '@muster/testkit/own-kind.ts'
import { type Answer, misbehavior, type ReceivedRequest, receiver, status } from '@muster/testkit/receiver.ts'
import { testServices } from '@muster/testkit/services.ts'
import { testWorkerParts } from '@muster/testkit/worker-parts.ts'
import { world } from '@muster/testkit/world.ts'
import { afterAll, describe, expect, it } from 'vitest'
import { claimDue } from '../../../platform/deliveries/claim.ts'
import type { OutgoingSettings } from '../../../platform/deliveries/index.ts'
import { settle } from '../../../platform/deliveries/settle.ts'
import { channelDeliveries } from '../channel-sender.ts'
import { type AlertChannel, alertChannels } from '../channels.contract.ts'
import { sendToChannels } from '../index.ts'
import { mailServer } from '../testing/mail-server.ts'

const { system } = await testServices()
const { partnerAdmin, org } = await world()
const usual = await testWorkerParts()
const secret = 's3cret-of-the-channel'
const key = 'group:1:0:0:0'

/** One channel, its worker, and what became of its message. */
async function subject(type: AlertChannel['type'], config: JsonObject, settings: Partial<OutgoingSettings> = {}) {
  const own = ownKind(channelDeliveries)
  const parts = { ...usual, settings: { ...usual.settings, outgoing: { ...outgoingForTests, ...settings } } }
  const { id } = await call(partnerAdmin, alertChannels.create, { orgId: org.id, name: 'On call', type, config })
  const lane = `channel:${id}`
  await own.take(lane)
  const room = { healthy: 10, failing: 10, withoutPartners: [], kinds: [own.kind.name], leaseMs: 60_000 }
  return {
    send: () =>
      asSystem(system, (db) =>
        sendToChannels(db, [
          {
            channelId: id,
            key,
            message: {
              kind: 'alert',
              groupKey: 'group-1',
              title: 'Down',
              severity: 'high',
              lines: [],
              link: null,
              alerts: [],
            },
          },
        ]),
      ),
    /** Makes one try, regardless of when it is due. */
    async attempt() {
      await system.query(`UPDATE deliveries SET next_attempt_at = now() WHERE lane = $1 AND ended_at IS NULL`, [lane])
      await system.query(`UPDATE delivery_lanes SET due_at = now(), not_before = '-infinity' WHERE lane = $1`, [lane])
      for (const claimed of await claimDue(parts.pool, room)) {
        const [startedMs, begun] = [Date.now(), performance.now()]
        const result = await own.kind
          .send(parts, claimed)
          .catch((error: unknown) => ({ delivered: false as const, error: String(error) }))
        const tried = { claimed, startedMs, durationMs: performance.now() - begun, result }
        await settle(parts, new Map([[own.kind.name, own.kind]]), [tried])
      }
    },
    async state() {
      const { rows } = await system.query<{ status: string; wait: number | null }>(
        `SELECT status, round(extract(epoch FROM next_attempt_at - now()))::int AS wait FROM deliveries WHERE lane = $1`,
        [lane],
      )
      const { data } = await call(partnerAdmin, alertChannels.list, { limit: 100 })
      const shown = data.find((each) => each.id === id)
      return { ...rows[0], channel: shown?.status, error: shown?.lastError ?? null }
    },
    /** A person sends the message once more, after it has failed. */
    repeat: () =>
      system.query(
        `UPDATE deliveries SET status = 'pending', next_attempt_at = now(), ended_at = NULL WHERE lane = $1 AND status = 'failed'`,
        [lane],
      ),
  }
}

const folder = mkdtempSync(join(tmpdir(), 'muster-certificate-'))
await promisify(execFile)('openssl', [
  ...['req', '-x509', '-newkey', 'ec', '-pkeyopt', 'ec_paramgen_curve:prime256v1', '-nodes', '-days', '1'],
  ...['-subj', '/CN=elsewhere.test', '-keyout', join(folder, 'key.pem'), '-out', join(folder, 'certificate.pem')],
])
const identity = { key: readFileSync(join(folder, 'key.pem')), cert: readFileSync(join(folder, 'certificate.pem')) }
rmSync(folder, { recursive: true })

/** A server for what HTTP servers do not do. @returns its port */
async function listening(server: Server): Promise<number> {
  const sockets = new Set<{ destroy(): unknown }>()
  server.on('connection', (socket) => sockets.add(socket)).listen(0, '127.0.0.1')
  await once(server, 'listening')
  afterAll(() => {
    for (const socket of sockets) socket.destroy()
    server.close()
  })
  const address = server.address()
  return typeof address === 'object' && address !== null ? address.port : 0
}

const cutsItsAnswer =
  (code: number): Answer =>
  (response) => {
    response.writeHead(code, { 'content-length': '1000' })
    response.write('so', () => response.destroy())
  }

interface Failure {
  readonly answer: Answer
  readonly error: RegExp
  /** With this code each service says that the message is wrong, except for webhooks. */
  readonly isRefusal?: boolean
  /** The least number of seconds until the next try. */
  readonly waits?: number
}
const failures: Readonly<Record<string, Failure>> = {
  'asks to wait': { answer: status(429, { 'retry-after': '90' }), error: /^The endpoint answered 429$/, waits: 85 },
  'answers 500': { answer: status(500, {}, secret), error: /^The endpoint answered 500$/ },
  'answers 400': { answer: status(400, {}, secret), error: /^The endpoint answered 400$/, isRefusal: true },
  redirects: { answer: status(302, { location: 'http://127.0.0.1:1/' }), error: /^The endpoint answered 302$/ },
  'resets the connection': { answer: misbehavior.hangsUp, error: /closed|reset|socket/i },
  'resets it within its answer': { answer: cutsItsAnswer(500), error: /^The endpoint answered 500$/ },
  'answers without an end': { answer: misbehavior.answersWithoutEnd, error: /^The endpoint answered 500$/ },
}

const names = ['slack', 'teams', 'webhook', 'pagerduty'] as const

/** A channel of a type whose peer is at this address. */
function to(type: (typeof names)[number], url: string) {
  switch (type) {
    case 'slack':
      return subject(type, { webhookUrl: `${url}/services/${secret}` })
    case 'teams':
      return subject(type, { webhookUrl: `${url}/workflows/${secret}` })
    case 'webhook':
      return subject(type, { url, headers: { 'x-key': secret } })
    case 'pagerduty':
      return subject(type, { routingKey: secret }, { pagerDutyUrl: url })
  }
}

/** What names the message for the peer. */
const keyOf = ({ headers, body }: ReceivedRequest) =>
  String(headers['webhook-id'] ?? JSON.parse(body).dedup_key ?? body)

describe.each(names)('%s', (type) => {
  it.each(Object.entries(failures))('keeps its message while the peer %s', async (_name, failure) => {
    const peer = await receiver(failure.answer)
    const channel = await to(type, peer.url)
    await channel.send()
    await channel.attempt()
    const isFinal = failure.isRefusal === true && type !== 'webhook'
    const after = await channel.state()
    expect(after).toMatchObject({ status: isFinal ? 'failed' : 'pending', channel: 'failing' })
    expect(after.error).toMatch(failure.error)
    expect(after.error).not.toContain(secret)
    if (failure.waits !== undefined) expect(after.wait).toBeGreaterThan(failure.waits)
    peer.answers(status(200))
    if (isFinal) await channel.repeat()
    await channel.attempt()
    await channel.attempt()
    expect(await channel.state()).toMatchObject({ status: 'succeeded', channel: 'ok', error: null })
    expect(peer.received).toHaveLength(2)
    expect(new Set(peer.received.map(keyOf)).size).toBe(1)
  })

  it('counts its message as delivered when the peer accepts it and then resets the connection', async () => {
    const peer = await receiver(cutsItsAnswer(200))
    const channel = await to(type, peer.url)
    await channel.send()
    await channel.attempt()
    await channel.attempt()
    expect(await channel.state()).toMatchObject({ status: 'succeeded', channel: 'ok' })
    expect(peer.received).toHaveLength(1)
  })

  it('sends nothing to a peer with a wrong certificate', async () => {
    let received = 0
    const server = createHttpsServer(identity, (_request, response) => {
      received++
      response.end()
    })
    const channel = await to(type, `https://127.0.0.1:${await listening(server)}`)
    await channel.send()
    await channel.attempt()
    const after = await channel.state()
    expect(after).toMatchObject({ status: 'pending', channel: 'failing', error: expect.stringMatching(/certificate/i) })
    expect(after.error).not.toContain(secret)
    expect(received).toBe(0)
  })
})

const gateway = (url: string) => ({
  sms: { baseUrl: url, accountId: 'AC1', token: secret, from: '+15550100', perDayMax: 100 },
})

describe('sms', () => {
  const accepted = status(201, {}, JSON.stringify({ sid: 'SM1' }))

  it.each([
    ['asks to wait', status(429), 'pending', /status 429/],
    ['answers 500', status(500, {}, secret), 'pending', /status 500/],
    ['resets the connection', misbehavior.hangsUp, 'pending', /closed|reset|socket/i],
    ['rejects the number', status(400, {}, secret), 'failed', /status 400/],
    ['accepts it with an answer that is none', status(200, {}, 'welcome'), 'failed', /./],
  ] as const)('keeps or ends its message when the gateway %s', async (_name, answer, expected, error) => {
    const peer = await receiver(answer)
    const channel = await subject('sms', { to: ['+491701234567'] }, gateway(peer.url))
    await channel.send()
    await channel.attempt()
    const after = await channel.state()
    expect(after).toMatchObject({ status: expected, channel: 'failing', error: expect.stringMatching(error) })
    expect(after.error).not.toContain(secret)
    peer.answers(accepted)
    await channel.attempt()
    const isOver = expected === 'failed'
    expect(await channel.state()).toMatchObject({ status: isOver ? 'failed' : 'succeeded' })
    expect(peer.received).toHaveLength(isOver ? 1 : 2)
  })
})

describe('email', () => {
  const url = (port: number) => ({
    smtpUrl: `smtp://muster:${secret}@127.0.0.1:${port}`,
    mailFrom: 'Muster <m@example.test>',
  })

  const refusal = (code: number) => Object.assign(new Error('not now'), { responseCode: code })

  /** A mail server that does once what `fault` says, and then accepts. */
  async function faulty(fault: 'greylists' | 'rejects' | 'cuts' | 'stops') {
    let isFirst = true
    const turns = (what: typeof fault) => {
      const fails = isFirst && what === fault
      if (fails) isFirst = false
      return fails
    }
    const made = await mailServer({
      onAuth: (_auth, _session, done) => done(null, { user: 'muster' }),
      onConnect: (_session, done) => done(turns('stops') ? refusal(421) : null),
      onRcptTo: (_address, _session, done) =>
        done(turns('greylists') ? refusal(451) : turns('rejects') ? refusal(550) : null),
      onData(_stream, _session, done) {
        if (turns('cuts')) for (const connection of made.server.connections) connection.close()
        else done()
      },
    })
    return made
  }

  it.each([
    ['asks to come back later', 'greylists', 'pending', /not now/, 1],
    ['rejects the mailbox', 'rejects', 'failed', /not now/, 0],
    ['closes the connection after the mail', 'cuts', 'pending', /closed|reset|socket/i, 2],
    ['is about to stop', 'stops', 'pending', /421|not now/, 1],
  ] as const)('keeps or ends its message when the server %s', async (_name, fault, expected, error, arrived) => {
    const { mails, port } = await faulty(fault)
    const channel = await subject('email', { to: ['ann@example.test'] }, url(port))
    await channel.send()
    await channel.attempt()
    const after = await channel.state()
    expect(after).toMatchObject({ status: expected, channel: 'failing', error: expect.stringMatching(error) })
    expect(after.error).not.toContain(secret)
    await channel.attempt()
    expect(await channel.state()).toMatchObject({ status: expected === 'failed' ? 'failed' : 'succeeded' })
    expect(mails).toHaveLength(arrived)
    expect(new Set(mails.map((mail) => /^Message-ID: (.*)$/im.exec(mail)?.[1])).size).toBe(Math.min(1, arrived))
  })

  it.each([
    ['has a wrong certificate', { secure: true, ...identity }, /certificate/i],
    ['speaks no TLS', {}, /ssl|tls/i],
  ] as const)('keeps its message while the server %s', async (_name, options, error) => {
    const { port } = await mailServer(options)
    const channel = await subject('email', { to: ['ann@example.test'] }, { smtpUrl: `smtps://127.0.0.1:${port}` })
    await channel.send()
    await channel.attempt()
    expect(await channel.state()).toMatchObject({
      status: 'pending',
      channel: 'failing',
      error: expect.stringMatching(error),
    })
  })
})

it('keeps its message, on every type of channel, while the peer never answers', async () => {
  const peer = await receiver(misbehavior.hangs)
  const smtpUrl = `smtp://127.0.0.1:${await listening(createTcpServer())}`
  const channels = [
    ...(await Promise.all(names.map((type) => to(type, peer.url)))),
    await subject('sms', { to: ['+491701234567'] }, gateway(peer.url)),
    await subject('email', { to: ['ann@example.test'] }, { smtpUrl }),
  ]
  for (const { send } of channels) await send()
  await Promise.all(channels.map(({ attempt }) => attempt()))
  const states = await Promise.all(channels.map(({ state }) => state()))
  expect(states.map((state) => [state.status, state.channel])).toEqual(Array(6).fill(['pending', 'failing']))
  expect(states.map(({ error }) => error)).toEqual([
    ...Array(4).fill('The endpoint did not answer in time'),
    'The SMS gateway failed: The operation was aborted due to timeout',
    // Whichever of its two time limits ends first.
    expect.stringMatching(/^(Greeting never received|Timeout)$/),
  ])
}, 60_000)
