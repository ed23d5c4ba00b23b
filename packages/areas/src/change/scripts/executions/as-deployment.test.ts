import { randomUUID } from 'node:crypto'
import { auditOf } from '@muster/testkit/audit.ts'
import { call, refusal } from '@muster/testkit/call.ts'
import { enrolled, setState } from '@muster/testkit/machines.ts'
import { testServices } from '@muster/testkit/services.ts'
import { testWorkerParts } from '@muster/testkit/worker-parts.ts'
import { type World, world } from '@muster/testkit/world.ts'
import { describe, expect, it } from 'vitest'
import { windows } from '../../../control/maintenance/windows.contract.ts'
import { course } from '../../deployments/course/course.contract.ts'
import { deployments } from '../../deployments/deployments.contract.ts'
import { devices } from '../../deployments/devices/devices.contract.ts'
import { takeTurn } from '../../deployments/engine/turn.ts'
import { scripts } from '../scripts.contract.ts'
import { executions } from './executions.contract.ts'

const { system } = await testServices()
const parts = await testWorkerParts()
const hourMs = 3_600_000
const inAnHour = () => new Date(Date.now() + hourMs).toISOString()

interface Ran {
  readonly own: World
  readonly id: string
  readonly deviceIds: readonly string[]
  readonly answer: ReturnType<typeof executed>
}
const executed = (who: World, input: { readonly id: string; readonly deviceIds: string[] }) =>
  call(who.orgAdmin, executions.execute, input)

/** Runs a script on two devices of an organization, which are online. */
async function ran(more: object): Promise<Ran> {
  const own = await world()
  const given = { orgId: own.org.id, name: 'Disk', language: 'bash' as const, content: 'df -h' }
  const { id } = await call(own.orgAdmin, scripts.create, given)
  const deviceIds = await enrolled(own.orgAdmin, { orgId: own.org.id }, 'staged-one', 'staged-two')
  for (const deviceId of deviceIds) await setState(deviceId, { status: 'online' })
  return { own, id, deviceIds, answer: executed(own, { id, deviceIds, ...more }) }
}
const runsOf = async ({ own, id }: Ran) => (await call(own.orgAdmin, executions.list, { id })).data
const shown = ({ own }: Ran, id: string | null) => call(own.orgAdmin, deployments.get, { id: id ?? '' })
/** As if the time of the start had come. */
async function comesDue(id: string | null) {
  await system.query('UPDATE deployments SET start_at = now(), next_at = now() WHERE id = $1', [id])
  await takeTurn(parts, id ?? '')
}

describe('a run with a strategy', () => {
  it('makes and starts a deployment, which sends the script in batches', async () => {
    const strategy = { batches: [{ count: 1 }, { percent: 100 }], soakSeconds: 60 }
    const run = await ran({ strategy })
    const { deploymentId, ...rest } = await run.answer
    expect(rest).toMatchObject({ batchId: null, executions: [], approval: null })
    const made = await shown(run, deploymentId)
    expect(made).toMatchObject({
      ...{ name: 'Disk', orgId: run.own.org.id, status: 'running', order: { kind: 'script', scriptId: run.id } },
      ...{ counts: { total: 2 }, strategy: { ...strategy, respectMaintenance: true } },
    })
    expect((await auditOf(made.id)).map(({ action }) => action)).toEqual(['deployment.start'])
  })

  it('takes arguments and time limit of the request instead of the version', async () => {
    const run = await ran({ strategy: {}, args: ['x'], timeoutSeconds: 7 })
    const { deploymentId } = await run.answer
    await takeTurn(parts, deploymentId ?? '')
    const { rows } = await system.query(`SELECT payload, timeout_ms FROM device_commands WHERE origin ->> 'id' = $1`, [
      deploymentId,
    ])
    expect(rows).toMatchObject([{ payload: { args: ['x'] }, timeout_ms: 7_000 }])
  })
})

describe('a run that starts later', () => {
  it('waits for its time, and then reaches all its devices', async () => {
    const startAt = inAnHour()
    const run = await ran({ startAt, expiresInSeconds: 600 })
    const { deploymentId, ...rest } = await run.answer
    expect(rest).toMatchObject({ batchId: null, executions: [], skipped: [], failed: [], approval: null })
    const deadlineAt = new Date(Date.parse(startAt) + 600_000).toISOString()
    expect(await shown(run, deploymentId)).toMatchObject({ status: 'scheduled', startAt, deadlineAt })
    expect(await runsOf(run)).toEqual([])
    await comesDue(deploymentId)
    const sent = await runsOf(run)
    expect(sent.map(({ deviceId }) => deviceId).sort()).toEqual(run.deviceIds.toSorted())
    const origin = { kind: 'deployment', id: deploymentId, step: 1, attempt: 1 }
    expect(sent).toMatchObject([{ origin }, { origin }])
    expect(await call(run.own.orgAdmin, executions.get, { id: sent[0]?.id ?? '' })).toMatchObject({ origin })
  })

  it('is canceled before its time, and sends nothing then', async () => {
    const run = await ran({ startAt: inAnHour() })
    const { deploymentId } = await run.answer
    await call(run.own.orgAdmin, course.cancel, { id: deploymentId ?? '' })
    await comesDue(deploymentId)
    expect(await shown(run, deploymentId)).toMatchObject({ status: 'cancelled' })
    expect(await runsOf(run)).toEqual([])
  })

  it.each([
    [true, 'held'],
    [false, 'queued'],
  ])('heeds the maintenance windows of its start: %s', async (respectMaintenance, status) => {
    const run = await ran({ startAt: inAnHour(), respectMaintenance })
    const { deploymentId } = await run.answer
    await call(run.own.orgAdmin, windows.create, {
      ...{ orgId: run.own.org.id, name: 'Quiet', durationMinutes: 60, effects: { scripts: 'suppress' } },
    })
    await comesDue(deploymentId)
    const { data } = await call(run.own.orgAdmin, devices.list, { id: deploymentId ?? '' })
    expect(data.map((device) => device.status)).toEqual([status, status])
  })

  it.each([
    ['a time in the past', { startAt: '2020-01-01T00:00:00Z' }, 'startAt: must be in the future'],
    ['a time years ahead', { startAt: '2999-01-01T00:00:00Z' }, 'startAt: must be within the next 365 days'],
    ['a wait', { startAt: inAnHour(), waitMs: 1 }, 'waitMs: cannot be given together with startAt'],
    [
      'an idempotency key',
      { strategy: {}, idempotencyKey: randomUUID() },
      'idempotencyKey: cannot be given together with strategy',
    ],
  ])('is refused with %s', async (_, more, message) => {
    expect(await refusal((await ran(more)).answer)).toMatchObject({ status: 400, message })
  })
})
