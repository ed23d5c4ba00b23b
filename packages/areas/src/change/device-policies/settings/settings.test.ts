import { randomUUID } from 'node:crypto'
import { asSystem } from '@muster/db/database.ts'
import { call, refusal } from '@muster/testkit/call.ts'
import { enrolled, setState } from '@muster/testkit/machines.ts'
import { testServices } from '@muster/testkit/services.ts'
import { testWorkerParts } from '@muster/testkit/worker-parts.ts'
import { world } from '@muster/testkit/world.ts'
import { describe, expect, it } from 'vitest'
import { autoUpdate } from '../../../control/commands/auto-update/auto-update.contract.ts'
import { commands } from '../../../control/commands/commands.contract.ts'
import { type BackgroundOrder, issueInBackground } from '../../../control/commands/index.ts'
import { devices } from '../../../fleet/devices/devices.contract.ts'
import { executions } from '../../scripts/executions/executions.contract.ts'
import { scripts } from '../../scripts/scripts.contract.ts'
import { devicePolicies } from '../devices/devices.contract.ts'
import { policies } from '../policies.contract.ts'
import { evaluated } from '../testing/machines.ts'
import type { Settings } from './settings.contract.ts'

const { system } = await testServices()
const parts = await testWorkerParts()
const here = await world()
const orgId = here.org.id
const [held = '', other = ''] = await enrolled(here.partnerAdmin, { orgId, siteId: here.site.id }, 'held', 'other')
for (const id of [held, other]) await setState(id, { status: 'online' })

async function active(settings: Settings, more: object = {}) {
  const assignments = [{ level: 'device' as const, id: held }]
  const made = await call(here.orgAdmin, policies.create, { orgId, name: 'Settings', assignments, settings, ...more })
  await call(here.orgAdmin, policies.activate, { id: made.id })
  await evaluated(orgId)
  return made.id
}
async function ended(...ids: string[]) {
  for (const id of ids) await call(here.orgAdmin, policies.remove, { id })
  await evaluated(orgId)
}
const storedOf = async (deviceId: string) =>
  (await system.query('SELECT * FROM device_settings WHERE device_id = $1', [deviceId])).rows[0]
const script = { type: 'run_script' as const, payload: { language: 'bash', script: 'true' } }

describe('the settings of policies', () => {
  it('are refused by name if they are unknown or out of range', async () => {
    const create = async (settings: object) =>
      (await refusal(call(here.orgAdmin, policies.create, { orgId, name: 'Bad', settings }))).message
    expect(await create({ 'agent.color': 'blue' })).toContain('agent.color')
    expect(await create({ 'agent.heartbeatSeconds': 1 })).toContain('settings.agent.heartbeatSeconds')
    const empty = await call(here.orgAdmin, policies.create, { orgId, name: 'Empty' })
    expect(await refusal(call(here.orgAdmin, policies.activate, { id: empty.id }))).toMatchObject({ status: 400 })
  })

  it('are explained for a device, and need no rule', async () => {
    const far = await active(
      { 'agent.heartbeatSeconds': 30, 'agent.autoUpdate': true },
      { assignments: [{ level: 'organization', id: orgId }] },
    )
    const near = await active({ 'agent.heartbeatSeconds': 10 }, { assignments: [{ level: 'site', id: here.site.id }] })
    const found = await call(here.orgAdmin, devicePolicies.get, { id: held })
    expect(found.policies.map(({ status }) => status)).toEqual(['compliant', 'compliant'])
    expect(found.settings).toMatchObject([
      {
        ...{ key: 'agent.heartbeatSeconds', value: 10, policyId: near, level: 'site', why: 'nearer' },
        overrode: [{ policyId: far, level: 'organization', value: 30 }],
      },
      { key: 'agent.autoUpdate', value: true, policyId: far, why: 'only', overrode: [] },
    ])
    expect(await storedOf(held)).toMatchObject({ heartbeat_seconds: 10, auto_update: true, scripts_allowed: null })
    await ended(near)
    expect(await storedOf(held)).toMatchObject({ heartbeat_seconds: 30 })
    await ended(far)
    expect(await storedOf(held)).toMatchObject({ heartbeat_seconds: null, auto_update: null })
  })

  it('refuse scripts at every door where scripts.allowed is false', async () => {
    const kept = await call(here.orgAdmin, scripts.create, { orgId, name: 'Kept', language: 'bash', content: 'true' })
    const policy = await active({ 'scripts.allowed': false })
    expect(await refusal(call(here.orgAdmin, commands.create, { id: held, ...script }))).toMatchObject({
      ...{ status: 409, message: expect.stringContaining('does not allow scripts') },
    })
    const reason = 'scripts_not_allowed'
    const deviceIds = [held, other]
    const bulk = await call(here.orgAdmin, commands.bulk, { deviceIds, ...script })
    expect(bulk.skipped).toEqual([{ deviceId: held, reason }])
    expect(bulk.commands.map(({ deviceId }) => deviceId)).toEqual([other])
    const run = await call(here.orgAdmin, executions.execute, { id: kept.id, deviceIds })
    expect(run.skipped).toEqual([{ deviceId: held, reason }])
    const order: BackgroundOrder = {
      ...{ ...script, timeoutMs: 60_000, respectMaintenance: true },
      expiresAt: new Date(Date.now() + 600_000).toISOString(),
      origin: { kind: 'deployment', id: randomUUID(), step: 0, attempt: 1 },
      owner: {
        userId: here.orgAdmin.userId,
        place: { scope: 'organization', partnerId: here.partner.id, orgId },
      },
    }
    const issued = await asSystem(system, (db) => issueInBackground(db, parts, order, [held]))
    expect(issued.skipped).toEqual([{ deviceId: held, reason }])
    const look = await call(here.orgAdmin, commands.create, { id: held, type: 'refresh_inventory', payload: {} })
    expect(look.deviceId).toBe(held)
    await ended(policy)
    expect((await call(here.orgAdmin, commands.create, { id: held, ...script })).type).toBe('run_script')
  })

  it('decide about updates of the agent until they end', async () => {
    const set = (enabled: boolean) => call(here.orgAdmin, autoUpdate.set, { id: held, enabled })
    const now = async () => (await call(here.orgAdmin, devices.get, { id: held })).autoUpdate
    await set(true)
    const policy = await active({ 'agent.autoUpdate': false })
    expect(await now()).toBe(false)
    expect(await refusal(set(true))).toMatchObject({ status: 409 })
    const bulk = await call(here.orgAdmin, commands.bulk, {
      ...{ deviceIds: [held], type: 'set_auto_update', payload: { enabled: true } },
    })
    expect(bulk.skipped).toEqual([{ deviceId: held, reason: 'set_by_policy' }])
    await ended(policy)
    expect(await now()).toBe(true)
  })

  it('of other tenants do not reach the device', async () => {
    const there = await world()
    const made = await call(there.partnerAdmin, policies.create, {
      ...{ name: 'Theirs', settings: { 'scripts.allowed': false } },
      assignments: [{ level: 'partner', id: there.partner.id }],
    })
    await call(there.partnerAdmin, policies.activate, { id: made.id })
    await evaluated(there.org.id)
    await evaluated(orgId)
    expect((await call(here.orgAdmin, devicePolicies.get, { id: held })).settings).toEqual([])
    expect(await storedOf(held)).toMatchObject({ scripts_allowed: null })
  })
})
