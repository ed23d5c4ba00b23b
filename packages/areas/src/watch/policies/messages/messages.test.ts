import { asSystem } from '@muster/db/database.ts'
import { call } from '@muster/testkit/call.ts'
import { person } from '@muster/testkit/world.ts'
import { describe, expect, it } from 'vitest'
import { alerts } from '../../alerts/alerts.contract.ts'
import { clearAlerts } from '../../alerts/index.ts'
import { channelDeliveries } from '../../channels/channel-sender.ts'
import { Queued } from '../../channels/sending/send.ts'
import { policies } from '../policies.contract.ts'
import { routeEvents } from '../testing/route-events.ts'
import { messaging } from '../testing/sent-messages.ts'

const {
  channel,
  clear,
  create,
  deliveriesTo,
  devices,
  fail,
  here,
  kindsTo,
  orgId,
  partnerId,
  parts,
  pass,
  passMessages,
  raise,
  send,
  sentTo,
  severities,
  step,
  system,
} = await messaging()

describe('alerts without a policy', () => {
  it('notify the people who see them, once for the group', async () => {
    await raise('high', { source: 'sla' })
    await pass(31)
    await send()
    const { rows } = await system.query('SELECT count FROM notifications WHERE user_id = $1 AND type = $2', [
      here.orgAdmin.userId,
      'alert',
    ])
    expect(rows).toEqual([{ count: 1 }])
  })

  it('notify members limited to sites of those within reach, also if the group began elsewhere', async () => {
    const limited = await person(
      { scope: 'organization', partnerId, orgId },
      { role: 'Org Technician', siteIds: [here.site.id] },
    )
    await raise('low', { source: 'security' })
    const own = await raise('low', { source: 'security', deviceId: devices[1], siteId: here.site.id })
    await pass(31)
    await send()
    const { rows } = await system.query('SELECT title, count, link FROM notifications WHERE user_id = $1', [
      limited.userId,
    ])
    expect(rows).toEqual([{ title: expect.stringMatching(/^Problem/), count: 1, link: { kind: 'alert', id: own.id } }])
  })
})

describe('the messages of a policy', () => {
  it('wait for others of the group, go through its steps once, and stop when a person acts', async () => {
    const [first, second] = [await channel(), await channel()]
    const policy = await create({
      order: 1,
      ...severities('critical'),
      steps: [step(first), step(second, 10)],
      groupWaitSeconds: 30,
    })
    const one = await raise('critical')
    const two = await raise('critical')
    await send()
    expect(await kindsTo(first)).toEqual([])
    await pass(31)
    await Promise.all([send(), send(), send()])
    expect(await sentTo(first)).toMatchObject([{ kind: 'alert', title: expect.stringMatching(/^2 alerts: /) }])
    expect(await kindsTo(second)).toEqual([])
    await pass(600)
    await send()
    expect(await kindsTo(second)).toEqual(['escalation'])
    await system.query(
      `UPDATE deliveries SET status = 'succeeded', next_attempt_at = NULL, ended_at = now() WHERE lane = $1`,
      [`channel:${first}`],
    )
    const detail = await call(here.orgAdmin, alerts.get, { id: one.id })
    expect(detail.explanation).toMatchObject({
      policyId: policy.id,
      messages: [
        { to: expect.stringMatching(/^Channel /), step: 0, status: 'sent' },
        { step: 1, status: 'queued' },
      ],
    })
    expect(detail.groupId).toBe((await call(here.orgAdmin, alerts.get, { id: two.id })).groupId)
    await call(here.orgAdmin, alerts.acknowledge, { id: one.id })
    await routeEvents(system, [one.id])
    await pass(100_000)
    await send()
    expect([await kindsTo(first), await kindsTo(second)]).toEqual([['alert'], ['escalation']])
    await clear(one.key, one.id)
    await clear(two.key, two.id)
    await send()
    expect(await kindsTo(first)).toEqual(['alert', 'resolved'])
  })

  it('are not sent when a person acts before the first is due, and the alert says so', async () => {
    const to = await channel()
    const policy = await create({ order: 0, ...severities('critical'), steps: [step(to)], groupWaitSeconds: 30 })
    const { id, key } = await raise('critical')
    expect((await call(here.orgAdmin, alerts.get, { id })).explanation.noMessage).toContain('is due yet')
    await call(here.orgAdmin, alerts.acknowledge, { id })
    await routeEvents(system, [id])
    await pass(31)
    await send()
    const { explanation } = await call(here.orgAdmin, alerts.get, { id })
    expect(explanation).toMatchObject({ policyId: policy.id, messages: [] })
    expect(explanation.noMessage).toContain('acknowledged the alert before its first message was due')
    await clear(key, id)
    await call(here.orgAdmin, policies.remove, { id: policy.id })
  })

  it('tell about new alerts of a group after its interval, and repeat', async () => {
    const to = await channel()
    await create({
      order: 2,
      ...severities('high'),
      steps: [step(to)],
      groupIntervalSeconds: 300,
      repeatIntervalSeconds: 3_600,
    })
    await raise('high')
    await pass(31)
    await send()
    await raise('high')
    await send()
    expect(await kindsTo(to)).toEqual(['alert'])
    await pass(301)
    await send()
    expect((await sentTo(to)).map(({ title }) => title)[1]).toMatch(/^2 alerts/)
    await pass(3_601)
    await send()
    expect((await kindsTo(to)).toSorted()).toEqual(['alert', 'alert', 'alert'])
  })

  it('say nothing about suppressed alerts', async () => {
    const to = await channel()
    await create({ order: 0, ...severities('low'), steps: [step(to)] })
    const { id } = await raise('low')
    await call(here.orgAdmin, alerts.suppress, { id, durationMinutes: 5 })
    await routeEvents(system, [id])
    await pass(10_000)
    await send()
    expect(await kindsTo(to)).toEqual([])
  })

  it('become one digest when a channel has more than five groups within a minute', async () => {
    const to = await channel()
    await create({ order: 0, match: { severities: ['info'] }, groupBy: ['device'], steps: [step(to)] })
    const raised: string[] = []
    for (const each of devices) raised.push((await raise('info', { deviceId: each })).id)
    await pass(31)
    await send()
    expect(await sentTo(to)).toMatchObject([{ kind: 'digest', title: '7 groups of alerts' }])
    const [digest] = (await deliveriesTo(to)).map(({ payload }) => Queued.parse(payload).message)
    expect(digest?.alerts.map(({ id }) => id).toSorted()).toEqual(raised.toSorted())
    await passMessages(61)
    await send()
    expect(await kindsTo(to)).toEqual(['digest'])
  })
})

const policyOf = (severity: string, channelIds: readonly string[], more: object = {}) =>
  create({
    order: 0,
    match: { severities: [severity], sources: ['sla'] },
    steps: channelIds.map((channelId, index) => step(channelId, index * 30)),
    ...more,
  })

describe('the messages of a policy with one step', () => {
  const own = (to: string, more: object = {}) =>
    create({ order: 0, match: { severities: ['high'], sources: ['patch'] }, steps: [step(to)], ...more })
  const raiseOwn = (more: object = {}) => raise('high', { source: 'patch', ...more })
  const end = (id: string) => call(here.orgAdmin, policies.remove, { id })

  it('begin again as often as the policy loops, and stop at any action', async () => {
    const to = await channel()
    const policy = await own(to, { loops: 2 })
    const { id } = await raiseOwn()
    await pass(31)
    await send()
    expect(await kindsTo(to)).toEqual(['alert'])
    await pass(61)
    await send()
    expect(await kindsTo(to)).toEqual(['alert', 'escalation'])
    await call(here.orgAdmin, alerts.resolve, { id })
    await routeEvents(system, [id])
    await pass(600)
    await send()
    expect((await kindsTo(to)).filter((kind) => kind === 'escalation')).toHaveLength(1)
    await end(policy.id)
  })

  it('come beside those to the channels that the rule names, which are notified at once', async () => {
    const [ofPolicy, ofRule] = [await channel(), await channel()]
    const policy = await own(ofPolicy)
    await raiseOwn({ channelIds: [ofRule], deviceId: devices[1] })
    expect([await kindsTo(ofRule), await kindsTo(ofPolicy)]).toEqual([['alert'], []])
    await pass(31)
    await send()
    expect([await kindsTo(ofRule), await kindsTo(ofPolicy)]).toEqual([['alert'], ['alert']])
    await end(policy.id)
  })

  it('say once that an alert flaps', async () => {
    const to = await channel()
    const policy = await own(to, { repeatIntervalSeconds: 60 })
    const { id } = await raiseOwn({ deviceId: devices[2] })
    await system.query('UPDATE alerts SET flapping = true WHERE id = $1', [id])
    await pass(31)
    await send()
    for (let round = 0; round < 3; round++) {
      await pass(61)
      await send()
    }
    expect(await kindsTo(to)).toEqual(['alert'])
    await system.query('UPDATE alerts SET flapping = false WHERE id = $1', [id])
    await pass(61)
    await send()
    expect(await kindsTo(to)).toEqual(['alert', 'alert'])
    await end(policy.id)
  })

  it('are sent when an alert that was suppressed before its first message is active again', async () => {
    const to = await channel()
    const policy = await own(to)
    const { id } = await raiseOwn({ deviceId: devices[3] })
    await system.query(`UPDATE alerts SET status = 'suppressed', suppression_kind = 'dependency' WHERE id = $1`, [id])
    await routeEvents(system, [id])
    await pass(31)
    await send()
    expect(await kindsTo(to)).toEqual([])
    await system.query(`UPDATE alerts SET status = 'active', suppression_kind = NULL WHERE id = $1`, [id])
    await routeEvents(system, [id])
    await pass(31)
    await send()
    expect(await kindsTo(to)).toEqual(['alert'])
    await end(policy.id)
  })

  it('do not leave after a person acted on their alerts, and the message about their end does', async () => {
    const to = await channel()
    const policy = await own(to)
    const { id, key } = await raiseOwn({ deviceId: devices[4] })
    await pass(31)
    await send()
    await call(here.orgAdmin, alerts.suppress, { id, durationMinutes: 5 })
    const [delivery] = await deliveriesTo(to)
    expect(delivery && (await channelDeliveries.send(parts, delivery))).toMatchObject({ canceled: true })
    await asSystem(system, (db) => clearAlerts(db, [{ source: 'patch', key }]))
    await routeEvents(system, [id])
    await send()
    const { payload } = (await deliveriesTo(to)).find((each) => each.key !== delivery?.key) ?? {}
    expect(payload).toMatchObject({ message: { kind: 'resolved' } })
    await end(policy.id)
  })
})

describe('a message that finally failed', () => {
  it('runs the next step at once, and no other one', async () => {
    const [sms, mail, last] = [
      await channel('sms', ['+491701234567', '+491701234568']),
      await channel(),
      await channel(),
    ]
    await policyOf('critical', [sms, mail, last])
    await raise('critical', { source: 'sla' })
    await pass(31)
    await send()
    expect(await kindsTo(sms)).toEqual(['alert', 'alert'])
    await send()
    expect(await kindsTo(mail)).toEqual([])
    await fail(sms)
    await send()
    expect(await kindsTo(mail)).toEqual(['escalation'])
    await fail(sms)
    await send()
    expect(await kindsTo(last)).toEqual([])
  })

  it('runs the next step of all of its groups if it is a digest', async () => {
    const [first, second] = [await channel(), await channel()]
    await policyOf('high', [first, second], { groupBy: ['device'] })
    for (const each of devices) await raise('high', { source: 'sla', deviceId: each })
    await pass(31)
    await send()
    expect(await kindsTo(first)).toEqual(['digest'])
    await fail(first)
    await send()
    expect(await kindsTo(second)).toEqual(['digest'])
  })
})
