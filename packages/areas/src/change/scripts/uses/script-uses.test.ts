import { call, refusal } from '@muster/testkit/call.ts'
import { enrolled } from '@muster/testkit/machines.ts'
import { testServices } from '@muster/testkit/services.ts'
import { world } from '@muster/testkit/world.ts'
import { describe, expect, it } from 'vitest'
import { approvals } from '../../../control/commands/approvals/approvals.contract.ts'
import { course } from '../../deployments/course/course.contract.ts'
import { deployments } from '../../deployments/deployments.contract.ts'
import { policies } from '../../device-policies/policies.contract.ts'
import { executions } from '../executions/executions.contract.ts'
import { scripts } from '../scripts.contract.ts'

const { system } = await testServices()
const here = await world()
const orgId = here.org.id
const [device = ''] = await enrolled(here.partnerAdmin, { orgId }, 'used-one')

const script = (more: object = {}) =>
  call(here.orgAdmin, scripts.create, { orgId, name: 'Used', language: 'bash', content: 'id', ...more })
const remove = (id: string, who = here.orgAdmin) => call(who, scripts.remove, { id })
const deploy = (scriptId: string, more: object = {}, who = here.orgAdmin) =>
  call(who, deployments.create, {
    ...{ orgId, name: 'Rings', order: { kind: 'script', scriptId }, targets: { deviceIds: [device] } },
    ...more,
  })

describe('a script', () => {
  it('is not deleted while a deployment may send it', async () => {
    const { id } = await script()
    const deployment = await deploy(id)
    const usedBy = [{ kind: 'deployment', id: deployment.id, name: 'Rings' }]
    expect(await call(here.orgAdmin, scripts.get, { id })).toMatchObject({ usedBy })
    expect(await refusal(remove(id))).toMatchObject({
      ...{ status: 409, code: 'CONFLICT', extra: { usedBy } },
      message: 'The script is used by: deployment. Cancel or change what uses it first',
    })
    await call(here.orgAdmin, course.cancel, { id: deployment.id })
    expect(await call(here.orgAdmin, scripts.get, { id })).toMatchObject({ usedBy: [] })
    await remove(id)
    expect(await refusal(deploy(id))).toMatchObject({ status: 400, message: 'order.scriptId: does not exist' })
  })

  it('is not deleted while the partner uses it out of the reach of its organization', async () => {
    const { id } = await script()
    const wide = { orgId: null, name: 'All customers' }
    const { id: deploymentId } = await deploy(id, wide, here.partnerAdmin)
    expect(await call(here.orgAdmin, scripts.get, { id })).toMatchObject({ usedBy: [] })
    const refused = await refusal(remove(id))
    expect(refused).toMatchObject({ status: 409, extra: { usedBy: [] } })
    expect(JSON.stringify(refused)).not.toContain('All customers')
    const usedBy = [{ kind: 'deployment', id: deploymentId, name: 'All customers' }]
    expect(await refusal(remove(id, here.partnerAdmin))).toMatchObject({ extra: { usedBy } })
  })

  it('is not deleted while a policy runs it', async () => {
    const checks = await script()
    const repairs = await script()
    const policy = await call(here.orgAdmin, policies.create, {
      ...{ orgId, name: 'Hardened', assignments: [{ level: 'organization', id: orgId }] },
      rules: [{ key: 'wall', type: 'firewall' }],
    })
    const rules = [
      { key: 'check', type: 'script', scriptId: checks.id, everySeconds: 3_600 },
      { key: 'wall', type: 'firewall', remediation: { kind: 'script', scriptId: repairs.id } },
    ]
    await system.query('UPDATE device_policies SET rules = $2 WHERE id = $1', [policy.id, JSON.stringify(rules)])
    for (const { id } of [checks, repairs])
      expect(await refusal(remove(id))).toMatchObject({
        ...{ status: 409, extra: { usedBy: [{ kind: 'policy', id: policy.id, name: 'Hardened' }] } },
      })
    await system.query('UPDATE device_policies SET deleted_at = now() WHERE id = $1', [policy.id])
    await remove(checks.id)
  })

  it('is not deleted while a run of it waits for a second person', async () => {
    const place = await world()
    const [near = ''] = await enrolled(place.partnerAdmin, { orgId: place.org.id }, 'near')
    const [far = ''] = await enrolled(place.partnerAdmin, { orgId: place.otherOrg.id }, 'far')
    const given = { name: 'Wide', language: 'bash' as const, content: 'id' }
    const { id } = await call(place.partnerAdmin, scripts.create, given)
    await call(place.partnerAdmin, approvals.require, { required: true })
    const { approval } = await call(place.partnerAdmin, executions.execute, { id, deviceIds: [near, far] })
    const waiting = { kind: 'approval', id: approval?.id, name: 'run_script' }
    expect(await refusal(remove(id, place.partnerAdmin))).toMatchObject({ status: 409, extra: { usedBy: [waiting] } })
    await call(place.partnerAdmin, approvals.refuse, { id: approval?.id ?? '' })
    await remove(id, place.partnerAdmin)
  })
})

describe('a deletion', () => {
  it.each([
    ['run', (id: string) => call(here.orgAdmin, executions.execute, { id, deviceIds: [device] })],
    ['deployment', (id: string) => deploy(id)],
  ])('and a %s at the same time have one winner', async (_, use) => {
    for (let round = 0; round < 4; round++) {
      const { id } = await script()
      const both = round % 2 === 0 ? [remove(id), use(id)] : [use(id), remove(id)]
      const settled = await Promise.allSettled(both)
      expect(settled.map(({ status }) => status).sort()).toEqual(['fulfilled', 'rejected'])
    }
  })
})
