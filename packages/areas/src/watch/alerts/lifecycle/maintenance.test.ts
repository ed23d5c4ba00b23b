import { asSystem } from '@muster/db/database.ts'
import { call } from '@muster/testkit/call.ts'
import { enrolled } from '@muster/testkit/machines.ts'
import { testServices } from '@muster/testkit/services.ts'
import { world } from '@muster/testkit/world.ts'
import { expect, it } from 'vitest'
import { windows } from '../../../control/maintenance/windows.contract.ts'
import { alertChannels } from '../../channels/channels.contract.ts'
import { dispatch } from '../../policies/dispatch.jobs.ts'
import { policies } from '../../policies/policies.contract.ts'
import { routeEvents } from '../../policies/testing/route-events.ts'
import { alerts } from '../alerts.contract.ts'
import { raiseAlerts } from './raise.ts'
import { followTimes } from './timeouts.jobs.ts'

const { system } = await testServices()
const here = await world()
const orgId = here.org.id
const [deviceId = '', otherId = ''] = await enrolled(here.partnerAdmin, { orgId }, 'maintained', 'beside')

async function raise(name: string, of = deviceId): Promise<string> {
  const key = `${name}:${of}`
  const place = { partnerId: here.partner.id, orgId, deviceId: of }
  const given = { ...place, source: 'system' as const, key, severity: 'high' as const, title: 'Down', message: '' }
  return (await asSystem(system, (db) => raiseAlerts(db, [given]))).ids.get(key) ?? ''
}
const find = (id: string) => call(here.orgAdmin, alerts.get, { id })

it('suppresses alerts of a device in a window, and makes those active that hold two minutes after it', async () => {
  const before = await raise('before')
  const given = { orgId, name: 'Night', durationMinutes: 60, targets: { deviceIds: [deviceId] } }
  const window = await call(here.orgAdmin, windows.create, given)
  const during = await raise('during')
  await followTimes(system)
  for (const id of [before, during])
    expect(await find(id)).toMatchObject({ status: 'suppressed', suppression: { kind: 'maintenance', id: window.id } })
  await call(here.orgAdmin, windows.cancel, { id: window.id })
  await followTimes(system)
  expect((await find(during)).status).toBe('suppressed')
  await system.query(`UPDATE alerts SET released_at = released_at - interval '121 seconds' WHERE device_id = $1`, [
    deviceId,
  ])
  await followTimes(system)
  for (const id of [before, during])
    expect(await find(id)).toMatchObject({ status: 'active', suppression: null, context: { afterWindow: window.id } })
})

it('keeps an alert silent whose suppression by a person ends during a window', async () => {
  const id = await raise('handled')
  const later = new Date(Date.now() + 60_000).toISOString()
  await call(here.orgAdmin, alerts.suppress, { id, until: later })
  const given = { orgId, name: 'Night', durationMinutes: 60, targets: { deviceIds: [deviceId] } }
  const window = await call(here.orgAdmin, windows.create, given)
  await system.query(`UPDATE alerts SET suppressed_until = now() - interval '1 second' WHERE id = $1`, [id])
  await followTimes(system)
  expect(await find(id)).toMatchObject({ status: 'suppressed', suppression: { kind: 'maintenance', id: window.id } })
  await call(here.orgAdmin, windows.cancel, { id: window.id })
})

it('sends one digest about the alerts that hold two minutes after a window, though they would be of several groups', async () => {
  const place = { orgId, name: 'After the window' }
  const config = { to: ['alerts@example.test'] }
  const { id: channelId } = await call(here.orgAdmin, alertChannels.create, { ...place, type: 'email', config })
  const steps = [{ afterMinutes: 0, channelIds: [channelId] }]
  await call(here.orgAdmin, policies.create, { ...place, steps, groupBy: ['device'], groupWaitSeconds: 1 })
  const given = { orgId, name: 'Night', durationMinutes: 60, targets: { deviceIds: [deviceId, otherId] } }
  const window = await call(here.orgAdmin, windows.create, given)
  const ids = [await raise('one'), await raise('two', otherId)]
  await routeEvents(system, ids)
  await call(here.orgAdmin, windows.cancel, { id: window.id })
  await followTimes(system)
  await system.query(`UPDATE alerts SET released_at = released_at - interval '121 seconds' WHERE id = ANY ($1)`, [ids])
  await followTimes(system)
  await routeEvents(system, ids)
  await system.query(`UPDATE alert_groups SET step_at = now() WHERE org_id = $1 AND step_at IS NOT NULL`, [orgId])
  await dispatch(system, 'https://muster.test')
  const { rows } = await system.query(
    `SELECT payload -> 'message' ->> 'title' AS title FROM deliveries WHERE lane = $1`,
    [`channel:${channelId}`],
  )
  expect(rows).toEqual([{ title: '2 alerts: Down' }])
})
