import { call, refusal } from '@muster/testkit/call.ts'
import { enrolled } from '@muster/testkit/machines.ts'
import { world } from '@muster/testkit/world.ts'
import { describe, expect, it } from 'vitest'
import { policies } from '../policies.contract.ts'
import { evaluated } from '../testing/machines.ts'
import { devicePolicies } from './devices.contract.ts'

const here = await world()
const { id: orgId } = here.org
const [device = ''] = await enrolled(here.partnerAdmin, { orgId, siteId: here.site.id }, 'explained')
const rule = (key: string, min: string, more = {}) => ({ key, type: 'os.version' as const, min, ...more })
async function active(name: string, given: object) {
  const made = await call(here.partnerAdmin, policies.create, { name, ...given })
  return call(here.partnerAdmin, policies.activate, { id: made.id })
}

describe('the policies of a device', () => {
  it('are explained: the value, its level, what it replaced and why', async () => {
    expect(await call(here.orgAdmin, devicePolicies.get, { id: device })).toEqual({
      ...{ deviceId: device, evaluatedAt: null, policies: [], rules: [], settings: [] },
    })
    const wide = await active('Wide', {
      rules: [rule('os', '1'), rule('fixed', '1', { locked: true }), rule('own', '1')],
      assignments: [{ level: 'partner', id: here.partner.id }],
    })
    const near = await active('Near', {
      ...{ orgId, rules: [rule('os', '99'), rule('fixed', '99')] },
      assignments: [{ level: 'site', id: here.site.id }],
    })
    const windows = await active('Windows', {
      ...{ orgId, osTypes: ['windows'], rules: [rule('os', '5')] },
      assignments: [{ level: 'device', id: device }],
    })
    await evaluated(orgId)
    const found = await call(here.orgAdmin, devicePolicies.get, { id: device })
    expect(found.evaluatedAt).not.toBeNull()
    expect(found.policies).toMatchObject([
      { policyId: windows.id, level: 'device', skipped: 'os', status: 'not_applicable', failed: [] },
      {
        ...{ policyId: near.id, level: 'site', skipped: null, status: 'non_compliant' },
        failed: [{ key: 'os', status: 'non_compliant', expected: '99 or later', actual: '12' }],
      },
      { policyId: wide.id, level: 'partner', skipped: null, status: 'compliant', failed: [] },
    ])
    const byKey = new Map(found.rules.map((each) => [each.key, each]))
    expect(byKey.get('os')).toMatchObject({
      ...{ policyId: near.id, name: 'Near', level: 'site', why: 'nearer', value: { min: '99' } },
      overrode: [{ policyId: wide.id, level: 'partner', value: { min: '1' } }],
    })
    expect(byKey.get('fixed')).toMatchObject({
      ...{ policyId: wide.id, why: 'locked', value: { min: '1' } },
      overrode: [{ policyId: near.id }],
    })
    expect(byKey.get('own')).toMatchObject({ policyId: wide.id, why: 'only', overrode: [] })
  })

  it('are not shown to callers who do not see the device', async () => {
    const there = await world()
    expect(await refusal(call(there.orgAdmin, devicePolicies.get, { id: device }))).toMatchObject({ status: 404 })
  })
})
