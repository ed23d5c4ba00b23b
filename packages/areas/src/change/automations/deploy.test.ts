import { randomUUID } from 'node:crypto'
import { call, refusal } from '@muster/testkit/call.ts'
import { enrolled, setState } from '@muster/testkit/machines.ts'
import { testServices } from '@muster/testkit/services.ts'
import { testWorkerParts } from '@muster/testkit/worker-parts.ts'
import { person, world } from '@muster/testkit/world.ts'
import { RunScript } from '@muster/wire/commands/scripts.ts'
import { isFor, readGrant, workOf } from '@muster/wire/grants.ts'
import { expect, it } from 'vitest'
import { deployments } from '../deployments/deployments.contract.ts'
import { takeTurn } from '../deployments/engine/turn.ts'
import { scripts } from '../scripts/scripts.contract.ts'
import { automations } from './automations.contract.ts'
import { runs } from './runs/runs.contract.ts'
import { moveAll } from './testing/move-all.ts'

const { system } = await testServices()
const parts = await testWorkerParts()
const { org, partner, partnerAdmin, orgAdmin } = await world()
const orgId = org.id
const ids = await enrolled(partnerAdmin, { orgId }, 'dep-one', 'dep-two', 'dep-three')
for (const id of ids) await setState(id, { status: 'online' })

const script = (more: object = {}) =>
  call(partnerAdmin, scripts.create, { orgId, name: `S ${randomUUID()}`, language: 'bash', content: 'df -h', ...more })
const made = (order: { kind: 'script'; scriptId: string; parameters?: Record<string, string> }, more: object = {}) =>
  call(partnerAdmin, automations.create, {
    ...{ orgId, name: `A ${randomUUID()}`, trigger: { type: 'manual' } },
    actions: [{ type: 'deploy', order, strategy: { batches: [{ count: 1 }, { percent: 100 }] } }],
    ...more,
  })
async function started(id: string) {
  const run = await call(partnerAdmin, runs.run, { id, deviceIds: ids })
  await moveAll(parts, partner.id)
  return call(partnerAdmin, runs.get, { runId: run.id })
}
const deploymentsOf = async (id: string) => {
  const { rows } = await system.query<{ id: string }>(`SELECT id FROM deployments WHERE origin ->> 'id' = $1`, [id])
  return rows.map((row) => row.id)
}

it('the action deploy makes and starts one deployment in the name of the owner, with the version that was allowed', async () => {
  const { id: scriptId } = await script()
  const { id, name, scripts: fixed } = await made({ kind: 'script', scriptId })
  expect(fixed).toMatchObject([{ number: 1, scriptId, version: 1 }])
  await call(partnerAdmin, scripts.update, { id: scriptId, content: 'uptime' })
  const run = await started(id)
  expect(run).toMatchObject({ status: 'completed', devices: { total: 3, succeeded: 3 } })
  const [deploymentId = '', ...others] = await deploymentsOf(id)
  expect(others).toEqual([])
  const cause = { runId: run.id, chain: [id] }
  expect(await call(partnerAdmin, deployments.get, { id: deploymentId })).toMatchObject({
    ...{ name, status: 'running', createdBy: partnerAdmin.userId, counts: { total: 3 } },
    ...{ order: { kind: 'script', scriptId }, origin: { kind: 'automation', id, run: run.id } },
  })
  // An edit of the automation takes nothing from what it has started.
  await call(partnerAdmin, automations.update, { id, enabled: false })
  await takeTurn(parts, deploymentId)
  const { rows } = await system.query(
    `SELECT payload, timeout_ms, script_grant, origin, created_by FROM device_commands WHERE origin ->> 'id' = $1`,
    [deploymentId],
  )
  expect(rows).toHaveLength(1)
  expect(rows[0]).toMatchObject({ created_by: partnerAdmin.userId, origin: { kind: 'deployment', cause } })
  const payload = RunScript.parse(rows[0]?.payload)
  expect(payload.script).toBe('df -h')
  const claims = readGrant(rows[0]?.script_grant)?.claims
  expect(claims !== undefined && isFor(claims, workOf(payload, rows[0]?.timeout_ms))).toBe(true)
})

it('counts the devices: above maxDevicesPerRun nothing is deployed', async () => {
  const { id: scriptId } = await script()
  const { id } = await made({ kind: 'script', scriptId }, { maxDevicesPerRun: 2 })
  expect(await started(id)).toMatchObject({ status: 'failed', reason: 'too_many_devices' })
  expect(await deploymentsOf(id)).toEqual([])
})

it('keeps its script from being deleted, and refuses what it cannot send', async () => {
  const { id: scriptId } = await script({ parameters: [{ name: 'n', type: 'number', required: true }] })
  for (const [order, field] of [
    [{ kind: 'script' as const, scriptId: randomUUID() }, 'actions.0.order.scriptId'],
    [{ kind: 'script' as const, scriptId }, 'actions.0.order.parameters.n'],
  ] as const)
    expect(await refusal(made(order))).toMatchObject({ status: 400, message: expect.stringContaining(field) })
  const group = { groupIds: [randomUUID()] }
  const { id: plain } = await script()
  const order = { kind: 'script' as const, scriptId: plain }
  expect(
    await refusal(made(order, { actions: [{ type: 'deploy', order, strategy: { batches: [group] } }] })),
  ).toMatchObject({ status: 400, message: expect.stringContaining('actions.0.strategy.batches.0.groupIds') })
  const { id, name } = await made(order)
  expect(await refusal(call(partnerAdmin, scripts.remove, { id: plain }))).toMatchObject({
    ...{ status: 409, extra: { usedBy: [{ kind: 'automation', id, name }] } },
  })
  const viewer = await person({ scope: 'partner', partnerId: partner.id }, { role: 'Partner Viewer' })
  const given = {
    orgId,
    name: 'X',
    trigger: { type: 'manual' as const },
    actions: [{ type: 'deploy' as const, order }],
  }
  expect(await refusal(call(viewer, automations.create, given))).toMatchObject({ status: 403 })
  expect(await call(orgAdmin, automations.create, given)).toMatchObject({ status: 'enabled' })
})
