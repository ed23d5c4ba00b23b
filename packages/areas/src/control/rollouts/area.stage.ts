import { call } from '@muster/testkit/call.ts'
import { testServices } from '@muster/testkit/services.ts'
import { stagePart } from '@muster/testkit/stage.ts'
import { pins } from './pins.contract.ts'

/** The rollout has ended: a running one would reach the devices of all stages. */
export default stagePart(async ({ world: { partnerAdmin, org }, marks }) => {
  const { system } = await testServices()
  const { rows } = await system.query<{ id: string }>(
    `INSERT INTO agent_rollouts (version, stages, state, success_percent, stage_seconds, error_percent)
     VALUES ('0.0.1', '{100}', 'cancelled', 95, 60, 5) RETURNING id`,
  )
  const pin = { orgId: org.id, reason: `Pin ${marks.organization}` }
  return { rollout: rows[0]?.id ?? '', versionPin: (await call(partnerAdmin, pins.set, pin)).id }
})
