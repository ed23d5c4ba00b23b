import { randomUUID } from 'node:crypto'
import { asSystem } from '@muster/db/database.ts'
import { call } from '@muster/testkit/call.ts'
import { describe, expect, it } from 'vitest'
import { clearAlerts, raiseAlerts } from '../../alerts/index.ts'
import { policies } from '../policies.contract.ts'
import { routeEvents } from '../testing/route-events.ts'
import { messaging } from '../testing/sent-messages.ts'

const { system, partnerId, orgId, devices, here, channel, create, pass, passMessages, send, kindsTo, messagesTo } =
  await messaging()
const [deviceId] = devices

describe('an alert that flaps', () => {
  it.each([
    ['that is reopened', 300],
    ['that is a new one each time', 0],
  ])('%s is told once, and its end when it is stable', async (_name, reopenSeconds) => {
    const [mail, named] = [await channel(), await channel()]
    const policy = await create({
      ...{ order: 0, match: { severities: ['medium'], sources: ['security'] }, groupBy: ['rule', 'device'] },
      ...{ steps: [{ afterMinutes: 0, channelIds: [mail] }], repeatIntervalSeconds: 60 },
    })
    const key = randomUUID()
    const source = 'security' as const
    const given = { source, key, partnerId, orgId, deviceId, severity: 'medium' as const, title: 'Flaps', message: '' }
    let id = ''
    for (let round = 0; round < 8; round++) {
      const { ids } = await asSystem(system, (db) =>
        raiseAlerts(db, [{ ...given, reopenSeconds, channelIds: [named] }]),
      )
      id = ids.get(key) ?? ''
      await routeEvents(system, [id])
      await pass(61)
      await send()
      await asSystem(system, (db) => clearAlerts(db, [{ source, key }]))
      await routeEvents(system, [id])
      await send()
      await passMessages(61)
    }
    // The seventh change is the first that is known to flap when it opens.
    const pair = ['alert', 'resolved']
    const expected = [...pair, ...pair, ...pair, 'alert']
    expect(await kindsTo(mail)).toEqual(expected)
    expect(await kindsTo(named)).toEqual(expected)
    expect((await messagesTo(mail)).at(-1)?.lines).toContain(
      'It changes often. No other message is sent until it is stable for 30 minutes.',
    )
    await system.query(
      `UPDATE alerts SET last_changed_at = last_changed_at - interval '31 minutes', resolved_at = resolved_at - interval '31 minutes' WHERE key = $1`,
      [key],
    )
    await pass(61)
    await send()
    expect(await kindsTo(mail)).toEqual([...expected, 'resolved'])
    expect(await kindsTo(named)).toEqual([...expected, 'resolved'])
    await call(here.orgAdmin, policies.remove, { id: policy.id })
  })
})
