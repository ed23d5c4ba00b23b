import { call, refusal } from '@muster/testkit/call.ts'
import { beforeAll, describe, expect, it } from 'vitest'
import { type Fleet, fleetOf, initialized, Staged } from '../testing/staged.ts'
import { devices } from './devices.contract.ts'

let fleet: Fleet
beforeAll(async () => {
  fleet = await fleetOf(5)
})
const list = (id: string, more: object = {}) => call(fleet.here.orgAdmin, devices.list, { id, ...more })
const retry = (id: string, deviceId = '') => call(fleet.here.orgAdmin, devices.retry, { id, deviceId })
const all = { batches: [{ percent: 100 }] }

describe('the devices of a deployment', () => {
  it('are listed by batch, status and host name, in the order of their turns', async () => {
    const { id } = await initialized(fleet, { batches: [{ count: 2 }, { percent: 100 }] })
    expect((await list(id)).data.map(({ batch }) => batch)).toEqual([1, 1, 2, 2, 2])
    expect((await list(id, { batch: 1 })).pagination.total).toBe(2)
    expect((await list(id, { status: ['pending'] })).pagination.total).toBe(5)
    expect((await list(id, { status: ['running', 'failed'] })).data).toEqual([])
    const [first] = (await list(id)).data
    expect((await list(id, { search: first?.hostname.toUpperCase() })).data).toEqual([first])
    expect(first).toMatchObject({
      status: 'pending',
      reason: null,
      attempt: 0,
      commandId: null,
      exitCode: null,
      error: null,
    })
  })
})

describe('another try of a device', () => {
  it('makes a completed deployment run again', async () => {
    const staged = await Staged.start(fleet, { ...all, maxErrors: { percent: 100 } })
    const [first] = await staged.devices()
    await staged.run(({ deviceId }) => (deviceId === first?.deviceId ? 1 : 0))
    expect((await staged.get()).status).toBe('completed')
    expect(await retry(staged.id, first?.deviceId)).toMatchObject({ status: 'pending', exitCode: null, approval: null })
    expect((await staged.get()).status).toBe('running')
    expect(await staged.run()).toEqual([first?.deviceId])
    expect(await staged.get()).toMatchObject({ status: 'completed', counts: { succeeded: 5 } })
    expect((await staged.devices())[0]).toMatchObject({ attempt: 2 })
  })

  it('waits in a halted deployment until it is resumed', async () => {
    const staged = await Staged.start(fleet, { ...all, maxErrors: { count: 0 }, maxConcurrency: 1 })
    const [first] = await staged.devices()
    await staged.run(() => 1)
    expect((await staged.get()).status).toBe('halted')
    await retry(staged.id, first?.deviceId)
    await staged.turn()
    expect(await staged.get()).toMatchObject({ status: 'halted', counts: { pending: 5, failed: 0 } })
  })

  it('is only for one that failed, was skipped or expired', async () => {
    const staged = await Staged.start(fleet, all)
    await staged.run()
    const told = await refusal(retry(staged.id, fleet.deviceIds[0]))
    expect(told).toMatchObject({ status: 409, message: expect.stringContaining('succeeded') })
    expect(await refusal(retry(staged.id, '00000000-0000-4000-8000-000000000000'))).toMatchObject({ status: 404 })
  })
})
