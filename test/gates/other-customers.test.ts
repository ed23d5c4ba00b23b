// What a partner sets up for one of its customers is not shown to the others, nor to members limited to other sites.
import { occurrences } from '@muster/areas/control/maintenance/occurrences/occurrences.contract.ts'
import { windows } from '@muster/areas/control/maintenance/windows.contract.ts'
import { groups } from '@muster/areas/fleet/groups/groups.contract.ts'
import { sites } from '@muster/areas/tenancy/tenancy/sites/sites.contract.ts'
import { rules } from '@muster/areas/watch/alerts/rules/rules.contract.ts'
import { policies } from '@muster/areas/watch/policies/policies.contract.ts'
import { call, refusal } from '@muster/testkit/call.ts'
import { enrolled } from '@muster/testkit/machines.ts'
import { type Person, person, world } from '@muster/testkit/world.ts'
import { beforeAll, describe, expect, it } from 'vitest'

const here = await world()
const [orgId, otherId] = [here.org.id, here.otherOrg.id]
const selected = await person(
  { scope: 'partner', partnerId: here.partner.id },
  { role: 'Partner Admin', orgAccess: 'selected', orgIds: [orgId] },
)
const limited = await person(
  { scope: 'organization', partnerId: here.partner.id, orgId },
  { role: 'Org Technician', siteIds: [here.site.id] },
)
const hidden = '00000000-0000-0000-0000-000000000000'
const conditions = { kind: 'metric', metric: 'cpuPercent', operator: 'gt', threshold: 90 } as const
const rule = { name: 'CPU', severity: 'high', conditions } as const
const window = { name: 'Migration', startsAt: `${new Date().getUTCFullYear() + 1}-03-01T22:00`, durationMinutes: 60 }
const others: readonly (readonly [string, Person])[] = [
  ['a member of another organization', here.orgAdmin],
  ['a member of the partner with selected organizations', selected],
]
let [ours, theirs] = ['', '']

beforeAll(async () => {
  ;[ours = ''] = await enrolled(here.partnerAdmin, { orgId, siteId: here.site.id }, 'ours')
  ;[theirs = ''] = await enrolled(here.partnerAdmin, { orgId: otherId }, 'theirs')
})

describe('what a partner sets up for one organization', () => {
  it.each(others)('is not shown to %s', async (_, who) => {
    const ofThem = { targets: { orgIds: [otherId] } }
    const [made, planned] = await Promise.all([
      call(here.partnerAdmin, rules.create, { ...rule, ...ofThem }),
      call(here.partnerAdmin, windows.create, { ...window, ...ofThem }),
    ])
    const policy = await call(here.partnerAdmin, policies.create, { name: 'Theirs', match: { orgIds: [otherId] } })
    const lists = [call(who, rules.list, {}), call(who, windows.list, {}), call(who, policies.list, {})]
    expect(JSON.stringify(await Promise.all<unknown>(lists))).not.toContain(otherId)
    expect(await refusal(call(who, rules.get, { id: made.id }))).toMatchObject({ status: 404 })
    expect(await refusal(call(who, windows.get, { id: planned.id }))).toMatchObject({ status: 404 })
    expect(await refusal(call(who, windows.occurrences, { id: planned.id }))).toMatchObject({ status: 404 })
    expect((await call(who, occurrences.list, {})).data.filter(({ windowId }) => windowId === planned.id)).toEqual([])
    expect(await refusal(call(who, rules.create, { ...rule, orgId, policyId: policy.id }))).toMatchObject({
      status: 400,
      message: `policyId: ${policy.id} does not exist`,
    })
  })

  it.each(others)('is shown without foreign ids to %s where it concerns devices of theirs', async (_, who) => {
    const both = { targets: { deviceIds: [ours, theirs] }, exclude: { orgIds: [otherId] } }
    const made = await call(here.partnerAdmin, rules.create, { ...rule, ...both })
    const planned = await call(here.partnerAdmin, windows.create, { ...window, ...both })
    const policy = await call(here.partnerAdmin, policies.create, { name: 'Both', match: { orgIds: [orgId, otherId] } })
    const own = { targets: { deviceIds: [ours] }, exclude: {} }
    expect(await call(who, rules.get, { id: made.id })).toMatchObject(own)
    expect(await call(who, windows.get, { id: planned.id })).toMatchObject({ ...own, deviceCount: 1 })
    const { data } = await call(who, policies.list, {})
    expect(data.find(({ id }) => id === policy.id)?.match).toEqual({ orgIds: [orgId] })
    expect(await call(here.partnerAdmin, windows.get, { id: planned.id })).toMatchObject(both)
  })

  it.each(others)('is not shown to %s as what a rule depends on', async (_, who) => {
    const foreign = await call(here.partnerAdmin, rules.create, { ...rule, targets: { orgIds: [otherId] } })
    const seen = await call(here.partnerAdmin, rules.create, { ...rule, targets: { deviceIds: [ours] } })
    const dependsOnRuleIds = [foreign.id, seen.id]
    const made = await call(here.partnerAdmin, rules.create, { ...rule, dependsOnRuleIds })
    expect(await call(who, rules.get, { id: made.id })).toMatchObject({ dependsOnRuleIds: [seen.id] })
    expect(await call(here.partnerAdmin, rules.get, { id: made.id })).toMatchObject({ dependsOnRuleIds })
  })

  it.each(others)('is shown without their sites, groups and rules in filters and matches to %s', async (_, who) => {
    const site = await call(here.partnerAdmin, sites.create, { orgId: otherId, name: `Secret ${who.userId}` })
    const group = await call(here.partnerAdmin, groups.create, { orgId: otherId, name: `Secret ${who.userId}` })
    const foreign = await call(here.partnerAdmin, rules.create, { ...rule, orgId: otherId })
    const own = await call(here.partnerAdmin, rules.create, { ...rule, orgId })
    const any = [
      { field: 'siteId', op: 'in', value: [here.site.id, site.id] },
      { field: 'groupId', op: 'is', value: group.id },
      { field: 'organizationId', op: 'is', value: otherId },
    ]
    const shown = [
      { ...any[0], value: [here.site.id] },
      { ...any[1], value: hidden },
      { ...any[2], value: hidden },
    ]
    const targets = { siteIds: [here.site.id], filter: { any } }
    const made = await call(here.partnerAdmin, rules.create, {
      ...{ ...rule, targets: { orgIds: [orgId, otherId] } },
      conditions: { kind: 'filter', filter: { any } },
    })
    const planned = await call(here.partnerAdmin, windows.create, { ...window, targets })
    const match = {
      siteIds: [here.site.id, site.id],
      ruleIds: [own.id, foreign.id],
    }
    const policy = await call(here.partnerAdmin, policies.create, { name: 'Places', match })
    expect(await call(who, rules.get, { id: made.id })).toMatchObject({ conditions: { filter: { any: shown } } })
    expect(await call(who, windows.get, { id: planned.id })).toMatchObject({ targets: { filter: { any: shown } } })
    const { data } = await call(who, policies.list, { limit: 100 })
    expect(data.find(({ id }) => id === policy.id)?.match).toEqual({ siteIds: [here.site.id], ruleIds: [own.id] })
    expect(await call(here.partnerAdmin, rules.get, { id: made.id })).toMatchObject({ conditions: { filter: { any } } })
  })
})

describe('a member limited to a site', () => {
  it('sees the windows of its site, and none of another site', async () => {
    const elsewhere = await call(here.orgAdmin, sites.create, { orgId, name: 'Elsewhere' })
    const of = (siteIds: string[]) => call(here.orgAdmin, windows.create, { ...window, orgId, targets: { siteIds } })
    const [own, foreign, both] = [
      await of([here.site.id]),
      await of([elsewhere.id]),
      await of([here.site.id, elsewhere.id]),
    ]
    expect(await call(limited, windows.get, { id: own.id })).toMatchObject({ targets: { siteIds: [here.site.id] } })
    expect(await refusal(call(limited, windows.get, { id: foreign.id }))).toMatchObject({ status: 404 })
    expect(await call(limited, windows.get, { id: both.id })).toMatchObject({ targets: { siteIds: [here.site.id] } })
    expect((await call(limited, windows.list, {})).data.map(({ id }) => id)).not.toContain(foreign.id)
  })
})
