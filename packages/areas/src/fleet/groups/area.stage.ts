import { call } from '@muster/testkit/call.ts'
import { stagePart } from '@muster/testkit/stage.ts'
import tenancyStage from '../../tenancy/tenancy/area.stage.ts'
import devicesStage from '../devices/area.stage.ts'
import { groups } from './groups.contract.ts'
import { members } from './members.contract.ts'

export default stagePart(async (setting) => {
  const { world, marks } = setting
  const { org: orgId, site: siteId } = await tenancyStage(setting)
  const { device } = await devicesStage(setting)
  const given = { orgId, siteId, name: `Group ${marks.device}`, deviceIds: [device] }
  const { id } = await call(world.partnerAdmin, groups.create, given)
  await call(world.partnerAdmin, members.pin, { id, deviceId: device })
  return { group: id, otherGroup: (await call(world.partnerAdmin, groups.create, { orgId, name: 'Other group' })).id }
})
