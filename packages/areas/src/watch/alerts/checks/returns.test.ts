import { asSystem } from '@muster/db/database.ts'
import { inTransaction } from '@muster/db/transaction.ts'
import { call } from '@muster/testkit/call.ts'
import { enrolled } from '@muster/testkit/machines.ts'
import { testServices } from '@muster/testkit/services.ts'
import { world } from '@muster/testkit/world.ts'
import { expect, it } from 'vitest'
import { maintenanceNotReturned } from '../../../control/maintenance/maintenance-events.contract.ts'
import { filters } from '../../../fleet/filters/filters.contract.ts'
import { alerts } from '../alerts.contract.ts'
import { raiseAlerts } from '../lifecycle/raise.ts'
import { raiseForMissing } from './returns.followers.ts'

const { system } = await testServices()
const here = await world()
const orgId = here.org.id
const [one = '', two = ''] = await enrolled(here.orgAdmin, { orgId, siteId: here.site.id }, 'gone-1', 'gone-2')

it('devices that do not return after a window raise one alert, however often the event comes', async () => {
  const data = {
    windowId: crypto.randomUUID(),
    occurrenceId: crypto.randomUUID(),
    name: 'Patch night',
    deviceIds: [one, two],
  }
  const event = {
    id: crypto.randomUUID(),
    type: maintenanceNotReturned.name,
    partnerId: here.partner.id,
    orgId,
    siteId: null,
    deviceId: null,
    data,
    at: new Date().toISOString(),
    cause: null,
  }
  await inTransaction(system, (client) => raiseForMissing(client, [event]))
  await inTransaction(system, (client) => raiseForMissing(client, [event]))
  const { data: found } = await call(here.orgAdmin, alerts.list, { source: ['maintenance'] })
  expect(found).toMatchObject([
    {
      source: 'maintenance',
      severity: 'high',
      title: '2 devices did not return after Patch night',
      status: 'active',
      orgId,
    },
  ])
  expect(found[0]?.message).toContain('gone-1, gone-2')
})

it('the filter field openAlerts counts alerts that are not resolved', async () => {
  await asSystem(system, (db) =>
    raiseAlerts(db, [
      {
        source: 'system',
        key: `open:${one}`,
        partnerId: here.partner.id,
        orgId,
        siteId: here.site.id,
        deviceId: one,
        severity: 'low',
        title: 'Small',
        message: 'Something small',
      },
    ]),
  )
  const filter = { field: 'openAlerts', op: 'atLeast', value: 1 }
  const preview = await call(here.orgAdmin, filters.preview, { orgId, filter })
  expect(preview).toMatchObject({ total: 1 })
})
