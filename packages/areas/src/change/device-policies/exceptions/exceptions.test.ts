import { auditOf } from '@muster/testkit/audit.ts'
import { call, refusal } from '@muster/testkit/call.ts'
import { enrolled } from '@muster/testkit/machines.ts'
import { testServices } from '@muster/testkit/services.ts'
import { world } from '@muster/testkit/world.ts'
import { describe, expect, it } from 'vitest'
import { groups } from '../../../fleet/groups/groups.contract.ts'
import { members } from '../../../fleet/groups/members.contract.ts'
import { compliance } from '../compliance/compliance.contract.ts'
import { policies } from '../policies.contract.ts'
import { evaluated, reports } from '../testing/machines.ts'
import { exceptions } from './exceptions.contract.ts'

const { system } = await testServices()
const here = await world()
const orgId = here.org.id
const [first = '', second = ''] = await enrolled(here.partnerAdmin, { orgId }, 'excepted-1', 'excepted-2')
await reports(first, {})
await reports(second, {})
const rules = ['one', 'two'].map((key) => ({ key, type: 'software.required' as const, software: key }))
const { id } = await call(here.partnerAdmin, policies.create, {
  ...{ orgId, name: 'With exceptions', mode: 'warn' as const, rules },
  assignments: [{ level: 'organization', id: orgId }],
})
await call(here.partnerAdmin, policies.activate, { id })
await evaluated(orgId)

const except = (more: object) => call(here.orgAdmin, exceptions.create, { id, reason: 'Being replaced', ...more })
const statuses = async () => {
  await evaluated(orgId)
  const { data } = await call(here.orgAdmin, compliance.list, { id })
  return data.map(({ status }) => status)
}
const openAlerts = async () =>
  (
    await system.query<{ device: string }>(
      `SELECT device_id AS device FROM alerts WHERE source = 'policy' AND status <> 'resolved' AND org_id = $1 ORDER BY 1`,
      [orgId],
    )
  ).rows.map(({ device }) => device)

describe('an exception', () => {
  it('of a device exempts it, resolves its alert, and ends with the deletion', async () => {
    expect(await statuses()).toEqual(['non_compliant', 'non_compliant'])
    const made = await except({ deviceId: first })
    expect(await statuses()).toEqual(['exempt', 'non_compliant'])
    expect(await openAlerts()).toEqual([second])
    const { data } = await call(here.orgAdmin, compliance.list, { id, status: 'exempt' })
    expect(data).toMatchObject([
      { deviceId: first, exception: { id: made.id, reason: 'Being replaced', expiresAt: null }, failed: [{}, {}] },
    ])
    await call(here.orgAdmin, exceptions.remove, { id, exceptionId: made.id })
    expect(await statuses()).toEqual(['non_compliant', 'non_compliant'])
    expect((await auditOf(made.id)).map(({ action }) => action)).toEqual([
      'policy_exception.create',
      'policy_exception.delete',
    ])
  })

  it('of one rule leaves the others', async () => {
    const made = await except({ deviceId: first, ruleKey: 'one' })
    expect(await statuses()).toEqual(['non_compliant', 'non_compliant'])
    const other = await except({ deviceId: first, ruleKey: 'two' })
    expect(await statuses()).toEqual(['exempt', 'non_compliant'])
    for (const each of [made, other]) await call(here.orgAdmin, exceptions.remove, { id, exceptionId: each.id })
  })

  it('of a group follows its members', async () => {
    const group = await call(here.orgAdmin, groups.create, { orgId, name: 'Excepted', type: 'static' })
    const made = await except({ groupId: group.id })
    await call(here.orgAdmin, members.add, { id: group.id, deviceIds: [second] })
    expect(await statuses()).toEqual(['non_compliant', 'exempt'])
    expect((await call(here.orgAdmin, exceptions.list, { id })).data).toEqual([made])
    await call(here.orgAdmin, groups.remove, { id: group.id })
    expect(await statuses()).toEqual(['non_compliant', 'non_compliant'])
    expect((await call(here.orgAdmin, exceptions.list, { id })).data).toEqual([])
  })

  it('expires', async () => {
    const made = await except({ deviceId: first, expiresAt: new Date(Date.now() + 3_600_000).toISOString() })
    expect(await statuses()).toEqual(['exempt', 'non_compliant'])
    await system.query(`UPDATE device_policy_exceptions SET expires_at = now() - interval '1 second' WHERE id = $1`, [
      made.id,
    ])
    expect(await statuses()).toEqual(['non_compliant', 'non_compliant'])
  })

  it('names a device or a group of the policy, and one of its rules', async () => {
    const [foreign = ''] = await enrolled(here.partnerAdmin, { orgId: here.otherOrg.id }, 'elsewhere')
    const ofPartner = (more: object) => call(here.partnerAdmin, exceptions.create, { id, reason: 'No', ...more })
    const messageOf = async (calling: Promise<unknown>) => (await refusal(calling)).message
    expect(await messageOf(except({}))).toBe('deviceId: name either a device or a group')
    expect(await messageOf(except({ deviceId: foreign }))).toBe(`deviceId: ${foreign} does not exist`)
    expect(await messageOf(except({ groupId: foreign }))).toBe(`groupId: ${foreign} does not exist`)
    expect(await messageOf(ofPartner({ deviceId: foreign }))).toBe(
      'deviceId: belongs to another organization than the policy',
    )
    expect(await messageOf(except({ deviceId: first, ruleKey: 'three' }))).toBe('ruleKey: the policy has no rule three')
    expect(await messageOf(except({ deviceId: first, expiresAt: '2020-01-01' }))).toBe(
      'expiresAt: must be in the future',
    )
  })
})
