import { call } from '@muster/testkit/call.ts'
import { testServices } from '@muster/testkit/services.ts'
import { type Setting, stagePart } from '@muster/testkit/stage.ts'
import { person } from '@muster/testkit/world.ts'
import devicesStage from '../../fleet/devices/area.stage.ts'
import { approvals } from './approvals/approvals.contract.ts'
import { commands } from './commands.contract.ts'

const type = 'run_script'

export default stagePart(async (setting) => {
  const { device, otherOrgDevice } = await devicesStage(setting)
  const payload = { script: `echo ${setting.marks.device}` }
  const { partnerAdmin } = setting.world
  const { commands: sent, batchId } = await call(partnerAdmin, commands.bulk, { deviceIds: [device], type, payload })
  const approval = await requested(setting, [device, otherOrgDevice])
  return { command: sent[0]?.id ?? '', commandBatch: batchId ?? '', approval }
})

/** A request of another administrator. The partner demands a second person only while it is made. */
async function requested({ world: { partner, partnerAdmin } }: Setting, deviceIds: string[]): Promise<string> {
  const requester = await person({ scope: 'partner', partnerId: partner.id }, { role: 'Partner Admin' })
  await call(partnerAdmin, approvals.require, { required: true })
  const { approval } = await call(requester, commands.bulk, { deviceIds, type, payload: { script: 'true' } })
  const { system } = await testServices()
  await system.query(`UPDATE partners SET settings = settings - 'secondPerson' WHERE id = $1`, [partner.id])
  return approval?.id ?? ''
}
