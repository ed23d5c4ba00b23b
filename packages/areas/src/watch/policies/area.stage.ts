import { call } from '@muster/testkit/call.ts'
import { stagePart } from '@muster/testkit/stage.ts'
import tenancyStage from '../../tenancy/tenancy/area.stage.ts'
import { policies } from './policies.contract.ts'

export default stagePart(async (setting) => {
  const { world, marks } = setting
  const { org: orgId } = await tenancyStage(setting)
  const given = { orgId, name: `Policy ${marks.organization}`, match: { severities: ['critical' as const] } }
  return { alertPolicy: (await call(world.partnerAdmin, policies.create, given)).id }
})
