import { call, refusal } from '@muster/testkit/call.ts'
import { enrolled } from '@muster/testkit/machines.ts'
import { testServices } from '@muster/testkit/services.ts'
import { person, world } from '@muster/testkit/world.ts'
import { describe, expect, it } from 'vitest'
import { sweepPolicies } from '../evaluation/policies.jobs.ts'
import { policies } from '../policies.contract.ts'
import { evaluated, queued, reports } from '../testing/machines.ts'
import { compliance } from './compliance.contract.ts'

const { system } = await testServices()
const here = await world()
const [orgId, otherOrgId] = [here.org.id, here.otherOrg.id]
const [first = '', second = ''] = await enrolled(
  here.partnerAdmin,
  { orgId, siteId: here.site.id },
  'counted-1',
  'counted-2',
)
const [third = ''] = await enrolled(here.partnerAdmin, { orgId: otherOrgId }, 'counted-3')
await reports(first, { software: [{ name: 'good', version: '2' }] })
await reports(second, { software: [{ name: 'bad' }], disks: [{ mount: '/', totalBytes: 100, usedBytes: 95 }] })

const rules = [
  { key: 'good', type: 'software.required' as const, software: 'good', severity: 'high' as const },
  { key: 'bad', type: 'software.prohibited' as const, software: 'bad', message: 'Remove it' },
]
const made = await call(here.partnerAdmin, policies.create, {
  ...{ name: 'Counted', rules },
  assignments: [{ level: 'partner', id: here.partner.id }],
})
await call(here.partnerAdmin, policies.activate, { id: made.id })
await evaluated(orgId)
await evaluated(otherOrgId)
const { id } = made
const member = await person(
  { scope: 'organization', partnerId: here.partner.id, orgId },
  { role: 'Org Admin', siteIds: [here.site.id] },
)

describe('the compliance of a policy', () => {
  it('lists devices with the rules that they do not keep', async () => {
    const { data, pagination } = await call(here.partnerAdmin, compliance.list, { id })
    expect(pagination.total).toBe(3)
    expect(data).toMatchObject([
      { deviceId: first, hostname: 'counted-1', status: 'compliant', failed: [], exception: null },
      {
        ...{ deviceId: second, status: 'non_compliant' },
        failed: [
          {
            key: 'good',
            type: 'software.required',
            severity: 'high',
            expected: 'good installed',
            actual: 'not installed',
          },
          { key: 'bad', type: 'software.prohibited', severity: 'medium', expected: 'bad not installed', actual: 'bad' },
        ],
      },
      { deviceId: third, status: 'pending', failed: [] },
    ])
  })

  it('is filtered by status, organization and name', async () => {
    const found = async (more: object) =>
      (await call(here.partnerAdmin, compliance.list, { id, ...more })).data.map(({ hostname }) => hostname)
    expect(await found({ status: 'pending,compliant' })).toEqual(['counted-1', 'counted-3'])
    expect(await found({ orgId: otherOrgId })).toEqual(['counted-3'])
    expect(await found({ search: 'ED-2' })).toEqual(['counted-2'])
  })

  it('shows organizations and members of sites their own devices', async () => {
    for (const who of [here.orgAdmin, member]) {
      const { data } = await call(who, compliance.list, { id })
      expect(data.map(({ hostname }) => hostname)).toEqual(['counted-1', 'counted-2'])
    }
    expect((await call(here.orgAdmin, policies.get, { id })).counts).toEqual({
      ...{ devices: 2, compliant: 1, nonCompliant: 1, error: 0, pending: 0, exempt: 0, notApplicable: 0 },
    })
  })
})

describe('the statistics', () => {
  it('count pairs, of each organization', async () => {
    const stats = await call(here.partnerAdmin, compliance.stats, {})
    expect(stats).toMatchObject({
      totals: { devices: 3, compliant: 1, nonCompliant: 1, pending: 1 },
      compliancePercent: 50,
      byOrganization: [
        { orgId, devices: 2, compliant: 1, nonCompliant: 1, compliancePercent: 50 },
        { orgId: otherOrgId, devices: 1, pending: 1, compliancePercent: null },
      ],
    })
    expect((await call(here.orgAdmin, compliance.stats, {})).byOrganization.map((each) => each.orgId)).toEqual([orgId])
  })

  it('have no percentage where there is nothing to comply with', async () => {
    const there = await world()
    expect(await call(there.partnerAdmin, compliance.stats, {})).toMatchObject({
      ...{ compliancePercent: null, byOrganization: [], totals: { devices: 0 } },
    })
  })
})

describe('the summary', () => {
  it('has the active policies and the days', async () => {
    await sweepPolicies({ pool: system })
    const summary = await call(here.partnerAdmin, compliance.summary, {})
    expect(summary).toMatchObject({
      policies: [{ id, name: 'Counted', mode: 'monitor', counts: { devices: 3 }, compliancePercent: 50 }],
      trend: [{ day: new Date().toISOString().slice(0, 10), compliant: 1, nonCompliant: 1, pending: 1 }],
    })
    const ofOrg = await call(here.orgAdmin, compliance.summary, {})
    expect(ofOrg).toMatchObject({ policies: [{ counts: { devices: 2 } }], trend: [{ pending: 0 }] })
    expect(await refusal(call(member, compliance.summary, {}))).toMatchObject({ status: 403 })
  })
})

describe('evaluating a policy', () => {
  it('answers what was found', async () => {
    await reports(third, { software: [{ name: 'good' }] })
    expect(await call(here.partnerAdmin, compliance.evaluate, { id })).toEqual({
      ...{ evaluated: 3, compliant: 2, nonCompliant: 1, pending: 0, error: 0 },
    })
    expect(await call(here.partnerAdmin, compliance.evaluate, { id, deviceIds: [second] })).toMatchObject({
      ...{ evaluated: 1, nonCompliant: 1 },
    })
  })

  it('queues more than 1,000 devices', async () => {
    const there = await world()
    await system.query(
      `INSERT INTO devices (org_id, partner_id, hostname, lifecycle)
       SELECT $1, $2, 'many-' || n, 'active' FROM generate_series(1, 1001) n`,
      [there.org.id, there.partner.id],
    )
    const many = await call(there.partnerAdmin, policies.create, {
      ...{ name: 'Many', rules, assignments: [{ level: 'partner', id: there.partner.id }] },
    })
    await call(there.partnerAdmin, policies.activate, { id: many.id })
    expect(await call(there.partnerAdmin, compliance.evaluate, { id: many.id })).toEqual({
      queued: true,
      devices: 1_001,
    })
    expect(await queued(there.org.id)).toHaveLength(1_001)
    await evaluated(there.org.id)
    expect((await call(there.partnerAdmin, policies.get, { id: many.id })).counts).toMatchObject({
      ...{ devices: 1_001, pending: 1_001 },
    })
  })

  it('needs an active policy and devices that the caller sees', async () => {
    const draft = await call(here.partnerAdmin, policies.create, { name: 'Draft', rules })
    expect(await refusal(call(here.partnerAdmin, compliance.evaluate, { id: draft.id }))).toMatchObject({
      ...{ status: 409, message: 'The policy is not active' },
    })
    const unknown = '00000000-0000-4000-8000-000000000009'
    expect(
      await refusal(call(here.partnerAdmin, compliance.evaluate, { id, deviceIds: [first, unknown] })),
    ).toMatchObject({
      ...{ status: 400, message: `deviceIds.1: ${unknown} does not exist` },
    })
  })
})
