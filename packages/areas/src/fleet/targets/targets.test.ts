import { asCaller, asSystem, type Db } from '@muster/db/database.ts'
import { call, requestAs } from '@muster/testkit/call.ts'
import { enrolled } from '@muster/testkit/machines.ts'
import { testServices } from '@muster/testkit/services.ts'
import { testWorkerParts } from '@muster/testkit/worker-parts.ts'
import { type Person, person, world } from '@muster/testkit/world.ts'
import { sql } from 'kysely'
import { describe, expect, it } from 'vitest'
import { authenticate } from '../../access/auth/sessions/authenticate.ts'
import { lifecycle } from '../../control/lifecycle/lifecycle.contract.ts'
import { sites } from '../../tenancy/tenancy/sites/sites.contract.ts'
import { ChangeFeed } from '../devices/changes/change-feed.jobs.ts'
import { tags } from '../devices/tags.contract.ts'
import { groups } from '../groups/groups.contract.ts'
import { members } from '../groups/members.contract.ts'
import { sweepFilters } from './followed-filters.jobs.ts'
import { deviceCountOf, dropTargets, inTargets, readTargets, saveTargets } from './index.ts'
import type { Places, Targets } from './targets.contract.ts'

const services = await testServices()
const { system } = services
const feed = new ChangeFeed(await testWorkerParts())
const here = await world()
const partner = { partnerId: here.partner.id, orgId: null }
const owner = { partnerId: here.partner.id, orgId: here.org.id }
const siteId = here.site.id
const [one = '', two = '', three = ''] = await enrolled(
  here.orgAdmin,
  { orgId: here.org.id, siteId },
  'a-1',
  'a-2',
  'b-3',
)
const [beside = ''] = await enrolled(here.partnerAdmin, { orgId: here.otherOrg.id }, 'a-4')
const names = new Map([
  [one, 'one'],
  [two, 'two'],
  [three, 'three'],
  [beside, 'beside'],
])

async function as<T>(
  who: Person,
  work: (call: { db: Db; caller: NonNullable<Awaited<ReturnType<typeof authenticate>>> }) => Promise<T>,
) {
  const caller = await authenticate(services, requestAs(who))
  if (caller === null) throw new Error('the caller could not be authenticated')
  return asCaller(services.people, caller, 'write', (db) => work({ db, caller }))
}
const saveAs = (who: Person, of: { partnerId: string; orgId: string | null }, targets: Targets, exclude: Places = {}) =>
  as(who, (its) => saveTargets(its, of, { targets, exclude }))
const save = (targets: Targets, exclude?: Places) => saveAs(here.partnerAdmin, partner, targets, exclude)

/** The devices of a set, by both ways to ask. */
async function devicesOf(setId: string): Promise<(string | undefined)[]> {
  return asSystem(system, async (db) => {
    const asked = await db
      .selectFrom(['devices', 'targetSets as t'])
      .select('devices.id')
      .where('t.id', '=', setId)
      .where(inTargets('t', 'devices'))
      .execute()
    const { rows } = await sql<{ id: string }>`SELECT found.id FROM target_sets t
      CROSS JOIN LATERAL devices_of_targets(t) AS found WHERE t.id = ${setId}::uuid`.execute(db)
    const named = (list: readonly { id: string }[]) => list.map(({ id }) => names.get(id)).sort()
    expect(named(rows)).toEqual(named(asked))
    expect((await deviceCountOf(db, [setId])).get(setId)).toBe(rows.length)
    return named(rows)
  })
}

describe('a target set', () => {
  it('contains the named devices and those of named places, groups and tags', async () => {
    await call(here.orgAdmin, tags.assign, { deviceIds: [three], add: ['print'] })
    const group = await call(here.orgAdmin, groups.create, { orgId: here.org.id, name: 'Two', deviceIds: [two] })
    const of = async (targets: Targets, exclude?: Places) => devicesOf(await save(targets, exclude))
    expect(await of({ deviceIds: [one] })).toEqual(['one'])
    expect(await of({ groupIds: [group.id] })).toEqual(['two'])
    expect(await of({ siteIds: [siteId] })).toEqual(['one', 'three', 'two'])
    expect(await of({ orgIds: [here.otherOrg.id] })).toEqual(['beside'])
    expect(await of({ tags: ['print'], deviceIds: [one] })).toEqual(['one', 'three'])
    expect(await of({ siteIds: [siteId] }, { groupIds: [group.id], tags: ['print'] })).toEqual(['one'])
    expect(await of({})).toEqual(['beside', 'one', 'three', 'two'])
    expect(await of({}, { orgIds: [here.org.id] })).toEqual(['beside'])
    const filter = { field: 'hostname', op: 'startsWith', value: 'a-' } as const
    expect(await of({ filter })).toEqual(['beside', 'one', 'two'])
    expect(await of({ siteIds: [siteId], filter }, { deviceIds: [two] })).toEqual(['one'])
    expect(await devicesOf(await saveAs(here.orgAdmin, owner, {}))).toEqual(['one', 'three', 'two'])
    await call(here.orgAdmin, members.remove, { id: group.id, deviceId: two })
  })

  it('is read as it was given, changed and dropped', async () => {
    const filter = { field: 'osType', op: 'is', value: 'linux' } as const
    const given = { targets: { deviceIds: [one], tags: ['x'], filter }, exclude: { siteIds: [siteId] } }
    await as(here.orgAdmin, async (its) => {
      const id = await saveTargets(its, owner, given)
      expect((await readTargets(its.db, [id])).get(id)).toEqual(given)
      expect(await saveTargets(its, owner, { targets: {}, exclude: {} }, id)).toBe(id)
      expect((await readTargets(its.db, [id])).get(id)).toEqual({ targets: {}, exclude: {} })
      const { rowCount } = await system.query('SELECT FROM target_filter_members WHERE set_id = $1', [id])
      expect(rowCount).toBe(0)
      await dropTargets(its.db, id)
      expect((await readTargets(its.db, [id])).size).toBe(0)
    })
  })

  it('follows its filter when devices change, in all organizations of a partner, and never contains decommissioned ones', async () => {
    const id = await save({ filter: { field: 'tags', op: 'hasAny', value: ['followed'] } })
    expect(await devicesOf(id)).toEqual([])
    await call(here.orgAdmin, tags.assign, { deviceIds: [two], add: ['followed'] })
    await call(here.partnerAdmin, tags.assign, { deviceIds: [beside], add: ['followed'] })
    await feed.turn(0)
    expect(await devicesOf(id)).toEqual(['beside', 'two'])
    await system.query(`UPDATE devices SET lifecycle = 'decommissioned' WHERE id = $1`, [two])
    expect(await devicesOf(id)).toEqual(['beside'])
    await sweepFilters(system)
    const { rowCount } = await system.query('SELECT FROM target_filter_members WHERE set_id = $1', [id])
    expect(rowCount).toBe(1)
    await system.query(`UPDATE devices SET lifecycle = 'active' WHERE id = $1`, [two])
  })

  it('of an organization loses a device that moves away', async () => {
    const filter = { field: 'hostname', op: 'is', value: 'moving' } as const
    const [moving = ''] = await enrolled(here.orgAdmin, { orgId: here.org.id }, 'moving')
    const [mine, whole] = [await saveAs(here.orgAdmin, owner, { filter }), await save({ filter })]
    const lengths = async () => [(await devicesOf(mine)).length, (await devicesOf(whole)).length]
    expect(await lengths()).toEqual([1, 1])
    await call(here.partnerAdmin, lifecycle.moveOrg, { id: moving, orgId: here.otherOrg.id })
    expect(await lengths()).toEqual([0, 1])
  })
})

describe('targets are rejected', () => {
  const refusedAs = (
    who: Person,
    of: { partnerId: string; orgId: string | null },
    targets: Targets,
    exclude?: Places,
  ) =>
    saveAs(who, of, targets, exclude).then(
      () => 'saved',
      (error: { failure?: { status: number }; status?: number; message: string }) => `${error.message}`,
    )

  it('that are unknown, of another owner or out of reach, with the same message', async () => {
    const elsewhere = await world()
    const [foreign = ''] = await enrolled(elsewhere.orgAdmin, { orgId: elsewhere.org.id }, 'foreign')
    const nothing = crypto.randomUUID()
    for (const deviceId of [foreign, nothing, beside])
      expect(await refusedAs(here.orgAdmin, owner, { deviceIds: [deviceId] })).toBe(
        `targets.deviceIds: ${deviceId} does not exist`,
      )
    expect(await refusedAs(here.partnerAdmin, owner, { deviceIds: [beside] })).toContain('does not exist')
    for (const id of [elsewhere.site.id, nothing])
      expect(await refusedAs(here.orgAdmin, owner, {}, { siteIds: [id] })).toBe(`exclude.siteIds: ${id} does not exist`)
    expect(await refusedAs(here.orgAdmin, owner, { orgIds: [here.otherOrg.id] })).toContain('orgIds: ')
    expect(await refusedAs(here.orgAdmin, owner, { groupIds: [nothing] })).toContain('groupIds: ')
    const filter = { field: 'custom.unknown', op: 'is', value: 'x' } as const
    expect(await refusedAs(here.orgAdmin, owner, { filter })).toContain('custom.unknown does not exist')
  })

  it('that reach beyond the sites or groups of a limited member', async () => {
    const tenant = { scope: 'organization', partnerId: here.partner.id, orgId: here.org.id } as const
    const group = await call(here.orgAdmin, groups.create, { orgId: here.org.id, name: 'Limit', deviceIds: [one] })
    const ofSite = await person(tenant, { role: 'Org Admin', siteIds: [siteId] })
    const ofGroup = await person(tenant, { role: 'Org Admin', deviceGroupIds: [group.id] })
    for (const targets of [{}, { tags: ['x'] }, { orgIds: [here.org.id] }])
      for (const who of [ofSite, ofGroup]) expect(await refusedAs(who, owner, targets)).toContain('limited to sites')
    expect(await refusedAs(ofSite, owner, { siteIds: [siteId] })).toBe('saved')
    expect(await refusedAs(ofGroup, owner, { siteIds: [siteId] })).toContain('limited to sites')
    expect(await refusedAs(ofGroup, owner, { groupIds: [group.id], deviceIds: [one] })).toBe('saved')
    expect(await refusedAs(ofGroup, owner, { deviceIds: [two] })).toContain('does not exist')
  })
})

describe('a deletion', () => {
  it('takes a site and a group out of the targets, which then contain no device', async () => {
    const site = await call(here.partnerAdmin, sites.create, { orgId: here.org.id, name: 'Short-lived' })
    const group = await call(here.partnerAdmin, groups.create, { orgId: here.org.id, name: 'Short-lived' })
    const set = await save({ siteIds: [site.id], groupIds: [group.id] }, { siteIds: [site.id] })
    await call(here.orgAdmin, sites.remove, { id: site.id })
    await call(here.orgAdmin, groups.remove, { id: group.id })
    const saved = await as(here.partnerAdmin, ({ db }) => readTargets(db, [set]))
    expect(saved.get(set)).toEqual({ targets: {}, exclude: {} })
    expect(await devicesOf(set)).toEqual([])
  })
})
