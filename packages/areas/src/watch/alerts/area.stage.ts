import { asSystem } from '@muster/db/database.ts'
import { call } from '@muster/testkit/call.ts'
import { testServices } from '@muster/testkit/services.ts'
import { stagePart } from '@muster/testkit/stage.ts'
import devicesStage from '../../fleet/devices/area.stage.ts'
import tenancyStage from '../../tenancy/tenancy/area.stage.ts'
import { raiseAlerts } from './lifecycle/raise.ts'
import { rules } from './rules/rules.contract.ts'

export default stagePart(async (setting) => {
  const { world, marks } = setting
  const { org: orgId, site: siteId } = await tenancyStage(setting)
  const { device: deviceId } = await devicesStage(setting)
  const { system } = await testServices()
  const place = { partnerId: world.partner.id, orgId, siteId, deviceId }
  const alertOf = (key: string) => ({
    ...place,
    source: 'system' as const,
    key,
    severity: 'high' as const,
    title: `Alert ${marks.device}`,
    message: 'The disk is full',
  })
  const first = `stage:${deviceId}`
  const second = `stage:other:${deviceId}`
  const { ids } = await asSystem(system, (db) => raiseAlerts(db, [alertOf(first), alertOf(second)]))
  const alertRule = await call(world.partnerAdmin, rules.create, {
    orgId,
    name: `Rule ${marks.site}`,
    severity: 'high',
    targets: { siteIds: [siteId] },
    conditions: { kind: 'metric', metric: 'cpuPercent', operator: 'gt', threshold: 90 },
  })
  return { alertRule: alertRule.id, alert: ids.get(first) ?? '', otherAlert: ids.get(second) ?? '' }
})
