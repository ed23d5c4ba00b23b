import { call } from '@muster/testkit/call.ts'
import { stagePart } from '@muster/testkit/stage.ts'
import devicesStage from '../../fleet/devices/area.stage.ts'
import { course } from './course/course.contract.ts'
import { deployments } from './deployments.contract.ts'

export default stagePart(async (setting) => {
  await devicesStage(setting)
  const { world, marks } = setting
  const make = async (name: string) => {
    const { id } = await call(world.partnerAdmin, deployments.create, {
      ...{ orgId: world.org.id, name: `${name} ${marks.organization}`, targets: { orgIds: [world.org.id] } },
      order: { kind: 'command', type: 'refresh_inventory' },
    })
    return id
  }
  const initialized = async (name: string) => {
    const id = await make(name)
    await call(world.partnerAdmin, deployments.initialize, { id })
    return id
  }
  const started = await initialized('Started')
  await call(world.partnerAdmin, course.start, { id: started })
  return {
    deployment: await make('Draft'),
    readyDeployment: await initialized('Ready'),
    startedDeployment: started,
  }
})
