import { call } from '@muster/testkit/call.ts'
import { stagePart } from '@muster/testkit/stage.ts'
import tenancyStage from '../../tenancy/tenancy/area.stage.ts'
import { monitorAlerts } from './alerts/alerts.contract.ts'
import { monitors } from './monitors.contract.ts'

export default stagePart(async (setting) => {
  const { world, marks } = setting
  const { org: orgId, site: siteId } = await tenancyStage(setting)
  const { id: monitor } = await call(world.partnerAdmin, monitors.create, {
    orgId,
    siteId,
    name: `Monitor ${marks.site}`,
    type: 'http',
    target: 'https://www.example.com/',
  })
  const { data } = await call(world.partnerAdmin, monitorAlerts.list, { monitorId: monitor })
  return { monitor, monitorAlert: data[0]?.id ?? '' }
})
