import { call } from '@muster/testkit/call.ts'
import { stagePart } from '@muster/testkit/stage.ts'
import { windows } from './windows.contract.ts'

export default stagePart(async ({ world, marks }) => {
  const given = { orgId: world.org.id, durationMinutes: 60 }
  const name = `Maintenance ${marks.organization}`
  const later = await call(world.partnerAdmin, windows.create, {
    ...given,
    name,
    startsAt: new Date(Date.now() + 30 * 86_400_000).toISOString().slice(0, 16),
    rrule: 'FREQ=YEARLY;COUNT=3',
  })
  const active = await call(world.partnerAdmin, windows.create, {
    ...given,
    name: `${name}, now`,
    // It must not suppress the alerts of the stage.
    effects: { alerts: 'none', reboots: 'suppress' },
  })
  const soon = await call(world.partnerAdmin, windows.create, {
    ...given,
    name: `${name}, soon`,
    startsAt: new Date(Date.now() + 86_400_000).toISOString().slice(0, 16),
  })
  return {
    maintenanceWindow: later.id,
    maintenanceOccurrence: soon.nextOccurrence?.id ?? '',
    activeOccurrence: active.nextOccurrence?.id ?? '',
  }
})
