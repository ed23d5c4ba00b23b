import { enrolled } from '@muster/testkit/machines.ts'
import { testServices } from '@muster/testkit/services.ts'
import { stagePart } from '@muster/testkit/stage.ts'
import tenancyStage from '../../tenancy/tenancy/area.stage.ts'

export default stagePart(async (setting) => {
  const { partnerAdmin } = setting.world
  const { device: mark } = setting.marks
  const { org, otherOrg, site } = await tenancyStage(setting)
  const [device = '', otherDevice = ''] = [
    ...(await enrolled(partnerAdmin, { orgId: org, siteId: site }, `sample-${mark}`)),
    ...(await enrolled(partnerAdmin, { orgId: org, siteId: site }, 'plain')),
  ]
  const [otherOrgDevice = ''] = await enrolled(partnerAdmin, { orgId: otherOrg }, 'plain')
  const { system } = await testServices()
  await system.query(`UPDATE devices SET tags = ARRAY['sample', $2] WHERE id = $1`, [device, mark])
  return { device, otherDevice, otherOrgDevice }
})
