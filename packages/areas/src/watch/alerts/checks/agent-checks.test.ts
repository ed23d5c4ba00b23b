import { inTransaction } from '@muster/db/transaction.ts'
import { call } from '@muster/testkit/call.ts'
import { enrolled } from '@muster/testkit/machines.ts'
import { testServices } from '@muster/testkit/services.ts'
import { world } from '@muster/testkit/world.ts'
import { describe, expect, it } from 'vitest'
import { rules } from '../rules/rules.contract.ts'
import { assignRules, CheckAssignments, checkTransitions } from './agent-checks.ts'

const { system } = await testServices()
const here = await world()
const [deviceId = '', other = ''] = await enrolled(here.partnerAdmin, { orgId: here.org.id }, 'checked', 'unchecked')
const create = (more: object) =>
  call(here.orgAdmin, rules.create, {
    orgId: here.org.id,
    name: 'Service',
    severity: 'high',
    conditions: { kind: 'service', name: 'nginx' },
    targets: { deviceIds: [deviceId] },
    ...more,
  })
const itemsOf = async (id: string) =>
  (
    await system.query<{ items: { id: string }[] }>(
      `SELECT items FROM device_assignments WHERE device_id = $1 AND kind = 'rules'`,
      [id],
    )
  ).rows[0]?.items
const statusesOf = async (ruleId: string) =>
  (await system.query<{ status: string }>('SELECT status FROM alerts WHERE rule_id = $1', [ruleId])).rows.map(
    ({ status }) => status,
  )
const observe = (id: string, state: 'ok' | 'failed' | 'unknown', at = Date.now()) =>
  inTransaction(system, (client) =>
    checkTransitions(client, [{ id, deviceId, at, state, rounds: 1, failed: 0, text: 'nginx is stopped' }]),
  )

describe('a rule that agents check', () => {
  it('becomes a check of the devices that it targets, and is taken back with the rule', async () => {
    const { id } = await create({})
    await assignRules(system)
    expect(await itemsOf(deviceId)).toEqual([
      { id: `${id}:1`, everySeconds: 30, timeoutSeconds: 20, check: { type: 'service', name: 'nginx' } },
    ])
    expect(await itemsOf(other)).toBeUndefined()
    const certificate = { kind: 'certificate' as const, host: 'localhost', port: 443, days: 14 }
    await call(here.orgAdmin, rules.update, { id, conditions: certificate })
    await assignRules(system)
    expect(await itemsOf(deviceId)).toMatchObject([{ id: `${id}:2`, pinned: true, check: { host: 'localhost' } }])
    await call(here.orgAdmin, rules.remove, { id })
    await assignRules(system)
    expect(await itemsOf(deviceId)).toEqual([])
  })

  it('is assigned to a device that comes into its targets later, and taken from one that leaves', async () => {
    const assignments = new CheckAssignments(system)
    const { id } = await create({ targets: { tags: ['checked'] } })
    await assignments.follow()
    const idsOf = async (device: string) => ((await itemsOf(device)) ?? []).map(({ id: check }) => check)
    expect(await idsOf(other)).not.toContain(`${id}:1`)
    await system.query(`UPDATE devices SET tags = '{checked}' WHERE id = $1`, [other])
    await assignments.follow()
    expect(await idsOf(other)).toContain(`${id}:1`)
    await system.query(`UPDATE devices SET tags = '{}' WHERE id = $1`, [other])
    await assignments.follow()
    expect(await idsOf(other)).not.toContain(`${id}:1`)
    await call(here.orgAdmin, rules.update, { id, targets: { deviceIds: [other] } })
    await assignments.follow()
    expect(await idsOf(other)).toEqual([`${id}:2`])
    await call(here.orgAdmin, rules.remove, { id })
    await assignments.follow()
    expect(await idsOf(other)).toEqual([])
  })

  it('opens an alert when the check fails, and resolves it when it passes', async () => {
    const { id } = await create({})
    await observe(`${id}:1`, 'failed')
    await observe(`${id}:1`, 'failed')
    await observe(`${id}:1`, 'unknown')
    expect(await statusesOf(id)).toEqual(['active'])
    await observe(`${id}:1`, 'ok')
    expect(await statusesOf(id)).toEqual(['resolved'])
  })

  it('waits as long as it says, and drops what was observed for an older version', async () => {
    const { id } = await create({ forSeconds: 60 })
    const begin = Date.now()
    await observe(`${id}:1`, 'failed', begin)
    await observe(`${id}:1`, 'failed', begin + 59_000)
    await observe(`${id}:9`, 'failed', begin + 70_000)
    expect(await statusesOf(id)).toEqual([])
    await observe(`${id}:1`, 'failed', begin + 60_000)
    expect(await statusesOf(id)).toEqual(['active'])
  })
})
