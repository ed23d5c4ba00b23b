import { call } from '@muster/testkit/call.ts'
import { testServices } from '@muster/testkit/services.ts'
import { stagePart } from '@muster/testkit/stage.ts'
import devicesStage from '../../fleet/devices/area.stage.ts'
import { executions } from './executions/executions.contract.ts'
import { scripts } from './scripts.contract.ts'
import { writeSystemScripts } from './system-library/written-library.ts'

export default stagePart(async (setting) => {
  await writeSystemScripts((await testServices()).system)
  const { device } = await devicesStage(setting)
  const { world, marks } = setting
  const make = (name: string) =>
    call(world.partnerAdmin, scripts.create, {
      ...{ orgId: world.org.id, name: `${name} ${marks.organization}` },
      ...{ language: 'bash', content: `echo ${marks.organization}` },
      parameters: [{ name: 'mark', type: 'text' }],
    })
  const script = await make('Script')
  const ran = await make('Run')
  const sent = await call(world.partnerAdmin, executions.execute, {
    ...{ id: ran.id, deviceIds: [device] },
    parameters: { mark: marks.device },
  })
  const run = sent.executions[0]?.id ?? ''
  return { script: script.id, scriptVersion: script.versionId, ranScript: ran.id, scriptExecution: run }
})
