import { randomUUID } from 'node:crypto'
import { asSystem } from '@muster/db/database.ts'
import { auditOf } from '@muster/testkit/audit.ts'
import { call, refusal } from '@muster/testkit/call.ts'
import { setState } from '@muster/testkit/machines.ts'
import { testServices } from '@muster/testkit/services.ts'
import { person } from '@muster/testkit/world.ts'
import { beforeAll, describe, expect, it } from 'vitest'
import { lifecycle } from '../../../control/lifecycle/lifecycle.contract.ts'
import { groups } from '../../../fleet/groups/groups.contract.ts'
import { clearAlerts, raiseAlerts } from '../../../watch/alerts/index.ts'
import { course } from '../course/course.contract.ts'
import { deployments } from '../deployments.contract.ts'
import { type Fleet, fleetOf, look, Staged } from '../testing/staged.ts'
import type { Gate } from './gate.contract.ts'

const { system } = await testServices()
let fleet: Fleet
beforeAll(async () => {
  fleet = await fleetOf(6)
})

/** A deployment whose first batch, of two devices, has these gates. */
const gated = (...gates: Gate[]) =>
  Staged.start(fleet, { batches: [{ count: 2 }, { percent: 100 }], gates, maxErrors: { percent: 100 } })

const gatesOf = async (staged: Staged) => (await staged.get()).batches[0]?.gates
const firstOf = async (staged: Staged) => (await staged.devices())[0]?.deviceId ?? ''

/** As if the batch had waited at its gates for so long. */
const wait = (staged: Staged, minutes: number) =>
  system.query(
    `UPDATE deployment_batches SET gates = (SELECT jsonb_agg(gate || jsonb_build_object('since', now() - make_interval(mins => $2)))
      FROM jsonb_array_elements(gates) gate) WHERE deployment_id = $1 AND number = 1`,
    [staged.id, minutes],
  )

/** It waits at its gates, then goes on to the end. */
async function expectWaits(staged: Staged, gate: object) {
  expect(await staged.run()).toHaveLength(2)
  expect(await gatesOf(staged)).toMatchObject([gate])
  expect(await staged.get()).toMatchObject({ status: 'running', currentBatch: 1, counts: { pending: 4 } })
}

async function expectGoesOn(staged: Staged, gate: object) {
  expect(await staged.run()).toHaveLength(4)
  expect(await gatesOf(staged)).toMatchObject([{ status: 'green', ...gate }])
  expect((await staged.get()).status).toBe('completed')
}

describe('gates', () => {
  it('are shown before they are looked at, except for the last batch', async () => {
    const staged = await gated({ type: 'online', percent: 90 })
    const { batches } = await staged.get()
    expect(batches.map(({ gates }) => gates)).toEqual([
      [{ type: 'online', status: 'waiting', actual: null, expected: 90, since: null, passedBy: null }],
      [],
    ])
  })

  it.each([
    ['an unknown type', { type: 'luck' }, 'strategy.gates.0'],
    ['a share above 100', { type: 'online', percent: 101 }, 'strategy.gates.0.percent'],
    ['an unknown severity', { type: 'alerts', severity: 'awful', max: 1 }, 'strategy.gates.0.severity'],
    ['an unknown figure', { type: 'metric', field: 'mood', worseByPercent: 1 }, 'strategy.gates.0.field'],
    [
      'an unknown custom field',
      { type: 'filter', percent: 1, filter: { field: 'custom.nothing', op: 'is', value: 1 } },
      'strategy.gates.0.filter',
    ],
  ])('refuse %s, naming the field', async (_, gate, field) => {
    const given = {
      ...{ orgId: fleet.here.org.id, name: 'Gated', order: look, targets: { deviceIds: [...fleet.deviceIds] } },
      strategy: { gates: [gate] },
    }
    const told = await refusal(call(fleet.here.orgAdmin, deployments.create, JSON.parse(JSON.stringify(given))))
    expect(told.status).toBe(400)
    expect(JSON.stringify(told)).toContain(field)
  })

  it('hide figures from members who do not see all devices of the batch', async () => {
    const { here } = fleet
    const staged = await gated({ type: 'online', percent: 100 })
    const first = await firstOf(staged)
    await setState(first, { status: 'online' })
    await staged.run()
    const group = await call(here.orgAdmin, groups.create, {
      ...{ orgId: here.org.id, name: `Seen ${randomUUID()}`, deviceIds: [first] },
    })
    const tenant = { scope: 'organization', partnerId: here.partner.id, orgId: here.org.id } as const
    const limited = await person(tenant, { role: 'Org Admin', deviceGroupIds: [group.id] })
    const shown = await call(limited, deployments.get, { id: staged.id })
    expect(shown.batches[0]?.gates).toMatchObject([{ status: 'green', actual: null }])
    expect(await gatesOf(staged)).toMatchObject([{ actual: 100 }])
  })

  it('halt the deployment when one is not green for half an hour, until a person accepts it', async () => {
    const staged = await gated({ type: 'online', percent: 100 })
    const first = await firstOf(staged)
    await staged.turn()
    await setState(first, { status: 'offline' })
    await staged.run()
    await wait(staged, 29)
    await staged.turn()
    expect((await staged.get()).status).toBe('running')
    await wait(staged, 30)
    await staged.turn()
    expect(await staged.get()).toMatchObject({ status: 'halted', reason: 'gate', counts: { pending: 4 } })
    const { orgAdmin } = fleet.here
    await call(orgAdmin, course.resume, { id: staged.id })
    expect(await gatesOf(staged)).toMatchObject([{ status: 'green', actual: 50, passedBy: orgAdmin.userId }])
    await setState(first, { status: 'online' })
    expect(await staged.run()).toHaveLength(4)
  })
})

describe('the gate', () => {
  it('online waits until enough of the devices are online', async () => {
    const staged = await gated({ type: 'online', percent: 100 })
    const first = await firstOf(staged)
    await staged.turn()
    await setState(first, { status: 'offline' })
    await expectWaits(staged, { status: 'red', actual: 50, expected: 100, since: expect.any(String) })
    expect((await staged.get()).reason).toBe('batch 1: the gate online is not green')
    await setState(first, { status: 'online' })
    await expectGoesOn(staged, { actual: 100 })
  })

  it('filter waits until enough of the devices match', async () => {
    const filter = { field: 'displayName', op: 'is', value: 'Ready' }
    const staged = await gated({ type: 'filter', filter, percent: 50 })
    const first = await firstOf(staged)
    await expectWaits(staged, { status: 'red', actual: 0, expected: 50 })
    await call(fleet.here.orgAdmin, lifecycle.update, { id: first, displayName: 'Ready' })
    await expectGoesOn(staged, { actual: 50 })
    await call(fleet.here.orgAdmin, lifecycle.update, { id: first, displayName: 'Other' })
  })

  it('alerts waits while too many bad enough alerts of the batch are open', async () => {
    const { here, deviceIds } = fleet
    const alert = (deviceId: string, severity: 'high' | 'medium') => ({
      ...{ source: 'system' as const, key: `${randomUUID()}:${deviceId}`, partnerId: here.partner.id },
      ...{ orgId: here.org.id, deviceId, severity, title: 'Broken', message: 'It broke' },
    })
    const raise = (...raised: ReturnType<typeof alert>[]) => asSystem(system, (db) => raiseAlerts(db, raised))
    const staged = await gated({ type: 'alerts', severity: 'high', max: 0 })
    const first = await firstOf(staged)
    const other = (await staged.devices()).at(-1)?.deviceId ?? ''
    expect(deviceIds).toContain(other)
    await raise(alert(first, 'high'))
    await staged.turn()
    const broken = alert(first, 'high')
    await raise(broken, alert(first, 'medium'), alert(other, 'high'))
    await expectWaits(staged, { status: 'red', actual: 1, expected: 0 })
    await asSystem(system, (db) => clearAlerts(db, [broken]))
    await expectGoesOn(staged, { actual: 0 })
  })

  it('metric waits while a figure grew more than that of devices that were not reached', async () => {
    const beat = (deviceId: string, minutes: number, cpuPercent: number) =>
      system.query(
        `INSERT INTO device_metrics (at, device_id, org_id, partner_id, boot_id, sequence, cpu_percent)
          SELECT now() - make_interval(mins => $2), id, org_id, partner_id, 1, $2, $3 FROM devices WHERE id = $1`,
        [deviceId, minutes, cpuPercent],
      )
    const staged = await gated({ type: 'metric', field: 'cpuPercent', worseByPercent: 20 })
    const [first, second, ...others] = (await staged.devices()).map(({ deviceId }) => deviceId)
    const reached = [first ?? '', second ?? '']
    for (const id of [...reached, ...others]) await beat(id, 15, 20)
    await staged.turn()
    await expectWaits(staged, { status: 'waiting', actual: null, expected: 20 })
    await system.query(
      `UPDATE deployment_batches SET began_at = now() - interval '10 minutes', settled_at = now() - interval '5 minutes'
        WHERE deployment_id = $1 AND number = 1`,
      [staged.id],
    )
    for (const id of reached) await beat(id, 1, 40)
    await staged.turn()
    expect(await gatesOf(staged)).toMatchObject([{ status: 'red', actual: 100 }])
    // The others work as hard: it is not the order.
    for (const id of others) await beat(id, 1, 36)
    await expectGoesOn(staged, { actual: 11.1 })
  })
})

describe('the gate person', () => {
  const passing = async () => {
    const staged = await gated({ type: 'person' })
    const { orgAdmin } = fleet.here
    return { staged, orgAdmin, pass: (number = 1, who = orgAdmin) => call(who, course.pass, { id: staged.id, number }) }
  }

  it('waits until a person passes it, however long', async () => {
    const { staged, orgAdmin, pass } = await passing()
    expect(await refusal(pass())).toMatchObject({ status: 409, code: 'CONFLICT' })
    await expectWaits(staged, { status: 'waiting', expected: null })
    expect((await staged.get()).reason).toBe('batch 1: a person has to pass it')
    await wait(staged, 600)
    await staged.turn()
    expect((await staged.get()).status).toBe('running')
    expect(await refusal(pass(2))).toMatchObject({ status: 409 })
    const answers = await Promise.allSettled([pass(), pass()])
    expect(answers.map(({ status }) => status).sort()).toEqual(['fulfilled', 'rejected'])
    const passed = (await auditOf(staged.id)).filter(({ action }) => action === 'deployment.pass')
    expect(passed).toMatchObject([{ details: { batch: 1 } }])
    await expectGoesOn(staged, { passedBy: orgAdmin.userId })
  })

  it('is passed only by those who may start the deployment', async () => {
    const { staged, pass } = await passing()
    await staged.run()
    const { partner, org } = fleet.here
    const tenant = { scope: 'organization', partnerId: partner.id, orgId: org.id } as const
    const viewer = await person(tenant, { role: 'Org Viewer' })
    expect(await refusal(pass(1, viewer))).toMatchObject({ status: 403 })
    expect((await staged.get()).batches[0]?.gates).toMatchObject([{ status: 'waiting' }])
  })
})
