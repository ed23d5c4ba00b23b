import { call, refusal } from '@muster/testkit/call.ts'
import { enrolled, setState } from '@muster/testkit/machines.ts'
import { testServices } from '@muster/testkit/services.ts'
import { testWorkerParts } from '@muster/testkit/worker-parts.ts'
import { type Person, person, type World, world } from '@muster/testkit/world.ts'
import { RunScript } from '@muster/wire/commands/scripts.ts'
import { isFor, readGrant, workOf } from '@muster/wire/grants.ts'
import { describe, expect, it } from 'vitest'
import { approvals } from '../../../control/commands/approvals/approvals.contract.ts'
import { commands } from '../../../control/commands/commands.contract.ts'
import { stops } from '../../../control/commands/stops/stops.contract.ts'
import { customFields } from '../../../fleet/custom-fields/custom-fields.contract.ts'
import { executions } from '../../scripts/executions/executions.contract.ts'
import { scripts } from '../../scripts/scripts.contract.ts'
import type { StrategyInput } from '../batches/strategy.contract.ts'
import { deployments } from '../deployments.contract.ts'
import { devices } from '../devices/devices.contract.ts'
import { takeTurn } from '../engine/turn.ts'
import { type Fleet, fleetOf, Staged, swift } from '../testing/staged.ts'
import { course } from './course.contract.ts'

const { system } = await testServices()
const all = { batches: [{ percent: 100 }] }

const commandOf = async (commandId: string | null) =>
  (
    await system.query(
      'SELECT payload, script_grant, timeout_ms, origin, created_by FROM device_commands WHERE id = $1',
      [commandId],
    )
  ).rows[0]

async function scriptFleet(size: number) {
  const fleet = await fleetOf(size)
  const { here } = fleet
  await call(here.orgAdmin, customFields.create, { orgId: here.org.id, key: 'rack', type: 'number', label: 'Rack' })
  const script = await call(here.orgAdmin, scripts.create, {
    ...{
      orgId: here.org.id,
      name: 'Disk',
      language: 'bash',
      content: 'df -h',
      exitCodes: { 3: 'warning', 4: 'critical' },
    },
    parameters: [
      { name: 'path', type: 'text', default: '/' },
      { name: 'rack', type: 'number' },
    ],
  })
  return { fleet, script }
}

describe('a deployment of a script', () => {
  it('runs the version that was approved at the start, with a grant for each device', async () => {
    const { fleet, script } = await scriptFleet(2)
    const { here, deviceIds } = fleet
    const [one = '', two = ''] = deviceIds
    await call(here.orgAdmin, customFields.setValues, { id: one, values: { rack: 12 } })
    const order = {
      kind: 'script' as const,
      scriptId: script.id,
      parameters: { path: '/var', rack: { field: 'custom.rack' } },
    }
    const staged = await Staged.start(fleet, { ...all, maxErrors: { count: 9 } }, { order })
    await call(here.orgAdmin, scripts.update, { id: script.id, content: 'rm -rf /' })
    await staged.turn()
    const found = new Map((await staged.devices()).map((device) => [device.deviceId, device]))
    expect(found.get(one)).toMatchObject({ status: 'queued', attempt: 1 })
    const command = await commandOf(found.get(one)?.commandId ?? null)
    expect(command).toMatchObject({
      payload: { script: 'df -h', env: { PARAM_PATH: '/var', PARAM_RACK: '12' } },
      origin: { kind: 'deployment', id: staged.id, step: 1, attempt: 1 },
      created_by: here.orgAdmin.userId,
    })
    const claims = readGrant(command?.script_grant)?.claims
    expect(claims?.scope.deviceIds).toContain(one)
    expect(
      claims && isFor(claims, workOf(RunScript.parse(command?.payload), command?.timeout_ms, ['PARAM_RACK'])),
    ).toBe(true)
    const { payload } = (await commandOf(found.get(two)?.commandId ?? null)) ?? {}
    expect(payload.env).toEqual({ PARAM_PATH: '/var' })
    const { data } = await call(here.orgAdmin, executions.list, { id: script.id })
    expect(data).toHaveLength(2)
    expect(data[0]).toMatchObject({ versionId: script.versionId, batchId: staged.id, status: 'pending' })
  })

  it('judges devices by the exit codes of the script', async () => {
    const { fleet, script } = await scriptFleet(3)
    const order = { kind: 'script' as const, scriptId: script.id }
    const staged = await Staged.start(fleet, { ...all, maxErrors: { count: 9 } }, { order })
    const codes = [0, 3, 4]
    let index = 0
    await staged.run(() => codes[index++] ?? 0)
    expect((await staged.devices()).map(({ status, exitCode }) => [exitCode, status]).sort()).toEqual([
      [0, 'succeeded'],
      [3, 'succeeded'],
      [4, 'failed'],
    ])
  })

  it('skips devices of other systems', async () => {
    const { fleet, script } = await scriptFleet(1)
    await call(fleet.here.orgAdmin, scripts.update, { id: script.id, osTypes: ['windows'] })
    const staged = await Staged.start(fleet, all, { order: { kind: 'script', scriptId: script.id } })
    await staged.run()
    expect(await staged.devices()).toMatchObject([{ status: 'skipped', reason: 'unsupported_platform', attempt: 0 }])
    expect((await staged.get()).status).toBe('completed')
  })
})

describe('an emergency stop', () => {
  it('stops deployments, which go on when it is lifted', async () => {
    const fleet = await fleetOf(2)
    const staged = await Staged.start(fleet, all)
    await call(fleet.here.partnerAdmin, stops.set, { reason: 'Drill' })
    await staged.turn()
    expect(await staged.get()).toMatchObject({ status: 'running', reason: 'commands_stopped', counts: { pending: 2 } })
    await call(fleet.here.partnerAdmin, stops.lift, {})
    await staged.run()
    expect((await staged.get()).status).toBe('completed')
  })
})

describe('a canceled deployment', () => {
  const canceled = async (stopRunning: boolean) => {
    const fleet = await fleetOf(4)
    const staged = await Staged.start(fleet, { ...all, maxConcurrency: 3 })
    await staged.turn()
    const [runs, sent] = (await staged.devices()).filter(({ status }) => status === 'queued')
    await system.query(`UPDATE device_commands SET status = 'running' WHERE id = $1`, [runs?.commandId])
    await system.query(`UPDATE device_commands SET status = 'sent' WHERE id = $1`, [sent?.commandId])
    await call(fleet.here.orgAdmin, course.cancel, { id: staged.id, stopRunning })
    await staged.turn()
    return { staged, runs }
  }

  it('takes back what no device has, and lets devices finish', async () => {
    const { staged, runs } = await canceled(false)
    expect(await staged.get()).toMatchObject({ status: 'cancelled', counts: { cancelled: 2, queued: 1, running: 1 } })
    await staged.end({ deviceId: runs?.deviceId ?? '', commandId: runs?.commandId ?? '' })
    await staged.turn()
    expect((await staged.get()).counts).toMatchObject({ succeeded: 1, cancelled: 2, queued: 1 })
  })

  it('asks devices to stop if wanted', async () => {
    const { staged } = await canceled(true)
    expect((await staged.get()).counts).toMatchObject({ cancelled: 3, running: 1 })
  })
})

async function wide(
  strategy: StrategyInput = all,
): Promise<{ here: World; second: Awaited<ReturnType<typeof person>>; id: string }> {
  const here = await world()
  const [one = ''] = await enrolled(here.partnerAdmin, { orgId: here.org.id }, 'wide-one')
  const [two = ''] = await enrolled(here.partnerAdmin, { orgId: here.otherOrg.id }, 'wide-two')
  for (const id of [one, two]) await setState(id, { status: 'online' })
  await call(here.partnerAdmin, approvals.require, { required: true })
  const second = await person(
    { scope: 'partner', partnerId: here.partner.id },
    { role: 'Partner Admin', memberForDays: 30 },
  )
  const { id } = await call(here.partnerAdmin, deployments.create, {
    ...{ name: 'Wide', targets: { deviceIds: [one, two] }, strategy: { ...swift, ...strategy } },
    order: { kind: 'command', type: 'run_script', payload: { script: 'id', language: 'sh' } },
  })
  await call(here.partnerAdmin, deployments.initialize, { id })
  return { here, second, id }
}

describe('a deployment over several organizations', () => {
  it('starts when a second person approves it', async () => {
    const { here, second, id } = await wide()
    const asked = await call(here.partnerAdmin, course.start, { id })
    expect(asked).toMatchObject({
      status: 'awaiting_approval',
      approval: { type: 'deployment', devices: 2, subject: { id } },
    })
    const approval = await call(second, approvals.get, { id: asked.approval?.id ?? '' })
    expect(approval.payload).toMatchObject({ step: 'start', work: { type: 'run_script' } })
    expect(await refusal(call(here.partnerAdmin, course.start, { id }))).toMatchObject({ status: 409 })
    await call(second, approvals.approve, { id: approval.id, hash: approval.hash })
    const parts = await testWorkerParts()
    await takeTurn(parts, id)
    const after = await call(here.partnerAdmin, deployments.get, { id })
    expect(after).toMatchObject({ status: 'running', counts: { queued: 2 } })
    const [device] = (await call(here.partnerAdmin, devices.list, { id })).data
    expect(await commandOf(device?.commandId ?? null)).toMatchObject({
      ...{ created_by: here.partnerAdmin.userId, script_grant: expect.any(String) },
    })
  })

  it('is ready again when the second person refuses it', async () => {
    const { here, second, id } = await wide()
    const { approval } = await call(here.partnerAdmin, course.start, { id })
    await call(second, approvals.refuse, { id: approval?.id ?? '', reason: 'Not today' })
    expect(await call(here.partnerAdmin, deployments.get, { id })).toMatchObject({
      status: 'ready',
      reason: 'approval_refused',
    })
    expect(await call(here.partnerAdmin, course.start, { id })).toMatchObject({ status: 'awaiting_approval' })
    await call(here.partnerAdmin, course.cancel, { id })
    const { data } = await call(second, approvals.list, { status: 'pending' })
    expect(data).toEqual([])
  })

  it('starts at once for one person where no second one is required, after a fresh proof', async () => {
    const { here, id } = await wide()
    await system.query(`UPDATE partners SET settings = '{}' WHERE id = $1`, [here.partner.id])
    const late = await person({ scope: 'partner', partnerId: here.partner.id }, { role: 'Partner Admin' })
    await system.query(`UPDATE sessions SET authenticated_at = now() - interval '2 hours' WHERE id = $1`, [
      late.sessionId,
    ])
    expect(await refusal(call(late, course.start, { id }))).toMatchObject({
      status: 403,
      extra: { confirm: 'currentPassword' },
    })
    expect(await call(here.partnerAdmin, course.start, { id })).toMatchObject({ status: 'running', approval: null })
  })

  it('takes a fresh proof to pass a gate', async () => {
    const { here, id } = await wide({ batches: [{ count: 1 }, { percent: 100 }], gates: [{ type: 'person' }] })
    await system.query(`UPDATE partners SET settings = '{}' WHERE id = $1`, [here.partner.id])
    await call(here.partnerAdmin, course.start, { id })
    const staged = new Staged({ here, deviceIds: [] }, id, await testWorkerParts(), here.partnerAdmin)
    await staged.run()
    const late = await person({ scope: 'partner', partnerId: here.partner.id }, { role: 'Partner Admin' })
    await system.query(`UPDATE sessions SET authenticated_at = now() - interval '2 hours' WHERE id = $1`, [
      late.sessionId,
    ])
    const pass = (who: Pick<Person, 'token'>) => call(who, course.pass, { id, number: 1 })
    expect(await refusal(pass(late))).toMatchObject({ status: 403, extra: { confirm: 'currentPassword' } })
    expect(await pass(here.partnerAdmin)).toMatchObject({ batches: [{ gates: [{ status: 'green' }] }, {}] })
    expect(await staged.run()).toHaveLength(1)
  })
})

describe('commands of a deployment', () => {
  it('are shown as one batch of commands', async () => {
    const fleet: Fleet = await fleetOf(2)
    const staged = await Staged.start(fleet, all)
    await staged.turn()
    expect(await call(fleet.here.orgAdmin, commands.progress, { batchId: staged.id })).toMatchObject({ total: 2 })
  })
})
