import { randomUUID } from 'node:crypto'
import { publishLive } from '@muster/backplane/live.ts'
import { auditOf } from '@muster/testkit/audit.ts'
import { call, refusal } from '@muster/testkit/call.ts'
import { enrolled } from '@muster/testkit/machines.ts'
import { holding } from '@muster/testkit/node.ts'
import { testServices } from '@muster/testkit/services.ts'
import { person, world } from '@muster/testkit/world.ts'
import { afterEach, describe, expect, it, vi } from 'vitest'
import { devices } from '../../fleet/devices/devices.contract.ts'
import { autoUpdate } from './auto-update/auto-update.contract.ts'
import { commands } from './commands.contract.ts'

const { system, redis, people } = await testServices()
const here = await world()
const elsewhere = await world()
const device = async (hostname = 'commanded') => {
  const [id = ''] = await enrolled(here.orgAdmin, { orgId: here.org.id }, hostname)
  return id
}
const script = { type: 'run_script', payload: { script: 'uptime' } } as const

/** Stores the end of a command and tells of it, as a worker does. */
async function finish(deviceId: string, commandId: string, status: 'completed' | 'failed' | 'running') {
  const ended = status === 'running' ? 'NULL' : 'now()'
  await system.query(
    `UPDATE device_commands SET status = $2, stdout = 'up 3 days', exit_code = 0, finished_at = ${ended} WHERE id = $1`,
    [commandId, status],
  )
  const place = { orgId: here.org.id, siteId: null, deviceId, at: Date.now() }
  await publishLive(redis, here.partner.id, [{ type: 'command.changed', ...place, commandId, status }])
}

describe('sending a command', () => {
  afterEach(() => vi.restoreAllMocks())

  it('sends it to a connected device; it is pending until a report arrives', async () => {
    const id = await device()
    const node = await holding(id)
    const command = await call(here.orgAdmin, commands.create, { id, ...script, timeoutMs: 5_000 })
    const payload = { language: 'bash', script: 'uptime', args: [], env: {} }
    expect(command).toMatchObject({
      deviceId: id,
      type: 'run_script',
      status: 'pending',
      payload,
      timeoutMs: 5_000,
      result: null,
    })
    const { deviceId, message } = await node.next()
    expect(deviceId).toBe(id)
    const expiresAt = Date.parse(command.expiresAt)
    const body = { id: command.id, type: 'run_script', payload, timeoutMs: 5_000, expiresAt }
    expect(message).toMatchObject({ name: 'command', body })
    expect((await auditOf(id)).at(-1)).toMatchObject({ action: 'device.command', actor_id: here.orgAdmin.userId })
    expect(await call(here.orgAdmin, commands.get, { id, commandId: command.id })).toEqual(command)
  })

  it('rejects a second inventory refresh while one is open, also a concurrent one', async () => {
    const id = await device()
    const ask = () => call(here.orgAdmin, commands.create, { id, type: 'refresh_inventory' })
    const told = await Promise.allSettled(Array.from({ length: 8 }, ask))
    expect(told.filter(({ status }) => status === 'fulfilled')).toHaveLength(1)
    expect(await refusal(ask())).toMatchObject({ status: 409, code: 'ALREADY_PENDING' })
    await system.query(`UPDATE device_commands SET status = 'completed' WHERE device_id = $1`, [id])
    expect(await ask()).toMatchObject({ status: 'pending' })
    await call(here.orgAdmin, commands.create, { id, ...script })
    await call(here.orgAdmin, commands.create, { id, ...script })
  })

  it('rejects an invalid payload and names the field', async () => {
    const id = await device()
    const wrong: [object, RegExp][] = [
      [{}, /^payload\.script: /],
      [{ script: 'x', language: 'cobol' }, /^payload\.language: /],
      [{ script: 'x', env: { 'not a name': '1' } }, /^payload\.env/],
      [{ script: 'a\0b' }, /^payload\.script: must not contain NUL/],
      [{ script: '€'.repeat(100_000) }, /^payload\.script: must be at most 262144 bytes/],
    ]
    for (const [payload, message] of wrong) {
      const told = await refusal(
        call(here.orgAdmin, commands.create, { id, type: 'run_script', payload: { ...payload } }),
      )
      expect(told).toMatchObject({ status: 400, code: 'VALIDATION_ERROR' })
      expect(told.message).toMatch(message)
    }
    const { data } = await call(here.orgAdmin, commands.list, { id })
    expect(data).toEqual([])
  })

  it('requires the permission of its type', async () => {
    const id = await device()
    const told = await refusal(call(here.partnerViewer, commands.create, { id, type: 'refresh_inventory' }))
    expect(told).toMatchObject({ status: 403 })
    expect((await call(here.partnerViewer, commands.list, { id })).data).toEqual([])
  })

  it('returns 404 for a device of another tenant and writes nothing', async () => {
    const id = await device()
    const { id: commandId } = await call(here.orgAdmin, commands.create, { id, ...script })
    for (const who of [elsewhere.orgAdmin, elsewhere.partnerAdmin]) {
      const attempts = [
        call(who, commands.create, { id, ...script }),
        call(who, commands.list, { id }),
        call(who, commands.get, { id, commandId }),
        call(who, commands.cancel, { id, commandId }),
        call(who, autoUpdate.set, { id, enabled: false }),
      ]
      for (const told of await Promise.all(attempts.map(refusal))) expect(told).toMatchObject({ status: 404 })
    }
    const other = await device('beside')
    expect(await refusal(call(here.orgAdmin, commands.get, { id: other, commandId }))).toMatchObject({ status: 404 })
    const { data, pagination } = await call(here.orgAdmin, commands.list, { id })
    expect([data.length, data[0]?.status, pagination.total]).toEqual([1, 'pending', 1])
  })

  it('stores neither the command nor its setting when it is rejected', async () => {
    const id = await device()
    const tenant = { scope: 'organization', partnerId: here.partner.id, orgId: here.org.id } as const
    const confined = await person(tenant, { role: 'Org Admin', siteIds: [] })
    const order = { id, type: 'set_auto_update', payload: { enabled: false } } as const
    expect(await refusal(call(confined, commands.create, order))).toMatchObject({ status: 404 })
    await system.query(`UPDATE devices SET lifecycle = 'quarantined' WHERE id = $1`, [id])
    expect(await refusal(call(here.orgAdmin, commands.create, order))).toMatchObject({ status: 409 })
    expect(await call(here.orgAdmin, devices.get, { id })).toMatchObject({ autoUpdate: true })
    expect((await call(here.orgAdmin, commands.list, { id })).pagination.total).toBe(0)
  })

  it('rejects devices of a suspended organization', async () => {
    const own = await world()
    const [id = ''] = await enrolled(own.orgAdmin, { orgId: own.org.id }, 'sleeping')
    await system.query(`UPDATE organizations SET status = 'suspended' WHERE id = $1`, [own.org.id])
    const told = await refusal(call(own.orgAdmin, commands.create, { id, ...script }))
    expect(told).toMatchObject({ status: 403, message: 'Organization is suspended' })
  })

  it('succeeds while Redis is unavailable; the command stays pending', async () => {
    const id = await device()
    vi.spyOn(redis, 'hmget').mockRejectedValue(new Error('away'))
    expect(await call(here.orgAdmin, commands.create, { id, ...script })).toMatchObject({ status: 'pending' })
  })
})

describe('waiting for the end of a command', () => {
  it('answers when the command ends, without a database connection meanwhile', async () => {
    const id = await device()
    const node = await holding(id)
    const answer = call(here.orgAdmin, commands.create, { id, ...script, waitMs: 60_000 })
    const { message } = await node.next()
    const commandId = message.name === 'command' ? message.body.id : ''
    await finish(id, commandId, 'running')
    // The waiting request holds no connection: the pool has all of them.
    const connections = await Promise.all(Array.from({ length: people.options.max ?? 0 }, () => people.connect()))
    for (const connection of connections) connection.release()
    await finish(id, commandId, 'completed')
    expect(await answer).toMatchObject({ id: commandId, status: 'completed', stdout: 'up 3 days', exitCode: 0 })
  })

  it('answers with the current status at the timeout', async () => {
    const id = await device()
    const answer = await call(here.orgAdmin, commands.create, { id, ...script, waitMs: 30 })
    expect(answer).toMatchObject({ status: 'pending', stdout: null })
  })

  it('ends the wait when the caller disconnects', async () => {
    const id = await device()
    const node = await holding(id)
    const gone = new AbortController()
    const answer = call(here.orgAdmin, commands.create, { id, ...script, waitMs: 60_000 }, { signal: gone.signal })
    await node.next()
    gone.abort()
    expect(await answer).toMatchObject({ status: 'pending' })
  })
})

describe('canceling a command', () => {
  it('cancels a command that did not start at once, and notifies the device', async () => {
    const id = await device()
    const { id: commandId } = await call(here.orgAdmin, commands.create, { id, ...script })
    const node = await holding(id)
    expect(await call(here.orgAdmin, commands.cancel, { id, commandId })).toMatchObject({ status: 'cancelled' })
    expect(await node.next()).toMatchObject({ deviceId: id, message: { name: 'cancel', body: { id: commandId } } })
    const again = await refusal(call(here.orgAdmin, commands.cancel, { id, commandId }))
    expect(again).toMatchObject({ status: 409, message: 'The command has already ended: cancelled' })
    expect((await auditOf(id)).at(-1)).toMatchObject({ action: 'device.command.cancel' })
  })

  it('tells the device to stop a running command, which ends when the device reports it', async () => {
    const id = await device()
    const { id: commandId } = await call(here.orgAdmin, commands.create, { id, ...script })
    await finish(id, commandId, 'running')
    const node = await holding(id)
    expect(await call(here.orgAdmin, commands.cancel, { id, commandId })).toMatchObject({ status: 'running' })
    expect((await node.next()).message.name).toBe('cancel')
  })
})

describe('bulk commands', () => {
  it('list for each device whether it was sent, skipped or not found', async () => {
    const [one, two, open, gone] = [await device('b1'), await device('b2'), await device('b3'), await device('b4')]
    const [foreign = ''] = await enrolled(elsewhere.orgAdmin, { orgId: elsewhere.org.id }, 'b5')
    await call(here.orgAdmin, commands.create, { id: open, type: 'refresh_inventory' })
    await system.query(`UPDATE devices SET lifecycle = 'decommissioned' WHERE id = $1`, [gone])
    const absent = randomUUID()
    const node = await holding(one, two)
    const answer = await call(here.orgAdmin, commands.bulk, {
      deviceIds: [one, two, two, open, gone, foreign, absent],
      type: 'refresh_inventory',
    })
    expect(new Set(answer.commands.map((command) => command.deviceId))).toEqual(new Set([one, two]))
    expect(answer.skipped).toEqual(
      expect.arrayContaining([
        { deviceId: open, reason: 'already_pending' },
        { deviceId: gone, reason: 'decommissioned' },
      ]),
    )
    expect(answer.failed.map((failure) => [failure.deviceId, failure.code])).toEqual([
      [foreign, 'NOT_FOUND'],
      [absent, 'NOT_FOUND'],
    ])
    expect(new Set([(await node.next()).deviceId, (await node.next()).deviceId])).toEqual(new Set([one, two]))
    for (const id of [one, two]) expect((await auditOf(id)).at(-1)).toMatchObject({ action: 'device.command.bulk' })
    expect((await auditOf(foreign)).map((record) => record.action)).toEqual(['device.enroll'])
  })

  it('reach each device once when two requests are concurrent', async () => {
    const deviceIds = [await device('c1'), await device('c2'), await device('c3')]
    const ask = (ids: string[]) => call(here.orgAdmin, commands.bulk, { deviceIds: ids, type: 'refresh_inventory' })
    const [first, second] = await Promise.all([ask(deviceIds), ask(deviceIds.toReversed())])
    expect([...first.commands, ...second.commands].map((command) => command.deviceId).sort()).toEqual(deviceIds.sort())
  })

  it('are rejected before anything is written when the payloads are too large', async () => {
    const ids = await enrolled(here.orgAdmin, { orgId: here.org.id }, ...Array.from({ length: 3 }, (_, n) => `d${n}`))
    const payload = { script: 'x', args: Array.from({ length: 60 }, () => '€'.repeat(8_000)) }
    const told = await refusal(call(here.orgAdmin, commands.bulk, { deviceIds: ids, type: 'run_script', payload }))
    expect(told).toMatchObject({ status: 413, code: 'PAYLOAD_TOO_LARGE' })
    const [id = ''] = ids
    expect((await call(here.orgAdmin, commands.list, { id })).data).toEqual([])
  })
})

describe('updates of the agent', () => {
  it('are turned off for the device, and a command tells the agent', async () => {
    const id = await device()
    const node = await holding(id)
    const answer = await call(here.orgAdmin, autoUpdate.set, { id, enabled: false })
    expect(answer).toMatchObject({
      deviceId: id,
      autoUpdate: false,
      command: { type: 'set_auto_update', status: 'pending' },
    })
    expect((await node.next()).message).toMatchObject({
      body: { type: 'set_auto_update', payload: { enabled: false } },
    })
    expect(await call(here.orgAdmin, devices.get, { id })).toMatchObject({ autoUpdate: false })
    expect((await auditOf(id)).at(-1)).toMatchObject({ action: 'device.auto_update', changed_fields: ['autoUpdate'] })
  })

  it('follow the command that sets them, for one device and for many', async () => {
    const ids = [await device(), await device()]
    const [id = ''] = ids
    const kept = () =>
      Promise.all(ids.map(async (one) => (await call(here.orgAdmin, devices.get, { id: one })).autoUpdate))
    await call(here.orgAdmin, autoUpdate.set, { id, enabled: false })
    expect(await kept()).toEqual([false, true])
    const type = 'set_auto_update'
    await call(here.orgAdmin, commands.create, { id, type, payload: { enabled: true } })
    expect(await kept()).toEqual([true, true])
    await call(here.orgAdmin, commands.bulk, { deviceIds: ids, type, payload: { enabled: false } })
    expect(await kept()).toEqual([false, false])
  })

  it('may be turned off by a technician, not by a viewer', async () => {
    const id = await device()
    const told = await refusal(call(here.partnerViewer, autoUpdate.set, { id, enabled: false }))
    expect(told).toMatchObject({ status: 403 })
    const tenant = { scope: 'organization', partnerId: here.partner.id, orgId: here.org.id } as const
    const technician = await person(tenant, { role: 'Org Technician' })
    expect(await call(technician, autoUpdate.set, { id, enabled: true })).toMatchObject({ autoUpdate: true })
  })
})
