import { auditOf } from '@muster/testkit/audit.ts'
import { call, refusal } from '@muster/testkit/call.ts'
import { enrolled } from '@muster/testkit/machines.ts'
import { person, world } from '@muster/testkit/world.ts'
import { describe, expect, it } from 'vitest'
import { groups } from '../../fleet/groups/groups.contract.ts'
import { policies } from './policies.contract.ts'

const here = await world()
const orgId = here.org.id
const partnerId = here.partner.id
const [device = ''] = await enrolled(here.partnerAdmin, { orgId, siteId: here.site.id }, 'kept-1')
const group = await call(here.orgAdmin, groups.create, { orgId, name: 'Servers', type: 'static' })
const member = await person({ scope: 'organization', partnerId, orgId }, { role: 'Org Admin', siteIds: [here.site.id] })

const rule = { key: 'os', type: 'os.version' as const, min: '12' }
const create = (more: object = {}, who = here.orgAdmin) =>
  call(who, policies.create, { orgId, name: 'Baseline', rules: [rule], ...more })
const ofPartner = (more: object = {}) => create({ orgId: null, ...more }, here.partnerAdmin)
const messageOf = async (calling: Promise<unknown>) => {
  const { status, message } = await refusal(calling)
  return `${status} ${message}`
}

describe('a policy', () => {
  it('is a draft with defaults, and is changed and deleted with audit records', async () => {
    const made = await create()
    expect(made).toMatchObject({
      ...{ partnerId, orgId, name: 'Baseline', description: null, status: 'draft', mode: 'monitor', priority: 100 },
      ...{ assignments: [], exclude: [], osTypes: [], filter: null, createdBy: here.orgAdmin.userId },
      rules: [{ ...rule, severity: 'medium', message: null, locked: false }],
      counts: { devices: 0, compliant: 0, nonCompliant: 0 },
    })
    expect(await call(here.orgAdmin, policies.get, { id: made.id })).toEqual(made)
    const changed = await call(here.orgAdmin, policies.update, { id: made.id, priority: 7, mode: 'warn' })
    expect(changed).toMatchObject({ priority: 7, mode: 'warn', rules: made.rules })
    await call(here.orgAdmin, policies.remove, { id: made.id })
    expect(await messageOf(call(here.orgAdmin, policies.get, { id: made.id }))).toBe('404 Policy not found')
    expect((await auditOf(made.id)).map(({ action }) => action)).toEqual([
      'policy.create',
      'policy.update',
      'policy.delete',
    ])
  })

  it('is assigned to the whole partner, organizations, sites, groups and devices', async () => {
    const assignments = [
      { level: 'device' as const, id: device },
      { level: 'group' as const, id: group.id },
      { level: 'site' as const, id: here.site.id },
      { level: 'organization' as const, id: orgId },
      { level: 'partner' as const, id: partnerId },
    ]
    const exclude = [{ level: 'organization' as const, id: here.otherOrg.id }]
    const filter = { field: 'osType', op: 'is', value: 'linux' }
    const made = await ofPartner({ assignments, exclude, filter, osTypes: ['linux'] })
    expect(made).toMatchObject({ orgId: null, assignments, exclude, filter, osTypes: ['linux'] })
    const less = await call(here.partnerAdmin, policies.update, { id: made.id, assignments: assignments.slice(0, 1) })
    expect(less).toMatchObject({ assignments: assignments.slice(0, 1), exclude, filter })
  })

  it('gets defaults for what a PUT leaves out, and keeps what a PATCH leaves out', async () => {
    const made = await create({ description: 'Kept', priority: 5, assignments: [{ level: 'device', id: device }] })
    expect(await call(here.orgAdmin, policies.update, { id: made.id, name: 'Renamed' })).toMatchObject({
      ...{ name: 'Renamed', description: 'Kept', priority: 5, assignments: [{ level: 'device', id: device }] },
    })
    expect(await call(here.orgAdmin, policies.replace, { id: made.id, name: 'Replaced' })).toMatchObject({
      ...{ name: 'Replaced', description: null, priority: 100, assignments: [], rules: [] },
    })
  })

  it('names the field of what does not exist or makes no sense', async () => {
    const unknown = '00000000-0000-4000-8000-000000000009'
    const at = (level: string, id: string) => ({
      assignments: [
        { level: 'device', id: device },
        { level, id },
      ],
    })
    for (const level of ['device', 'group', 'site', 'organization'])
      expect(await messageOf(create(at(level, unknown)))).toBe(`400 assignments.1.id: ${unknown} does not exist`)
    expect(await messageOf(create({ exclude: [{ level: 'site', id: unknown }] }))).toBe(
      `400 exclude.0.id: ${unknown} does not exist`,
    )
    expect(await messageOf(create(at('partner', partnerId)))).toBe(
      '400 assignments.1.level: the policy belongs to an organization',
    )
    expect(await messageOf(ofPartner(at('partner', orgId)))).toContain('400 assignments.1.id')
    expect(await messageOf(create({ exclude: [{ level: 'partner', id: partnerId }] }))).toContain('400 exclude.0.level')
    const filter = { field: 'custom.unknown', op: 'is', value: 'x' }
    expect(await messageOf(create({ filter }))).toContain('400 filter: the field custom.unknown does not exist')
    expect(await messageOf(create({ rules: [{ key: 'f', type: 'filter', filter }] }))).toContain('400 rules.0.filter')
    const wrong = [
      { rules: [{ ...rule, key: 'Not a key' }] },
      { rules: [{ key: 'a', type: 'unknown' }] },
      { rules: [rule, rule] },
      { rules: [{ ...rule, min: 'old' }] },
      { rules: [{ ...rule, mount: '/' }] },
      { rules: [{ key: 'd', type: 'disk.free', mount: '/', minPercent: 1, minBytes: 1 }] },
      { mode: 'force' },
      { maxRemediationsPerHour: 0 },
      { priority: -1 },
      { osTypes: ['beos'] },
    ]
    for (const more of wrong) expect(await refusal(create(more)), JSON.stringify(more)).toMatchObject({ status: 400 })
    expect((await call(here.orgAdmin, policies.list, { search: 'Not a key' })).data).toEqual([])
  })

  it('is found by its name, its status and its organization', async () => {
    const name = `Findable ${Date.now()}`
    const [own, wide] = [await create({ name }), await ofPartner({ name })]
    const found = async (more: object) =>
      (await call(here.partnerAdmin, policies.list, { search: name.toLowerCase(), ...more })).data.map(({ id }) => id)
    expect((await found({})).sort()).toEqual([own.id, wide.id].sort())
    expect((await found({ orgId })).sort()).toEqual([own.id, wide.id].sort())
    expect(await found({ orgId: here.otherOrg.id })).toEqual([wide.id])
    expect(await found({ status: 'active' })).toEqual([])
  })
})

describe('activating a policy', () => {
  it('needs rules or settings', async () => {
    const made = await create({ rules: [] })
    expect(await messageOf(call(here.orgAdmin, policies.activate, { id: made.id }))).toBe(
      '400 rules: an active policy needs a rule or a setting',
    )
  })

  it('happens once, as does deactivating', async () => {
    const { id } = await create()
    expect(await messageOf(call(here.orgAdmin, policies.deactivate, { id }))).toBe('409 The policy is not active')
    expect(await call(here.orgAdmin, policies.activate, { id })).toMatchObject({ status: 'active' })
    expect(await messageOf(call(here.orgAdmin, policies.activate, { id }))).toBe('409 The policy is active already')
    expect(await messageOf(call(here.orgAdmin, policies.update, { id, rules: [] }))).toBe(
      '400 rules: an active policy needs a rule or a setting',
    )
    expect(await call(here.orgAdmin, policies.deactivate, { id })).toMatchObject({ status: 'inactive' })
    expect(await messageOf(call(here.orgAdmin, policies.deactivate, { id }))).toBe('409 The policy is not active')
    expect(await call(here.orgAdmin, policies.activate, { id })).toMatchObject({ status: 'active' })
    expect((await auditOf(id)).map(({ action }) => action)).toEqual([
      'policy.create',
      'policy.activate',
      'policy.deactivate',
      'policy.activate',
    ])
  })
})

describe('organizations', () => {
  it('see policies of the partner that concern their devices, without places of others, and change none', async () => {
    const mine = { level: 'organization' as const, id: orgId }
    const theirs = { level: 'organization' as const, id: here.otherOrg.id }
    const [both, other] = [await ofPartner({ assignments: [mine, theirs] }), await ofPartner({ assignments: [theirs] })]
    expect(await call(here.orgAdmin, policies.get, { id: both.id })).toMatchObject({ assignments: [mine] })
    expect(await refusal(call(here.orgAdmin, policies.get, { id: other.id }))).toMatchObject({ status: 404 })
    const listed = (await call(here.orgAdmin, policies.list, { limit: 100 })).data.map(({ id }) => id)
    expect([listed.includes(both.id), listed.includes(other.id)]).toEqual([true, false])
    const changes = [
      call(here.orgAdmin, policies.activate, { id: both.id }),
      call(here.orgAdmin, policies.deactivate, { id: both.id }),
      call(here.orgAdmin, policies.remove, { id: both.id }),
    ]
    expect((await Promise.all(changes.map(refusal))).map(({ status }) => status)).toEqual([403, 403, 403])
    expect(await refusal(create({ orgId: null }, here.partnerViewer))).toMatchObject({ status: 403 })
  })

  it('let members of sites read the policies of their devices, and change none', async () => {
    const made = await create({ assignments: [{ level: 'organization', id: orgId }] })
    const elsewhere = await create({ assignments: [{ level: 'group', id: group.id }] })
    expect((await call(member, policies.get, { id: made.id })).id).toBe(made.id)
    expect(await refusal(call(member, policies.get, { id: elsewhere.id }))).toMatchObject({ status: 404 })
    expect(await refusal(call(member, policies.update, { id: made.id, priority: 1 }))).toMatchObject({ status: 403 })
  })
})
