import { call } from '@muster/testkit/call.ts'
import { stagePart } from '@muster/testkit/stage.ts'
import { templates } from './templates.contract.ts'

export default stagePart(async ({ world, marks }) => {
  const alertTemplate = await call(world.partnerAdmin, templates.create, {
    orgId: world.org.id,
    name: `Template ${marks.organization}`,
    severity: 'high',
    conditions: { kind: 'metric', metric: 'cpuPercent', operator: 'gt', threshold: 90 },
  })
  return { alertTemplate: alertTemplate.id }
})
