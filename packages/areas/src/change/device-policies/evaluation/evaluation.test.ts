import { asSystem } from '@muster/db/database.ts'
import { call } from '@muster/testkit/call.ts'
import { enrolled } from '@muster/testkit/machines.ts'
import { testServices } from '@muster/testkit/services.ts'
import { world } from '@muster/testkit/world.ts'
import { describe, expect, it } from 'vitest'
import { groups } from '../../../fleet/groups/groups.contract.ts'
import { members } from '../../../fleet/groups/members.contract.ts'
import { sweepFilters } from '../../../fleet/targets/followed-filters.jobs.ts'
import { compliance } from '../compliance/compliance.contract.ts'
import { policies } from '../policies.contract.ts'
import { evaluated, queued, reports } from '../testing/machines.ts'
import { queueStale, takeMarks } from './marks.ts'
import { sweepPolicies } from './policies.jobs.ts'

const { system } = await testServices()
const here = await world()
const orgId = here.org.id
const [first = '', second = ''] = await enrolled(
  here.partnerAdmin,
  { orgId, siteId: here.site.id },
  'rated-1',
  'rated-2',
)

const required = { key: 'ssl', type: 'software.required' as const, software: 'openssl', minVersion: '3' }
const everywhere = [{ level: 'organization' as const, id: orgId }]
async function active(more: object = {}) {
  const made = await call(here.orgAdmin, policies.create, {
    ...{ orgId, name: 'Active', rules: [required], assignments: everywhere },
    ...more,
  })
  await call(here.orgAdmin, policies.activate, { id: made.id })
  await evaluated(orgId)
  return made.id
}
const statuses = async (id: string) => {
  const { data } = await call(here.orgAdmin, compliance.list, { id })
  return Object.fromEntries(data.map(({ hostname, status }) => [hostname, status]))
}
const end = async (id: string) => {
  await call(here.orgAdmin, policies.deactivate, { id })
  await evaluated(orgId)
}
const rows = async (table: string, policyId: string) =>
  (await system.query<{ n: number }>(`SELECT count(*)::int AS n FROM ${table} WHERE policy_id = $1`, [policyId]))
    .rows[0]?.n
const transitionsOf = async (id: string) =>
  (await call(here.orgAdmin, compliance.transitions, { id })).data.map(({ hostname, before, after }) =>
    [hostname, before, after].join(' '),
  )
const alertsOf = async (policyId: string) =>
  (
    await system.query<{ status: string; severity: string; message: string }>(
      `SELECT status, severity, message FROM alerts WHERE source = 'policy' AND context ->> 'policyId' = $1 ORDER BY opened_at`,
      [policyId],
    )
  ).rows
const eventsOf = async (policyId: string) =>
  (
    await system.query<{ type: string }>(`SELECT type FROM events WHERE data ->> 'policyId' = $1 ORDER BY tx, seq`, [
      policyId,
    ])
  ).rows.map(({ type }) => type)

describe('an active policy', () => {
  it('waits for facts, finds a violation when they arrive, and notes when it is restored', async () => {
    const id = await active()
    expect(await statuses(id)).toEqual({ 'rated-1': 'pending', 'rated-2': 'pending' })
    await reports(first, { software: [{ name: 'OpenSSL', version: '3.0.1' }] })
    await reports(second, { software: [{ name: 'OpenSSL', version: '1.1.1' }] })
    expect(await queued(orgId)).toEqual([first, second].sort())
    await evaluated(orgId)
    expect(await statuses(id)).toEqual({ 'rated-1': 'compliant', 'rated-2': 'non_compliant' })
    await reports(second, { software: [{ name: 'OpenSSL', version: '3.0.2' }] })
    await evaluated(orgId)
    expect(await statuses(id)).toEqual({ 'rated-1': 'compliant', 'rated-2': 'compliant' })
    expect((await transitionsOf(id)).toReversed()).toEqual(
      expect.arrayContaining(['rated-2 pending non_compliant', 'rated-2 non_compliant compliant']),
    )
    expect(await eventsOf(id)).toEqual(['policy.violated', 'policy.restored'])
    await end(id)
  })

  it('finds software by names in any spelling, whole or in part, for few rules and for many', async () => {
    await reports(first, { software: [{ name: 'ÄPP' }, { name: 'Editor Plus' }, { name: 'Nginx' }] })
    const needs = (software: string, match: 'exact' | 'contains' = 'exact') => ({
      ...{ key: `needs-${software.length}`, type: 'software.required' as const, software, match },
    })
    const failedIn = async (rules: object[]) => {
      const id = await active({ rules })
      const { data } = await call(here.orgAdmin, compliance.list, { id, search: 'rated-1' })
      await end(id)
      return data.flatMap(({ failed }) => failed.map(({ key }) => key))
    }
    const many = Array.from({ length: 30 }, (_, n) => ({ ...needs('nginx'), key: `many-${n}` }))
    expect(await failedIn([needs('nginx'), needs('editor')])).toEqual(['needs-6'])
    expect(await failedIn([needs('äpp')])).toEqual([])
    expect(await failedIn([needs('editor', 'contains')])).toEqual([])
    expect(await failedIn([...many, ...Array.from({ length: 30 }, (_, n) => needs('x'.repeat(n + 10)))])).toHaveLength(
      30,
    )
  })

  it('has no row for a device that complies', async () => {
    await reports(first, { software: [{ name: 'openssl', version: '3' }] })
    await reports(second, { software: [{ name: 'openssl', version: '2' }] })
    const id = await active()
    expect(await rows('device_policy_results', id)).toBe(1)
    expect(await rows('device_policy_transitions', id)).toBe(1)
    await end(id)
    expect(await rows('device_policy_results', id)).toBe(0)
  })

  it('judges nothing again while its facts stay the same', async () => {
    await reports(second, { software: [{ name: 'openssl', version: '2' }] })
    const id = await active()
    const before = await transitionsOf(id)
    // Disks are no fact of the policy.
    await reports(second, {
      software: [{ name: 'openssl', version: '2' }],
      disks: [{ mount: '/', totalBytes: 2, usedBytes: 1 }],
    })
    await evaluated(orgId)
    expect(await transitionsOf(id)).toEqual(before)
    await reports(second, {
      software: [{ name: 'openssl', version: '2' }],
      disks: [{ mount: '/', totalBytes: 2, usedBytes: 1 }],
    })
    expect(await queued(orgId)).toEqual([])
    await end(id)
  })

  it('leaves alone what another partner changes', async () => {
    const there = await world()
    const id = await active()
    const [foreign = ''] = await enrolled(there.partnerAdmin, { orgId: there.org.id }, 'foreign')
    await reports(foreign, { software: [] })
    expect(await queued(orgId)).toEqual([])
    expect(await queued(there.org.id)).toEqual([])
    expect(await statuses(id)).not.toHaveProperty('foreign')
    await end(id)
  })

  it('does not apply to devices of other systems, nor to those that miss its filter', async () => {
    const windows = await active({ osTypes: ['windows'] })
    expect(await statuses(windows)).toEqual({ 'rated-1': 'not_applicable', 'rated-2': 'not_applicable' })
    const filtered = await active({ filter: { field: 'hostname', op: 'is', value: 'rated-1' } })
    expect(await statuses(filtered)).toMatchObject({ 'rated-1': 'compliant', 'rated-2': 'not_applicable' })
    const made = await call(here.orgAdmin, policies.get, { id: filtered })
    expect(made.counts).toMatchObject({ devices: 2, notApplicable: 1 })
    await end(windows)
    await end(filtered)
  })

  it('is evaluated again after each edit, and only changed results are noted', async () => {
    await reports(first, { software: [{ name: 'openssl', version: '3' }] })
    await reports(second, { software: [{ name: 'openssl', version: '2' }] })
    const id = await active()
    await call(here.orgAdmin, policies.update, { id, rules: [{ ...required, minVersion: '1' }] })
    await evaluated(orgId)
    expect(await statuses(id)).toEqual({ 'rated-1': 'compliant', 'rated-2': 'compliant' })
    await call(here.orgAdmin, policies.update, { id, rules: [{ ...required, minVersion: '9' }] })
    await evaluated(orgId)
    expect(await statuses(id)).toEqual({ 'rated-1': 'non_compliant', 'rated-2': 'non_compliant' })
    expect((await transitionsOf(id)).filter((each) => each.startsWith('rated-1'))).toEqual([
      'rated-1 compliant non_compliant',
    ])
    await end(id)
  })

  it('follows devices into groups and out of them', async () => {
    const group = await call(here.orgAdmin, groups.create, { orgId, name: 'Rated', type: 'static' })
    const id = await active({ assignments: [{ level: 'group', id: group.id }] })
    expect(await statuses(id)).toEqual({})
    await call(here.orgAdmin, members.add, { id: group.id, deviceIds: [first] })
    await evaluated(orgId)
    expect(Object.keys(await statuses(id))).toEqual(['rated-1'])
    await call(here.orgAdmin, groups.remove, { id: group.id })
    await evaluated(orgId)
    expect(await statuses(id)).toEqual({})
    await end(id)
  })

  it('follows the filters of its rules', async () => {
    const filter = { field: 'tags', op: 'hasAny', value: ['blessed'] }
    const id = await active({ rules: [{ key: 'tag', type: 'filter', filter }] })
    expect(await statuses(id)).toEqual({ 'rated-1': 'non_compliant', 'rated-2': 'non_compliant' })
    await system.query(`UPDATE devices SET tags = '{blessed}' WHERE id = $1`, [first])
    await sweepFilters(system)
    await evaluated(orgId)
    expect(await statuses(id)).toEqual({ 'rated-1': 'compliant', 'rated-2': 'non_compliant' })
    await end(id)
  })

  it('lets a nearer policy replace its rule, so that its own result ends', async () => {
    await reports(first, { software: [{ name: 'openssl', version: '2' }] })
    const wide = await active()
    expect(await statuses(wide)).toMatchObject({ 'rated-1': 'non_compliant' })
    const near = await active({
      assignments: [{ level: 'device', id: first }],
      rules: [{ ...required, minVersion: '1' }],
    })
    expect(await statuses(wide)).toMatchObject({ 'rated-1': 'not_applicable' })
    expect(await statuses(near)).toEqual({ 'rated-1': 'compliant' })
    await end(near)
    expect(await statuses(wide)).toMatchObject({ 'rated-1': 'non_compliant' })
    await end(wide)
  })
})

describe('a policy that warns', () => {
  it('opens an alert per device, and resolves it when the device complies', async () => {
    await reports(first, { software: [{ name: 'openssl', version: '3' }] })
    await reports(second, { software: [{ name: 'openssl', version: '2' }] })
    const id = await active({ mode: 'warn', rules: [{ ...required, severity: 'critical', message: 'OpenSSL is old' }] })
    expect(await alertsOf(id)).toEqual([{ status: 'active', severity: 'critical', message: 'OpenSSL is old' }])
    await reports(second, { software: [{ name: 'openssl', version: '3' }] })
    await evaluated(orgId)
    expect((await alertsOf(id)).map(({ status }) => status)).toEqual(['resolved'])
    await end(id)
  })

  it.each(['deactivate', 'remove', 'monitor'] as const)('resolves its alerts at once: %s', async (how) => {
    await reports(second, { software: [] })
    const id = await active({ mode: 'warn', assignments: [{ level: 'device', id: second }] })
    expect((await alertsOf(id)).map(({ status }) => status)).toEqual(['active'])
    if (how === 'monitor') await call(here.orgAdmin, policies.update, { id, mode: 'monitor' })
    else if (how === 'remove') await call(here.orgAdmin, policies.remove, { id })
    else await call(here.orgAdmin, policies.deactivate, { id })
    await evaluated(orgId)
    expect((await alertsOf(id)).map(({ status }) => status)).toEqual(['resolved'])
    if (how === 'monitor') await end(id)
  })
})

describe('the queue', () => {
  it('is evaluated once by two workers', async () => {
    await reports(first, { software: [] })
    const id = await active({ rules: [{ ...required, minVersion: '8' }] })
    await reports(first, { software: [{ name: 'openssl', version: '8' }] })
    await Promise.all([evaluated(orgId), evaluated(orgId)])
    expect(await statuses(id)).toMatchObject({ 'rated-1': 'compliant' })
    expect((await transitionsOf(id)).filter((each) => each.startsWith('rated-1'))).toEqual([
      'rated-1 non_compliant compliant',
      'rated-1 not_applicable non_compliant',
    ])
    await end(id)
  })

  it('keeps what a killed evaluation took', async () => {
    const id = await active()
    await reports(first, { software: [{ name: 'openssl', version: '1' }] })
    await asSystem(system, async (db) => {
      await takeMarks(db, 100)
      throw new Error('killed')
    }).catch(() => undefined)
    await evaluated(orgId)
    expect(await statuses(id)).toMatchObject({ 'rated-1': 'non_compliant' })
    await end(id)
  })

  it('does not wait for a policy that is being edited, nor for an evaluation', async () => {
    const id = await active()
    await asSystem(system, async (editing) => {
      await editing.updateTable('devicePolicies').set({ priority: 1 }).where('id', '=', id).execute()
      await editing.selectFrom('devicePolicyStates').selectAll().where('orgId', '=', orgId).forUpdate().execute()
      await reports(second, { software: [{ name: 'openssl', version: '7' }] })
    })
    expect(await queued(orgId)).toEqual([second])
    await end(id)
  })

  it('takes in devices that were not evaluated for an hour, and forgets what ended', async () => {
    const id = await active()
    await system.query(
      `UPDATE device_policy_states SET evaluated_at = now() - interval '2 hours' WHERE device_id = $1`,
      [first],
    )
    await asSystem(system, (db) => queueStale(db, 1_000))
    expect(await queued(orgId)).toEqual([first])
    await call(here.orgAdmin, policies.remove, { id })
    await evaluated(orgId)
    await system.query(`UPDATE device_policies SET deleted_at = now() - interval '2 days' WHERE id = $1`, [id])
    await sweepPolicies({ pool: system })
    expect((await system.query('SELECT FROM device_policies WHERE id = $1', [id])).rowCount).toBe(0)
  })
})
