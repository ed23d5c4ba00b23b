import { randomUUID } from 'node:crypto'
import { inTransaction } from '@muster/db/transaction.ts'
import { call, refusal } from '@muster/testkit/call.ts'
import { enrolled } from '@muster/testkit/machines.ts'
import { testServices } from '@muster/testkit/services.ts'
import { testWorkerParts } from '@muster/testkit/worker-parts.ts'
import { person, world } from '@muster/testkit/world.ts'
import { beforeAll, describe, expect, it } from 'vitest'
import { approvals } from '../../control/commands/approvals/approvals.contract.ts'
import { commands } from '../../control/commands/commands.contract.ts'
import { commandReports } from '../../control/commands/results/commands.records.ts'
import { automations } from './automations.contract.ts'
import { runs } from './runs/runs.contract.ts'
import { moveAll } from './testing/move-all.ts'

const { system } = await testServices()
const parts = await testWorkerParts()
const { org, partner, partnerAdmin } = await world()
const orgId = org.id
const refresh = { type: 'command', command: 'refresh_inventory' } as const
const start = { type: 'command', command: 'start_service', payload: { name: 'spooler' } } as const
const conditions = { field: 'hostname', op: 'startsWith', value: 'cmd-' }
const made = (given: object = {}) =>
  call(partnerAdmin, automations.create, {
    ...{ orgId, name: `C ${randomUUID()}`, trigger: { type: 'manual' as const }, actions: [start], conditions },
    ...given,
  })
let one = ''
let two = ''
beforeAll(async () => {
  const ids = await enrolled(partnerAdmin, { orgId }, 'cmd-one', 'cmd-two')
  one = ids[0] ?? ''
  two = ids[1] ?? ''
})

async function started(id: string) {
  const run = await call(partnerAdmin, runs.run, { id })
  await moveAll(parts, partner.id)
  return call(partnerAdmin, runs.get, { runId: run.id })
}
/** Ends a command as its device reports. */
async function ended(deviceId: string, commandId: string | null | undefined, status: 'completed' | 'failed') {
  const body = { commandId: commandId ?? '', status, durationMs: 5, ...(status === 'failed' ? { exitCode: 3 } : {}) }
  await inTransaction(system, (client) =>
    commandReports.store(client, [{ name: 'result', deviceId, atMs: Date.now(), body }], parts),
  )
  await moveAll(parts, partner.id)
}

describe('the action command', () => {
  it('sends each device one command in the name of the owner, and ends as the commands do', async () => {
    const { id } = await made()
    const run = await started(id)
    expect(run).toMatchObject({ status: 'running', devices: { total: 2 } })
    const tasks = run.steps[0]?.devices ?? []
    const [first, second] = tasks
    const sent = await call(partnerAdmin, commands.get, { id: one, commandId: first?.commandId ?? '' })
    expect(sent).toMatchObject({ type: 'start_service', payload: { name: 'spooler' }, createdBy: partnerAdmin.userId })
    await ended(one, first?.commandId, 'completed')
    expect(await call(partnerAdmin, runs.get, { runId: run.id })).toMatchObject({ status: 'running' })
    await ended(two, second?.commandId, 'failed')
    const over = await call(partnerAdmin, runs.get, { runId: run.id })
    expect(over).toMatchObject({ status: 'partial', devices: { succeeded: 1, failed: 1 } })
    expect(over.steps[0]?.devices[0]).toMatchObject({
      status: 'failed',
      error: 'The command ended: failed, exit code 3',
    })
  })

  it('is sent again with another attempt where it may be tried again', async () => {
    const { id } = await made({
      actions: [{ ...start, retries: 1, retryDelaySeconds: 0 }],
      conditions: { ...conditions, value: 'cmd-one' },
    })
    const run = await started(id)
    const first = run.steps[0]?.devices[0]?.commandId
    await ended(one, first, 'failed')
    const again = (await call(partnerAdmin, runs.get, { runId: run.id })).steps[0]?.devices[0]
    expect(again).toMatchObject({ status: 'running', attempt: 2 })
    expect(again?.commandId).not.toBe(first)
    await ended(one, again?.commandId, 'completed')
    expect(await call(partnerAdmin, runs.get, { runId: run.id })).toMatchObject({ status: 'completed' })
  })

  it('refuses a wrong payload, and people without the permission', async () => {
    expect(await refusal(made({ actions: [{ ...start, payload: {} }] }))).toMatchObject({
      status: 400,
      message: expect.stringContaining('payload'),
    })
    const viewer = await person({ scope: 'partner', partnerId: partner.id }, { role: 'Partner Viewer' })
    const given = { orgId, name: 'X', trigger: { type: 'manual' as const }, actions: [start] }
    expect(await refusal(call(viewer, automations.create, given))).toMatchObject({ status: 403 })
  })
})

describe('an automation that reaches far', () => {
  it('takes a fresh proof, unless its commands only look', async () => {
    const late = await person({ scope: 'partner', partnerId: partner.id }, { role: 'Partner Admin' })
    await system.query(`UPDATE sessions SET authenticated_at = now() - interval '2 hours' WHERE id = $1`, [
      late.sessionId,
    ])
    const given = { orgId, name: 'Far', trigger: { type: 'manual' as const }, maxDevicesPerRun: 500 }
    const asked = await refusal(call(late, automations.create, { ...given, actions: [start] }))
    expect(asked).toMatchObject({ status: 403, extra: { confirm: 'currentPassword' } })
    expect(await call(late, automations.create, { ...given, actions: [refresh] })).toMatchObject({
      status: 'enabled',
      approval: null,
    })
    expect(await call(late, automations.create, { ...given, actions: [start], enabled: false })).toMatchObject({
      status: 'disabled',
    })
  })

  it('waits for a second person where the partner requires one: second-person-everywhere', async () => {
    const place = await world()
    const second = await person({ scope: 'partner', partnerId: place.partner.id }, { role: 'Partner Admin' })
    await call(place.partnerAdmin, approvals.require, { required: true })
    const schedule = { type: 'schedule' as const, cron: '0 3 * * *' }
    const given = { orgId: place.org.id, name: 'Nightly', trigger: schedule, actions: [start], maxDevicesPerRun: 500 }
    const waiting = await call(place.partnerAdmin, automations.create, given)
    const { id, approval } = waiting
    expect(waiting).toMatchObject({
      status: 'awaiting_approval',
      enabled: true,
      nextRunAt: null,
      approval: { subject: { kind: 'automation', id } },
    })
    expect(await refusal(call(place.partnerAdmin, runs.run, { id }))).toMatchObject({ status: 409 })
    const { hash } = await call(second, approvals.get, { id: approval?.id ?? '' })
    await call(second, approvals.approve, { id: approval?.id ?? '', hash })
    const enabled = await call(place.partnerAdmin, automations.get, { id })
    expect(enabled).toMatchObject({ status: 'enabled', ownerId: place.partnerAdmin.userId })
    expect(enabled.nextRunAt).not.toBeNull()
    const edited = await call(place.partnerAdmin, automations.update, { id, maxDevicesPerRun: 600 })
    expect(edited).toMatchObject({ status: 'awaiting_approval' })
    await call(second, approvals.refuse, { id: edited.approval?.id ?? '', reason: 'Not this week' })
    expect(await call(place.partnerAdmin, automations.get, { id })).toMatchObject({
      ...{ enabled: false, status: 'disabled', statusReason: 'approval_refused' },
    })
  })
})
