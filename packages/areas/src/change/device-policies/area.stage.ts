import { call } from '@muster/testkit/call.ts'
import { stagePart } from '@muster/testkit/stage.ts'
import devicesStage from '../../fleet/devices/area.stage.ts'
import { compliance } from './compliance/compliance.contract.ts'
import { exceptions } from './exceptions/exceptions.contract.ts'
import { policies } from './policies.contract.ts'

export default stagePart(async (setting) => {
  const { device } = await devicesStage(setting)
  const { world, marks } = setting
  const make = (name: string, min: string) =>
    call(world.partnerAdmin, policies.create, {
      ...{ orgId: world.org.id, name: `${name} ${marks.organization}` },
      assignments: [{ level: 'organization', id: world.org.id }],
      rules: [
        {
          ...{ key: 'os', type: 'os.version' as const, min, message: `${marks.organization} is old` },
          remediation: { kind: 'command', type: 'refresh_inventory' },
        },
      ],
    })
  const policy = await make('Policy', '11')
  const active = await make('Active policy', '99')
  await call(world.partnerAdmin, policies.activate, { id: active.id })
  await call(world.partnerAdmin, compliance.evaluate, { id: active.id })
  const exception = await call(world.partnerAdmin, exceptions.create, {
    ...{ id: active.id, deviceId: device, ruleKey: 'os', reason: `Exception of ${marks.organization}` },
    expiresAt: new Date(Date.now() + 86_400_000).toISOString(),
  })
  // With the exception, so that a later evaluation changes no answer.
  await call(world.partnerAdmin, compliance.evaluate, { id: active.id })
  return { policy: policy.id, activePolicy: active.id, policyException: exception.id }
})
