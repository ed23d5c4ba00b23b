import { call } from '@muster/testkit/call.ts'
import { enrolled } from '@muster/testkit/machines.ts'
import { testServices } from '@muster/testkit/services.ts'
import { world } from '@muster/testkit/world.ts'
import { expect, it } from 'vitest'
import { lifecycle } from '../../../control/lifecycle/lifecycle.contract.ts'

it('an enrollment and a quarantine are events for followers', async () => {
  const { system } = await testServices()
  const here = await world()
  const [id = ''] = await enrolled(here.orgAdmin, { orgId: here.org.id, siteId: here.site.id }, 'told')
  await call(here.orgAdmin, lifecycle.quarantine, { id, reason: 'Stolen' })
  const { rows } = await system.query(
    'SELECT type, org_id, site_id, data FROM events WHERE device_id = $1 ORDER BY seq',
    [id],
  )
  const place = { org_id: here.org.id, site_id: here.site.id }
  expect(rows).toEqual([
    { type: 'device.enrolled', ...place, data: { hostname: 'told' } },
    { type: 'device.quarantined', ...place, data: { hostname: 'told', reason: 'Stolen' } },
  ])
})
