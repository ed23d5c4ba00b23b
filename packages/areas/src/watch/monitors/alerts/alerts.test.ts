import { call, refusal } from '@muster/testkit/call.ts'
import { world } from '@muster/testkit/world.ts'
import { describe, expect, it } from 'vitest'
import { monitors } from '../monitors.contract.ts'
import { monitorAlerts } from './alerts.contract.ts'

const here = await world()
const create = (more: object = {}) =>
  call(here.orgAdmin, monitors.create, {
    orgId: here.org.id,
    siteId: here.site.id,
    name: 'Web',
    type: 'http',
    target: 'https://www.example.com/',
    ...more,
  })

describe('rules of monitors', () => {
  it('need a threshold exactly where the condition has one', async () => {
    const { id } = await create()
    const add = (more: Readonly<Record<string, unknown>>) =>
      refusal(call(here.orgAdmin, monitorAlerts.create, { monitorId: id, condition: 'offline', ...more }))
    expect(await add({ threshold: 5 })).toMatchObject({ status: 400 })
    expect(await add({ condition: 'responseTime' })).toMatchObject({ status: 400 })
    expect(await add({ condition: 'certificate', threshold: 1_000 })).toMatchObject({ status: 400 })
    const tcp = { type: 'tcp', target: 'db.example.com', config: { port: 5432 } }
    const { id: monitorId } = await create(tcp)
    expect(await add({ monitorId, condition: 'certificate', threshold: 14 })).toMatchObject({ status: 400 })
    expect(await add({ channelIds: [id] })).toMatchObject({ status: 400 })
  })

  it('are on one condition and threshold each', async () => {
    const { id: monitorId } = await create()
    const again = call(here.orgAdmin, monitorAlerts.create, { monitorId, condition: 'offline' })
    expect(await refusal(again)).toMatchObject({
      status: 409,
      message: 'The monitor has an alert on offline already. Change that one',
    })
    const slow = { monitorId, condition: 'responseTime' as const }
    await call(here.orgAdmin, monitorAlerts.create, { ...slow, threshold: 100 })
    await call(here.orgAdmin, monitorAlerts.create, { ...slow, threshold: 200, severity: 'critical' })
    expect(await refusal(call(here.orgAdmin, monitorAlerts.create, { ...slow, threshold: 200 }))).toMatchObject({
      status: 409,
    })
  })
})
