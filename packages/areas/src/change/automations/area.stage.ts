import { call } from '@muster/testkit/call.ts'
import { stagePart } from '@muster/testkit/stage.ts'
import devicesStage from '../../fleet/devices/area.stage.ts'
import { automations } from './automations.contract.ts'
import { runs } from './runs/runs.contract.ts'

export default stagePart(async (setting) => {
  const { device } = await devicesStage(setting)
  const { world, marks } = setting
  const { id } = await call(world.partnerAdmin, automations.create, {
    ...{ orgId: world.org.id, name: `Automation ${marks.organization}`, trigger: { type: 'manual' } },
    actions: [{ type: 'add_tag', tag: 'automated' }],
  })
  const run = await call(world.partnerAdmin, runs.run, { id, dryRun: true, deviceIds: [device] })
  return { automation: id, automationRun: run.id }
})
