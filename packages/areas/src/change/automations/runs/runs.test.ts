import { randomUUID } from 'node:crypto'
import { asSystem } from '@muster/db/database.ts'
import { auditOf } from '@muster/testkit/audit.ts'
import { call, refusal } from '@muster/testkit/call.ts'
import { enrolled, setState } from '@muster/testkit/machines.ts'
import { testServices } from '@muster/testkit/services.ts'
import { testWorkerParts } from '@muster/testkit/worker-parts.ts'
import { person, world } from '@muster/testkit/world.ts'
import { beforeAll, describe, expect, it } from 'vitest'
import { stops } from '../../../control/commands/stops/stops.contract.ts'
import { windows } from '../../../control/maintenance/windows.contract.ts'
import { customFields } from '../../../fleet/custom-fields/custom-fields.contract.ts'
import { devices } from '../../../fleet/devices/devices.contract.ts'
import { alerts } from '../../../watch/alerts/alerts.contract.ts'
import { notifications } from '../../../watch/notifications/notifications.contract.ts'
import { automations } from '../automations.contract.ts'
import { moveAll } from '../testing/move-all.ts'
import { runs } from './runs.contract.ts'

const { system } = await testServices()
const parts = await testWorkerParts()
const { org, partner, partnerAdmin } = await world()
const orgId = org.id
const manual = { type: 'manual' } as const
const tag = { type: 'add_tag', tag: 'seen' } as const
const filter = (name: string) => ({ field: 'hostname', op: 'startsWith', value: name })
const made = (given: object = {}) =>
  call(partnerAdmin, automations.create, {
    ...{ orgId, name: `A ${randomUUID()}`, trigger: manual, actions: [tag], conditions: filter('auto-') },
    ...given,
  })
/** Starts the automation, and moves all runs until they end or wait. */
async function ran(id: string, given: object = {}) {
  const run = await call(partnerAdmin, runs.run, { id, ...given })
  await moveAll(parts, partner.id)
  return call(partnerAdmin, runs.get, { runId: run.id })
}
const tagsOf = async (id: string) => (await call(partnerAdmin, devices.get, { id })).tags
/** Lets the time pass that tasks of a run wait for. */
async function pass(runId: string, seconds: number) {
  await system.query(
    `UPDATE automation_step_devices SET due_at = due_at - make_interval(secs => $2), began_at = began_at - make_interval(secs => $2) WHERE run_id = $1`,
    [runId, seconds],
  )
  await system.query('UPDATE automation_runs SET due_at = due_at - make_interval(secs => $2) WHERE id = $1', [
    runId,
    seconds,
  ])
  await moveAll(parts, partner.id)
}

let one = ''
let two = ''
beforeAll(async () => {
  const ids = await enrolled(partnerAdmin, { orgId }, 'auto-one', 'auto-two', 'other')
  one = ids[0] ?? ''
  two = ids[1] ?? ''
  await call(partnerAdmin, customFields.create, { orgId, key: 'rack', label: 'Rack', type: 'text' })
  await call(partnerAdmin, customFields.create, { orgId, key: 'units', label: 'Units', type: 'number' })
})

describe('a run', () => {
  it('acts on all devices that match, once', async () => {
    const { id } = await made()
    const run = await ran(id)
    expect(run).toMatchObject({
      ...{ status: 'completed', reason: null, triggeredBy: 'manual', dryRun: false },
      devices: { total: 2, succeeded: 2, failed: 0, skipped: 0 },
      steps: [{ number: 1, type: 'add_tag', status: 'succeeded' }],
    })
    expect(run.log.map(({ message }) => message)).toEqual([
      'Started by manual on 2 devices',
      'Step 1 add_tag: succeeded',
      'The run ended: completed',
    ])
    expect(await tagsOf(one)).toContain('seen')
    expect((await call(partnerAdmin, automations.get, { id })).lastRunAt).not.toBeNull()
    const records = await auditOf(id)
    expect(records).toContainEqual(
      expect.objectContaining({
        action: 'automation.run',
        details: expect.objectContaining({ ownerId: partnerAdmin.userId, devices: 2 }),
      }),
    )
  })

  it('acts on the named devices as far as they match', async () => {
    const { id } = await made({ conditions: filter('auto-one') })
    const run = await ran(id, { deviceIds: [one, two] })
    expect(run.devices.total).toBe(1)
    expect((await ran(id, { deviceIds: [two] })).reason).toBe('no_devices')
    expect(await refusal(call(partnerAdmin, runs.run, { id, deviceIds: [randomUUID()] }))).toMatchObject({
      status: 400,
    })
  })

  it('with more devices than allowed fails, and does nothing', async () => {
    const { id } = await made({ maxDevicesPerRun: 1, actions: [{ type: 'add_tag', tag: 'too-many' }] })
    expect(await ran(id)).toMatchObject({
      status: 'failed',
      reason: 'too_many_devices',
      steps: [],
      devices: { total: 0 },
    })
    expect(await tagsOf(one)).not.toContain('too-many')
  })

  it('that is dry shows what each device would get, and does nothing', async () => {
    const actions = [
      { type: 'set_field', key: 'rack', value: 'R-{{ device.hostname }}' },
      { type: 'webhook', url: 'https://example.com/x', headers: { 'X-Key': 'hidden' }, body: '{{ event.id }}' },
    ]
    const { id } = await made({ actions, enabled: false })
    const run = await ran(id, { dryRun: true })
    expect(run).toMatchObject({ status: 'completed', dryRun: true, devices: { total: 2 } })
    expect(run.steps[0]?.devices).toMatchObject([
      { hostname: 'auto-one', status: 'planned', detail: { type: 'set_field', key: 'rack', value: 'R-auto-one' } },
      { hostname: 'auto-two', status: 'planned', detail: { value: 'R-auto-two' } },
    ])
    expect(run.steps[1]?.devices).toMatchObject([
      { deviceId: null, status: 'failed', error: expect.stringContaining('event') },
    ])
    expect(JSON.stringify(run)).not.toContain('hidden')
    expect((await call(partnerAdmin, devices.get, { id: one })).customFields).not.toHaveProperty('rack')
    expect(await auditOf(id)).toContainEqual(expect.objectContaining({ action: 'automation.dry_run' }))
  })

  it('of a disabled automation is refused', async () => {
    const { id } = await made({ enabled: false })
    expect(await refusal(call(partnerAdmin, runs.run, { id }))).toMatchObject({
      status: 409,
      message: expect.stringContaining('disabled'),
    })
  })

  it('is listed without its steps, by status', async () => {
    const { id } = await made()
    const { id: runId } = await ran(id)
    expect(await call(partnerAdmin, runs.list, { id, status: ['completed'] })).toMatchObject({ data: [{ id: runId }] })
    expect(await call(partnerAdmin, runs.list, { id, status: 'failed,skipped' as never })).toMatchObject({ data: [] })
  })
})

describe('the actions', () => {
  it('set fields and tags with the values of the device', async () => {
    const actions = [
      { type: 'set_field', key: 'rack', value: 'R-{{ device.hostname }}' },
      { type: 'add_tag', tag: 'os-{{ device.osType }}' },
      { type: 'remove_tag', tag: 'seen' },
    ]
    const { id } = await made({ actions })
    expect(await ran(id)).toMatchObject({ status: 'completed' })
    const device = await call(partnerAdmin, devices.get, { id: one })
    expect(device.customFields).toMatchObject({ rack: 'R-auto-one' })
    expect(device.tags).toContain('os-linux')
    expect(device.tags).not.toContain('seen')
  })

  it('open an alert on each device', async () => {
    const { id } = await made({
      actions: [{ type: 'create_alert', severity: 'low', title: 'Look at {{ device.hostname }}' }],
    })
    await ran(id)
    const { data } = await call(partnerAdmin, alerts.list, { source: ['automation'], deviceId: one })
    expect(data).toMatchObject([{ title: 'Look at auto-one', severity: 'low', status: 'active' }])
  })

  it('notify the owner once, or for each device where the text names it', async () => {
    const { id } = await made({ actions: [{ type: 'notify', title: 'Ran once', message: 'm' }] })
    expect((await ran(id)).steps[0]?.devices).toMatchObject([{ deviceId: null, status: 'succeeded' }])
    const each = await made({ actions: [{ type: 'notify', title: '{{ device.hostname }}', message: 'm' }] })
    expect((await ran(each.id)).steps[0]?.devices).toHaveLength(2)
    const { data } = await call(partnerAdmin, notifications.list, { type: 'automation' })
    expect(data.map(({ title }) => title)).toEqual(expect.arrayContaining(['Ran once', 'auto-one', 'auto-two']))
  })

  it('wait for a time, and for devices to come online', async () => {
    const { id } = await made({ actions: [{ type: 'wait', seconds: 60 }, { type: 'wait_online', seconds: 90 }, tag] })
    await setState(one, { status: 'online' })
    await setState(two, { status: 'offline' })
    const { id: runId, status } = await ran(id)
    expect(status).toBe('running')
    await pass(runId, 61)
    expect(await call(partnerAdmin, runs.get, { runId })).toMatchObject({
      status: 'running',
      steps: [{}, { type: 'wait_online' }],
    })
    await pass(runId, 91)
    expect(await call(partnerAdmin, runs.get, { runId })).toMatchObject({
      ...{ status: 'partial', reason: 'step_failed', devices: { succeeded: 1, failed: 1 } },
    })
  })
})

describe('a step that fails', () => {
  const bad = { type: 'set_field', key: 'units', value: '{{ device.hostname }}' } as const

  it('stops its devices, unless it continues', async () => {
    const stops = await made({ actions: [bad, { type: 'add_tag', tag: 'after-stop' }] })
    expect(await ran(stops.id)).toMatchObject({ status: 'failed', reason: 'step_failed', devices: { failed: 2 } })
    expect(await tagsOf(one)).not.toContain('after-stop')
    const continues = await made({ onFailure: 'continue', actions: [bad, { type: 'add_tag', tag: 'after-continue' }] })
    expect(await ran(continues.id)).toMatchObject({
      status: 'failed',
      steps: [{ status: 'failed' }, { status: 'succeeded' }],
    })
    expect(await tagsOf(one)).toContain('after-continue')
  })

  it('notifies the owner where it says so', async () => {
    const { id, name } = await made({ actions: [{ ...bad, onFailure: 'notify' }] })
    await ran(id)
    const { data } = await call(partnerAdmin, notifications.list, { type: 'automation' })
    expect(data.map(({ title }) => title)).toContain(`Step 1 of ${name} failed`)
  })

  it('is tried again as often as it says', async () => {
    const { id } = await made({
      actions: [{ ...bad, retries: 2, retryDelaySeconds: 30 }],
      conditions: filter('auto-one'),
    })
    const { id: runId, status } = await ran(id)
    expect(status).toBe('running')
    await pass(runId, 31)
    await pass(runId, 31)
    const run = await call(partnerAdmin, runs.get, { runId })
    expect(run.steps[0]?.devices).toMatchObject([{ status: 'failed', attempt: 3, error: 'units must be a number' }])
  })

  it('fails where a template takes a value that is absent', async () => {
    const { id } = await made({ actions: [{ type: 'add_tag', tag: '{{ event.name }}' }] })
    expect((await ran(id)).steps[0]?.devices[0]).toMatchObject({
      status: 'failed',
      error: expect.stringContaining('event'),
    })
  })
})

describe('overlap', () => {
  const waits = [{ type: 'wait', seconds: 600 }, tag]

  it('skip: a second run with the same devices is skipped, one with others is not', async () => {
    const { id } = await made({ actions: waits })
    const first = await ran(id, { deviceIds: [one] })
    expect(first.status).toBe('running')
    expect(await ran(id, { deviceIds: [one, two] })).toMatchObject({ status: 'skipped', reason: 'overlap' })
    expect(await ran(id, { deviceIds: [two] })).toMatchObject({ status: 'running' })
  })

  it('queue: a second run starts when the first one has ended', async () => {
    const { id } = await made({ actions: waits, overlap: 'queue' })
    const first = await ran(id)
    const second = await ran(id)
    expect(second).toMatchObject({ status: 'queued', reason: 'waiting' })
    await pass(first.id, 601)
    await moveAll(parts, partner.id)
    expect(await call(partnerAdmin, runs.get, { runId: second.id })).toMatchObject({ status: 'running' })
  })

  it('parallel: both run', async () => {
    const { id } = await made({ actions: waits, overlap: 'parallel' })
    await ran(id)
    expect(await ran(id)).toMatchObject({ status: 'running' })
  })

  it('a cooldown skips runs that start too soon after another', async () => {
    const { id } = await made({ cooldownSeconds: 300 })
    await ran(id)
    expect(await ran(id)).toMatchObject({ status: 'skipped', reason: 'cooldown' })
  })
})

describe('limits', () => {
  it('more runs than allowed per hour trip the automation until it is enabled', async () => {
    const { id } = await made({ maxRunsPerHour: 2 })
    await ran(id)
    await ran(id)
    expect(await ran(id)).toMatchObject({ status: 'skipped', reason: 'too_many_runs' })
    expect(await call(partnerAdmin, automations.get, { id })).toMatchObject({
      enabled: true,
      status: 'tripped',
      statusReason: 'too_many_runs',
    })
    expect(await refusal(call(partnerAdmin, runs.run, { id }))).toMatchObject({ status: 409 })
    await call(partnerAdmin, automations.update, { id, name: 'Only renamed' })
    expect((await call(partnerAdmin, automations.get, { id })).status).toBe('tripped')
    expect(await call(partnerAdmin, automations.update, { id, enabled: true })).toMatchObject({
      status: 'enabled',
      statusReason: null,
    })
    expect(await ran(id)).toMatchObject({ status: 'completed' })
    expect(await auditOf(id)).toContainEqual(expect.objectContaining({ action: 'automation.trip' }))
  })

  it('an owner who lost the permission disables the automation: owner_not_permitted', async () => {
    const owner = await person({ scope: 'partner', partnerId: partner.id }, { role: 'Partner Admin' })
    const { id } = await call(owner, automations.create, {
      orgId,
      name: 'Owned',
      trigger: manual,
      actions: [tag],
      conditions: filter('auto-'),
    })
    await system.query(`UPDATE partner_users SET status = 'disabled' WHERE user_id = $1`, [owner.userId])
    expect(await ran(id)).toMatchObject({ status: 'failed', reason: 'owner_not_permitted', devices: { total: 0 } })
    expect(await call(partnerAdmin, automations.get, { id })).toMatchObject({
      status: 'disabled',
      statusReason: 'owner_not_permitted',
    })
  })

  it('a person who disables an automation ends its runs', async () => {
    const { id } = await made({ actions: [{ type: 'wait', seconds: 600 }, tag] })
    const { id: runId } = await ran(id)
    await call(partnerAdmin, automations.update, { id, enabled: false })
    await moveAll(parts, partner.id)
    expect(await call(partnerAdmin, runs.get, { runId })).toMatchObject({
      status: 'cancelled',
      reason: 'disabled',
      devices: { skipped: 2 },
    })
  })

  it('a command stop holds all runs', async () => {
    const { id } = await made()
    await call(partnerAdmin, stops.set, { reason: 'Something is wrong' })
    expect(await ran(id)).toMatchObject({ status: 'queued' })
    await call(partnerAdmin, stops.lift, {})
    await moveAll(parts, partner.id)
    expect(await call(partnerAdmin, runs.list, { id })).toMatchObject({ data: [{ status: 'completed' }] })
  })

  it('a maintenance window that holds automations back skips its devices, unless it is not respected', async () => {
    const [held = ''] = await enrolled(partnerAdmin, { orgId }, 'held-one')
    await call(partnerAdmin, windows.create, {
      ...{
        orgId,
        name: 'Quiet',
        targets: { deviceIds: [held] },
        durationMinutes: 60,
        effects: { automations: 'suppress' },
      },
    } as never)
    const given = { conditions: filter('held-') }
    const { id } = await made(given)
    const run = await ran(id)
    expect(run).toMatchObject({ status: 'skipped', devices: { skipped: 1 } })
    expect(run.steps[0]?.devices).toMatchObject([{ status: 'skipped', error: 'maintenance' }])
    const anyway = await made({ ...given, respectMaintenance: false })
    expect(await ran(anyway.id)).toMatchObject({ status: 'completed' })
  })
})

it('what a run changes has the run as its cause', async () => {
  const { id } = await made({
    actions: [{ type: 'create_alert', severity: 'low', title: 'Caused' }],
    conditions: filter('auto-two'),
  })
  const { id: runId } = await ran(id)
  const { rows } = await asSystem(system, async () =>
    system.query(
      `SELECT type, cause FROM events WHERE device_id = $1 AND cause IS NOT NULL ORDER BY seq DESC LIMIT 1`,
      [two],
    ),
  )
  expect(rows).toEqual([{ type: 'alert.opened', cause: { runId, chain: [id] } }])
})
