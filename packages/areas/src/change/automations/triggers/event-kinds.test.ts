// Each kind of event that automations can wait for starts one, in the place where it happens.
import { randomUUID } from 'node:crypto'
import { asSystem } from '@muster/db/database.ts'
import { inTransaction } from '@muster/db/transaction.ts'
import { call } from '@muster/testkit/call.ts'
import { enrolled } from '@muster/testkit/machines.ts'
import { testServices } from '@muster/testkit/services.ts'
import { beginFollower, followUp, testWorkerParts } from '@muster/testkit/worker-parts.ts'
import { world } from '@muster/testkit/world.ts'
import { Inventory } from '@muster/wire/messages/inventory.ts'
import { beforeAll, describe, expect, it } from 'vitest'
import { commandReports } from '../../../control/commands/results/commands.records.ts'
import { lifecycle } from '../../../control/lifecycle/lifecycle.contract.ts'
import { customFields } from '../../../fleet/custom-fields/custom-fields.contract.ts'
import { devices } from '../../../fleet/devices/devices.contract.ts'
import { inventories } from '../../../fleet/devices/inventory/inventory.records.ts'
import { groups } from '../../../fleet/groups/groups.contract.ts'
import { dynamicGroups } from '../../../fleet/groups/index.ts'
import { members } from '../../../fleet/groups/members.contract.ts'
import { emit } from '../../../platform/events/index.ts'
import { deploymentCompleted, deploymentHalted } from '../../deployments/deployment-events.contract.ts'
import { policyRestored, policyViolated } from '../../device-policies/policies-events.contract.ts'
import { scripts } from '../../scripts/scripts.contract.ts'
import { automations } from '../automations.contract.ts'
import { runs } from '../runs/runs.contract.ts'
import { moveAll } from '../testing/move-all.ts'
import { automationFollower } from './event-triggers.followers.ts'

const { system } = await testServices()
const parts = await testWorkerParts()
const { org, partner, partnerAdmin } = await world()
const orgId = org.id
let device = ''
beforeAll(async () => {
  const ids = await enrolled(partnerAdmin, { orgId }, 'kind-one')
  device = ids[0] ?? ''
  await beginFollower(parts, automationFollower)
})

const made = (event: string, more: object = {}) =>
  call(partnerAdmin, automations.create, {
    ...{ orgId, name: `${event} ${randomUUID()}`, trigger: { type: 'event' as const, event, ...more } },
    actions: [{ type: 'notify', title: '{{ event.type }}', message: '{{ event.hostname }}' }],
  })
const runsOf = async (id: string) => (await call(partnerAdmin, runs.list, { id })).data
const followed = async () => {
  await followUp(parts, automationFollower)
  await moveAll(parts, partner.id)
}
const statuses = async (id: string) => (await runsOf(id)).map(({ status, reason }) => reason ?? status)

interface Software {
  name: string
  version?: string
}
/** The device reports an inventory. */
async function reports(software: Software[], facts: object = {}) {
  const hash = randomUUID().replaceAll('-', '').padEnd(64, '0')
  const body = Inventory.parse({
    ...{ hash, hardware: {}, disks: [], network: [], software, services: [], users: [] },
    facts: { hostname: 'kind-one', osType: 'linux', architecture: 'x64', agentVersion: '1.0.0', ...facts },
  })
  await inTransaction(system, (client) =>
    inventories.store(client, [{ name: 'inventory', deviceId: device, atMs: Date.now(), body }], parts),
  )
}

describe('a change of a device', () => {
  it('starts automations on device.changed, with what changed', async () => {
    const any = await made('device.changed')
    const tagged = await made('device.changed', { match: { changed: 'tags' } })
    await call(partnerAdmin, lifecycle.update, { id: device, displayName: 'Kind' })
    await followed()
    expect(await statuses(any.id)).toEqual(['completed'])
    expect(await statuses(tagged.id)).toEqual([])
    await call(partnerAdmin, lifecycle.update, { id: device, displayName: 'Kind' })
    await followed()
    expect(await statuses(any.id)).toHaveLength(1)
  })

  it('by an inventory: the first one is no change, and the next ones say what was installed and removed', async () => {
    const installed = await made('software.installed', { match: { name: ['nginx', 'git'] } })
    const removed = await made('software.removed')
    const changed = await made('device.changed', { match: { changed: ['software', 'osVersion'] } })
    await reports([{ name: 'git', version: '1' }], { osVersion: '1' })
    await followed()
    expect(await statuses(installed.id)).toEqual([])
    await reports(
      [
        { name: 'git', version: '1' },
        { name: 'nginx', version: '2' },
      ],
      { osVersion: '2' },
    )
    await followed()
    expect(await statuses(installed.id)).toEqual(['completed'])
    expect(await statuses(removed.id)).toEqual([])
    expect(await statuses(changed.id)).toEqual(['completed'])
    await reports([{ name: 'nginx', version: '3' }], { osVersion: '2' })
    await followed()
    expect(await statuses(installed.id)).toEqual(['completed'])
    expect(await statuses(removed.id)).toEqual(['completed'])
    const { rows } = await system.query(
      `SELECT type, data FROM events WHERE device_id = $1 AND type LIKE 'software.%' ORDER BY seq`,
      [device],
    )
    expect(rows).toEqual([
      { type: 'software.installed', data: { hostname: 'kind-one', name: 'nginx', version: '2' } },
      { type: 'software.removed', data: { hostname: 'kind-one', name: 'git', version: '1' } },
    ])
  })

  it('stores at most 200 events of software for an inventory, and none for a list that was not read', async () => {
    const count = async () => {
      const { rows } = await system.query<{ count: number }>(
        `SELECT count(*)::int AS count FROM events WHERE device_id = $1 AND type LIKE 'software.%'`,
        [device],
      )
      return rows[0]?.count ?? 0
    }
    const before = await count()
    await reports([])
    await reports([{ name: 'nginx' }])
    expect(await count()).toBe(before)
    await reports(Array.from({ length: 500 }, (_, number) => ({ name: `package-${number}` })))
    expect(await count()).toBe(before + 200)
  })
})

describe('a group', () => {
  it('that a device joins and leaves starts automations', async () => {
    const { id } = await call(partnerAdmin, groups.create, { orgId, name: `G ${randomUUID()}` })
    const match = { groupId: id }
    const [joined, left] = [await made('group.joined', { match }), await made('group.left', { match })]
    await call(partnerAdmin, members.add, { id, deviceIds: [device] })
    await call(partnerAdmin, members.add, { id, deviceIds: [device] })
    await followed()
    expect(await statuses(joined.id)).toEqual(['completed'])
    expect(await statuses(left.id)).toEqual([])
    await call(partnerAdmin, members.remove, { id, deviceId: device })
    await followed()
    expect(await statuses(left.id)).toEqual(['completed'])
  })

  it('with a filter does so when the device changes, but not from its beginning', async () => {
    const filter = { field: 'displayName', op: 'is', value: 'Joins' }
    const { id } = await call(partnerAdmin, groups.create, { orgId, name: `G ${randomUUID()}`, filter })
    const match = { groupId: id }
    const [joined, left] = [await made('group.joined', { match }), await made('group.left', { match })]
    const evaluated = () =>
      asSystem(system, async (db) => {
        for (const group of await dynamicGroups(db)) if (group.id === id) await group.evaluate(db, [device])
      })
    await call(partnerAdmin, lifecycle.update, { id: device, displayName: 'Joins' })
    await evaluated()
    await followed()
    expect(await statuses(joined.id)).toEqual(['completed'])
    const { id: born } = await call(partnerAdmin, groups.create, { orgId, name: `G ${randomUUID()}`, filter })
    const { rows } = await system.query(`SELECT FROM events WHERE type = 'group.joined' AND data ->> 'groupId' = $1`, [
      born,
    ])
    expect(rows).toEqual([])
    await call(partnerAdmin, lifecycle.update, { id: device, displayName: 'Leaves' })
    await evaluated()
    await followed()
    expect(await statuses(left.id)).toEqual(['completed'])
  })
})

describe('policies and deployments', () => {
  it.each([policyViolated, policyRestored])('start automations: $name', async (type) => {
    const { id } = await made(type.name)
    await inTransaction(system, (client) =>
      emit(client, type, {
        ...{ partnerId: partner.id, orgId, siteId: null, deviceId: device },
        data: { ...policyData, hostname: 'kind-one' },
      }),
    )
    await followed()
    expect(await statuses(id)).toEqual(['completed'])
  })

  it.each([deploymentHalted, deploymentCompleted])(
    'start automations on all devices that match: $name',
    async (type) => {
      const { id } = await call(partnerAdmin, automations.create, {
        ...{ orgId, name: `D ${randomUUID()}`, trigger: { type: 'event', event: type.name } },
        actions: [{ type: 'add_tag', tag: '{{ event.type }}' }],
      })
      await inTransaction(system, (client) =>
        emit(client, type, { partnerId: partner.id, orgId, data: deploymentData }),
      )
      await followed()
      expect(await statuses(id)).toEqual(['completed'])
      expect((await call(partnerAdmin, devices.get, { id: device })).tags).toContain(type.name)
    },
  )
})
const policyData = { policyId: randomUUID(), policyName: 'P', status: 'non_compliant' as const, rules: ['firewall'] }
const deploymentData = { deploymentId: randomUUID(), name: 'D', failed: 1, issued: 2, reason: 'x', succeeded: 1 }

describe('the end of a script', () => {
  const script = () =>
    call(partnerAdmin, scripts.create, { orgId, name: `S ${randomUUID()}`, language: 'bash', content: 'true' })
  /** Ends the last command of the device as it reports. */
  async function ended(exitCode: number) {
    const { rows } = await system.query<{ id: string }>(
      `SELECT id FROM device_commands WHERE device_id = $1 AND type = 'run_script' AND finished_at IS NULL`,
      [device],
    )
    for (const { id: commandId } of rows) {
      const status = exitCode === 0 ? ('completed' as const) : ('failed' as const)
      const body = { commandId, status, exitCode, stdout: '', durationMs: 5 }
      await inTransaction(system, (client) =>
        commandReports.store(client, [{ name: 'result', deviceId: device, atMs: Date.now(), body }], parts),
      )
    }
    await followed()
    return rows.length
  }

  it('starts automations with its severity, and names the run that led to it', async () => {
    const { id: scriptId } = await script()
    const failed = await made('script.ended', { match: { scriptId, severity: 'error' } })
    const starts = await call(partnerAdmin, automations.create, {
      ...{ orgId, name: 'Starts', trigger: { type: 'manual' } },
      actions: [{ type: 'run_script', scriptId }],
    })
    const run = await call(partnerAdmin, runs.run, { id: starts.id, deviceIds: [device] })
    await moveAll(parts, partner.id)
    expect(await ended(3)).toBe(1)
    expect(await statuses(failed.id)).toEqual(['completed'])
    const { rows } = await system.query(
      `SELECT cause FROM events WHERE type = 'script.ended' AND data ->> 'scriptId' = $1`,
      [scriptId],
    )
    expect(rows).toEqual([{ cause: { runId: run.id, chain: [starts.id] } }])
  })

  it('does not start the automation that ran it: automation-loops', async () => {
    const { id: scriptId } = await script()
    const again = await call(partnerAdmin, automations.create, {
      ...{ orgId, name: 'Again', trigger: { type: 'event', event: 'script.ended', match: { scriptId } } },
      actions: [{ type: 'run_script', scriptId }],
    })
    const starts = await call(partnerAdmin, automations.create, {
      ...{ orgId, name: 'Starts', trigger: { type: 'manual' } },
      actions: [{ type: 'run_script', scriptId }],
    })
    // The alert that the failure raises is in the chain too.
    const alerted = await call(partnerAdmin, automations.create, {
      ...{ orgId, name: 'Alerted', trigger: { type: 'event', event: 'alert.opened' } },
      actions: [{ type: 'run_script', scriptId }],
    })
    await call(partnerAdmin, runs.run, { id: starts.id, deviceIds: [device] })
    await moveAll(parts, partner.id)
    let rounds = 0
    while (rounds < 20 && (await ended(3)) > 0) rounds++
    expect(rounds).toBeLessThan(6)
    expect((await statuses(again.id)).sort()).toEqual(expect.arrayContaining(['loop']))
    expect((await runsOf(again.id)).filter(({ startedAt }) => startedAt !== null)).toHaveLength(1)
    expect((await runsOf(alerted.id)).filter(({ startedAt }) => startedAt !== null).length).toBeLessThanOrEqual(1)
  })

  it('of a chain through fields and tags ends too: automation-loops', async () => {
    const key = `k${randomUUID().slice(0, 8)}`
    await call(partnerAdmin, customFields.create, { orgId: null, key, label: key, type: 'text' })
    const other = await call(partnerAdmin, automations.create, {
      ...{ orgId, name: 'B', trigger: { type: 'event', event: 'device.changed', match: { changed: 'customFields' } } },
      actions: [{ type: 'add_tag', tag: `t-{{ run.id | slice: 0, 8 }}` }],
    })
    const one = await call(partnerAdmin, automations.create, {
      ...{ orgId, name: 'A', trigger: { type: 'event', event: 'device.changed', match: { changed: 'tags' } } },
      actions: [{ type: 'set_field', key, value: '{{ run.id }}' }],
    })
    await call(partnerAdmin, customFields.setValues, { id: device, values: { [key]: 'begin' } })
    for (let turn = 0; turn < 5; turn++) await followed()
    expect((await statuses(other.id)).sort()).toEqual(['completed', 'loop'])
    expect(await statuses(one.id)).toEqual(['completed'])
  })
})
