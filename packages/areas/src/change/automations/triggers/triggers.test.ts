import { randomUUID } from 'node:crypto'
import { asSystem } from '@muster/db/database.ts'
import { inTransaction } from '@muster/db/transaction.ts'
import { call } from '@muster/testkit/call.ts'
import { enrolled } from '@muster/testkit/machines.ts'
import { testServices } from '@muster/testkit/services.ts'
import { beginFollower, followUp, testWorkerParts } from '@muster/testkit/worker-parts.ts'
import { world } from '@muster/testkit/world.ts'
import { beforeAll, describe, expect, it } from 'vitest'
import { devices } from '../../../fleet/devices/devices.contract.ts'
import { deviceOffline, deviceOnline } from '../../../fleet/devices/devices-events.contract.ts'
import { emit } from '../../../platform/events/index.ts'
import { automations } from '../automations.contract.ts'
import { runs } from '../runs/runs.contract.ts'
import { moveAll } from '../testing/move-all.ts'
import { automationFollower } from './event-triggers.followers.ts'
import { queueScheduled } from './schedules.jobs.ts'

const { system } = await testServices()
const parts = await testWorkerParts()
const { org, partner, partnerAdmin } = await world()
const orgId = org.id
const tag = { type: 'add_tag', tag: 'seen' } as const
const made = (given: object) =>
  call(partnerAdmin, automations.create, {
    orgId,
    name: `A ${randomUUID()}`,
    trigger: { type: 'manual' },
    actions: [tag],
    ...given,
  })
const runsOf = async (id: string) => (await call(partnerAdmin, runs.list, { id })).data
const queueDue = async () => {
  while (await asSystem(system, queueScheduled)) {}
}
const due = (id: string, secondsAgo: number) =>
  system.query(
    `UPDATE automations SET next_run_at = date_trunc('minute', now()) - make_interval(secs => $2) WHERE id = $1`,
    [id, secondsAgo],
  )

let device = ''
let other = ''
beforeAll(async () => {
  const ids = await enrolled(partnerAdmin, { orgId }, 'trig-one', 'trig-two')
  device = ids[0] ?? ''
  other = ids[1] ?? ''
  await beginFollower(parts, automationFollower)
})

const happened = (type: typeof deviceOffline | typeof deviceOnline, deviceId: string) =>
  inTransaction(system, (client) =>
    emit(client, type, {
      partnerId: partner.id,
      orgId,
      siteId: null,
      deviceId,
      data: { hostname: `host-${deviceId}` },
    }),
  )
const followed = async () => {
  await followUp(parts, automationFollower)
  await moveAll(parts, partner.id)
}

describe('automation-once: a schedule', () => {
  const schedule = { type: 'schedule', cron: '*/5 * * * *' } as const

  it('starts one run per time, however many workers look at the same time', async () => {
    const { id } = await made({ trigger: schedule })
    await due(id, 0)
    await Promise.all(Array.from({ length: 6 }, queueDue))
    const [run, ...others] = await runsOf(id)
    expect(others).toEqual([])
    expect(run).toMatchObject({
      triggeredBy: 'schedule',
      status: 'queued',
      triggerKey: expect.stringMatching(/^\d{4}-.*:00\.000Z$/),
    })
    const { nextRunAt } = await call(partnerAdmin, automations.get, { id })
    expect(Date.parse(nextRunAt ?? '')).toBeGreaterThan(Date.parse(run?.triggerKey ?? ''))
  })

  it('does not start the same time again after the row was set back', async () => {
    const { id } = await made({ trigger: schedule })
    await due(id, 0)
    await queueDue()
    await due(id, 0)
    await queueDue()
    const keys = (await runsOf(id)).map(({ triggerKey }) => triggerKey)
    expect(new Set(keys).size).toBe(keys.length)
  })

  it('notes a time that is too late as missed, and goes on with those within the time to catch up', async () => {
    const { id } = await made({ trigger: { ...schedule, cron: '* * * * *', catchUpSeconds: 150 } })
    await due(id, 86_400)
    await queueDue()
    const found = await runsOf(id)
    expect(found.filter(({ reason }) => reason === 'missed')).toMatchObject([{ status: 'skipped' }])
    expect(found.filter(({ reason }) => reason !== 'missed').length).toBeGreaterThanOrEqual(2)
    expect(found.length).toBeLessThanOrEqual(4)
  })
})

describe('an event', () => {
  it('starts the automations that wait for it, on its device', async () => {
    const { id } = await made({
      trigger: { type: 'event', event: 'device.offline' },
      actions: [{ type: 'add_tag', tag: '{{ event.type }}' }],
    })
    await happened(deviceOffline, device)
    await followed()
    const [run] = await runsOf(id)
    expect(run).toMatchObject({ triggeredBy: 'event', status: 'completed', devices: { total: 1 } })
    expect((await call(partnerAdmin, devices.get, { id: device })).tags).toContain('device.offline')
    expect((await call(partnerAdmin, devices.get, { id: other })).tags).not.toContain('device.offline')
  })

  it('starts only where its fields match, and only for devices that meet the conditions', async () => {
    const trigger = { type: 'event', event: 'device.offline', match: { hostname: [`host-${device}`, 'x'] } } as const
    const matching = await made({ trigger })
    const conditions = { field: 'hostname', op: 'is', value: 'trig-two' }
    const conditional = await made({ trigger: { type: 'event', event: 'device.offline' }, conditions })
    await happened(deviceOffline, device)
    await happened(deviceOffline, other)
    await followed()
    expect(await runsOf(matching.id)).toHaveLength(1)
    expect((await runsOf(conditional.id)).map(({ status, reason }) => [status, reason]).sort()).toEqual([
      ['completed', null],
      ['skipped', 'no_devices'],
    ])
  })

  it('of another organization starts nothing', async () => {
    const elsewhere = await world()
    const { id } = await call(elsewhere.partnerAdmin, automations.create, {
      ...{
        orgId: elsewhere.org.id,
        name: 'Elsewhere',
        actions: [tag],
        trigger: { type: 'event', event: 'device.offline' },
      },
    })
    await happened(deviceOffline, device)
    await followed()
    expect(await call(elsewhere.partnerAdmin, runs.list, { id })).toMatchObject({ data: [] })
  })

  it('that does not last starts nothing: forSeconds', async () => {
    const { id } = await made({ trigger: { type: 'event', event: 'device.offline', forSeconds: 300 } })
    await happened(deviceOffline, device)
    await happened(deviceOffline, other)
    await followed()
    expect((await runsOf(id)).map(({ status }) => status)).toEqual(['queued', 'queued'])
    await happened(deviceOnline, device)
    await followed()
    expect((await runsOf(id)).map(({ reason }) => reason).sort()).toEqual(['did_not_last', null])
    await system.query(`UPDATE automation_runs SET due_at = now() WHERE automation_id = $1 AND status = 'queued'`, [id])
    await moveAll(parts, partner.id)
    expect((await runsOf(id)).map(({ status }) => status).sort()).toEqual(['completed', 'skipped'])
  })

  it('is handed to two workers at the same time, and starts one run', async () => {
    const { id } = await made({ trigger: { type: 'event', event: 'device.offline' }, overlap: 'parallel' })
    await Promise.all(Array.from({ length: 5 }, () => happened(deviceOffline, device)))
    await Promise.all([followUp(parts, automationFollower), followUp(parts, automationFollower)])
    await Promise.all([moveAll(parts, partner.id), moveAll(parts, partner.id)])
    expect(await runsOf(id)).toHaveLength(5)
    expect((await runsOf(id)).map(({ status, reason }) => reason ?? status)).toEqual(Array(5).fill('completed'))
  })
})

describe('automation-loops', () => {
  const raise = (title: string) => ({ type: 'create_alert', severity: 'low', title }) as const
  const opened = (match: object = {}) => ({ type: 'event', event: 'alert.opened', match }) as const

  it('an automation does not start in its own chain', async () => {
    const { id } = await made({ trigger: opened(), actions: [raise('again {{ event.title }}')] })
    const start = await made({ actions: [raise('begin')] })
    await call(partnerAdmin, runs.run, { id: start.id, deviceIds: [device] })
    await moveAll(parts, partner.id)
    await followed()
    await followed()
    await followed()
    const reasons = (await runsOf(id)).map(({ status, reason }) => [status, reason])
    expect(reasons.sort()).toEqual([
      ['completed', null],
      ['skipped', 'loop'],
    ])
    await call(partnerAdmin, automations.remove, { id })
  })

  it('no automation starts at depth 5', async () => {
    const mark = randomUUID()
    const chain = []
    for (let depth = 0; depth < 7; depth++) {
      const trigger = depth === 0 ? { type: 'manual' } : opened({ title: `${mark} ${depth - 1}` })
      chain.push(await made({ trigger, actions: [raise(`${mark} ${depth}`)] }))
    }
    await call(partnerAdmin, runs.run, { id: chain[0]?.id ?? '', deviceIds: [other] })
    await moveAll(parts, partner.id)
    for (let turn = 0; turn < 8; turn++) await followed()
    const ends = await Promise.all(
      chain.map(async ({ id }) => (await runsOf(id)).map(({ status, reason }) => reason ?? status)),
    )
    expect(ends).toEqual([
      ['completed'],
      ['completed'],
      ['completed'],
      ['completed'],
      ['completed'],
      ['chain_too_long'],
      [],
    ])
  })

  it('ten runs for one device within ten minutes trip the automation', async () => {
    const { id } = await made({ trigger: { type: 'event', event: 'device.offline' } })
    for (let turn = 0; turn < 12; turn++) {
      await happened(deviceOffline, device)
      await followed()
    }
    const found = await runsOf(id)
    expect(found.filter(({ status }) => status === 'completed')).toHaveLength(10)
    expect(found.filter(({ reason }) => reason === 'device_loop')).toHaveLength(1)
    expect(await call(partnerAdmin, automations.get, { id })).toMatchObject({
      status: 'tripped',
      statusReason: 'device_loop',
    })
  })
})
