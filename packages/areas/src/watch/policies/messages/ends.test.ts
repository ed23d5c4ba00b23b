import { asSystem } from '@muster/db/database.ts'
import { call } from '@muster/testkit/call.ts'
import { describe, expect, it } from 'vitest'
import { clearAlerts } from '../../alerts/index.ts'
import { channelDeliveries } from '../../channels/channel-sender.ts'
import { policies } from '../policies.contract.ts'
import { routeEvents } from '../testing/route-events.ts'
import { messaging } from '../testing/sent-messages.ts'

const {
  channel,
  create,
  deliveriesTo,
  devices,
  groupOf,
  here,
  incidentsOf,
  kindsTo,
  messagesTo,
  pager,
  parts,
  pass,
  passMessages,
  raise,
  send,
  sentTo,
  system,
} = await messaging()

describe('the end of alerts', () => {
  const own = (source: string, channelIds: readonly string[], more: object = {}) =>
    create({
      ...{ order: 0, match: { severities: ['medium'], sources: [source] }, groupBy: ['device'] },
      ...{ steps: [{ afterMinutes: 0, channelIds }] },
      ...more,
    })
  const raiseAll = (source: string, ids: readonly string[] = devices) =>
    Promise.all(ids.map((each) => raise('medium', { source, deviceId: each })))
  async function clearAll(
    source: 'patch' | 'snmp' | 'software' | 'script',
    raised: readonly { id: string; key: string }[],
  ) {
    await asSystem(system, (db) =>
      clearAlerts(
        db,
        raised.map(({ key }) => ({ source, key })),
      ),
    )
    await routeEvents(
      system,
      raised.map(({ id }) => id),
    )
    await send()
  }

  it('is a digest that says so if many end at once, and resolves each incident of PagerDuty on its own', async () => {
    const [mail, incidents] = [await channel(), await pager()]
    const policy = await own('snmp', [mail, incidents])
    const raised: { id: string; key: string }[] = []
    for (const each of devices) {
      raised.push(...(await raiseAll('snmp', [each])))
      await pass(31)
      await send()
      await passMessages(61)
    }
    expect(new Set(await kindsTo(mail))).toEqual(new Set(['alert']))
    const keys = await Promise.all(raised.map(({ id }) => groupOf(id)))
    await clearAll('snmp', raised)
    expect((await sentTo(mail)).filter(({ kind }) => kind !== 'alert')).toEqual([
      { kind: 'resolved', title: '7 groups of alerts are resolved' },
    ])
    const expected = keys.flatMap((key) => [`alert ${key}`, `resolved ${key}`])
    expect(await incidentsOf(incidents)).toEqual(expected.toSorted())
    await call(here.orgAdmin, policies.remove, { id: policy.id })
  })

  it('is counted in a digest that has open alerts too', async () => {
    const mail = await channel()
    const policy = await own('software', [mail])
    const early = await raiseAll('software', devices.slice(0, 3))
    await pass(31)
    await send()
    await passMessages(61)
    await raiseAll('software', devices.slice(3))
    await pass(31)
    await clearAll('software', early)
    const [digest] = (await messagesTo(mail)).filter(({ kind }) => kind === 'digest')
    expect(digest).toMatchObject({ title: '7 groups of alerts, 3 resolved' })
    expect(digest?.lines.filter((line) => line.startsWith('Resolved: '))).toHaveLength(3)
    await call(here.orgAdmin, policies.remove, { id: policy.id })
  })

  it('resolves the incident of a digest in PagerDuty when all of its groups have ended', async () => {
    const incidents = await pager()
    const policy = await own('script', [incidents])
    const raised = await raiseAll('script')
    await pass(31)
    await send()
    const [{ groupKey = '' } = {}] = await messagesTo(incidents)
    expect(await incidentsOf(incidents)).toEqual([`digest ${groupKey}`])
    await clearAll('script', raised.slice(0, 6))
    await passMessages(61)
    await send()
    expect(await incidentsOf(incidents)).toEqual([`digest ${groupKey}`])
    await clearAll('script', raised.slice(6))
    expect(await incidentsOf(incidents)).toEqual([`digest ${groupKey}`, `resolved ${groupKey}`])
    await call(here.orgAdmin, policies.remove, { id: policy.id })
  })

  it('reaches the channels that a rule names, and PagerDuty opens nothing that has ended', async () => {
    const [mail, incidents] = [await channel(), await pager()]
    const { id, key } = await raise('medium', { source: 'patch', channelIds: [mail, incidents] })
    const groupId = await groupOf(id)
    expect(await incidentsOf(incidents)).toEqual([`alert ${groupId}`])
    const [opening] = await deliveriesTo(incidents)
    await clearAll('patch', [{ id, key }])
    expect(await incidentsOf(mail)).toEqual([`alert ${groupId}`, `resolved ${groupId}`])
    expect(await incidentsOf(incidents)).toEqual([`alert ${groupId}`, `resolved ${groupId}`])
    expect(opening && (await channelDeliveries.send(parts, opening))).toMatchObject({ canceled: true })
  })

  it('reaches a channel once that several steps and groups told about the alert', async () => {
    const [mail, incidents] = [await channel(), await pager()]
    const policy = await own('patch', [mail, incidents], {
      steps: [0, 1, 2].map((afterMinutes) => ({ afterMinutes, channelIds: [mail, incidents] })),
    })
    const { id, key } = await raise('medium', { source: 'patch' })
    for (let minute = 0; minute < 3; minute++) {
      await pass(61)
      await send()
    }
    const before = await groupOf(id)
    await system.query(
      `UPDATE alerts SET status = 'active', context = context || '{"afterWindow": "a window"}' WHERE id = $1`,
      [id],
    )
    await routeEvents(system, [id])
    await pass(61)
    await send()
    expect(await kindsTo(mail)).toEqual(['alert', 'escalation', 'escalation', 'alert'])
    await clearAll('patch', [{ id, key }])
    expect((await kindsTo(mail)).filter((kind) => kind === 'resolved')).toHaveLength(1)
    const ended = (await incidentsOf(incidents)).filter((each) => each.startsWith('resolved'))
    expect(ended).toHaveLength(2)
    expect(ended).toContain(`resolved ${before}`)
    await call(here.orgAdmin, policies.remove, { id: policy.id })
  })
})
