import { type EndedCommand, outcome } from '@muster/areas/background/outcome.ts'
import { sendOpenCommands } from '@muster/areas/control/commands/delivery/open-commands.ts'
import { workerSignerOf } from '@muster/areas/control/commands/delivery/order-signer.ts'
import { endOverdueCommands, rerouteCommands } from '@muster/areas/control/commands/delivery/sweeps.jobs.ts'
import { copyCommandStops } from '@muster/areas/control/commands/stops/stops.jobs.ts'
import { deviceChanged } from '@muster/areas/fleet/devices/state/device-events.contract.ts'
import { liveEvent } from '@muster/areas/platform/live-events/publish.ts'
import { readCommandStops } from '@muster/backplane/command-stops.ts'
import { opened } from '@muster/testkit/down-messages.ts'
import { importJWK, jwtVerify } from 'jose'
import { describe, expect, it } from 'vitest'
import { makeDevices, TestNode, until, withConsumer } from '../testing/bed.ts'
import { addCommand, boot, commandOf, hold, listen, oneDevice, ordersFor, store } from '../testing/fleet.ts'

const { bed, parts } = await withConsumer()

const sending = { ...parts, signer: workerSignerOf(parts.worker) }
const longAgo = { created_at: `now() - interval '1 minute'`, updated_at: `now() - interval '1 minute'` }

/** A device that is connected. */
async function onlineDevice() {
  const [device, node] = [await oneDevice(bed), new TestNode()]
  await hold(bed, device, node)
  await bed.owner.query(`UPDATE device_state SET status = 'online' WHERE device_id = $1`, [device.id])
  return { device, node }
}

describe('a device that connects', () => {
  it('is sent its open commands in the order of their creation', async () => {
    const device = await oneDevice(bed)
    const node = new TestNode()
    await hold(bed, device, node)
    const minute = (minutes: number) => `now() - interval '${minutes} minutes'`
    const ids = [
      await addCommand(bed, device, { created_at: minute(5), status: `'running'`, expires_at: minute(1) }),
      await addCommand(bed, device, { created_at: minute(4), payload: `'{"content":"echo"}'` }),
      await addCommand(bed, device, { created_at: minute(3), status: `'sent'` }),
    ]
    await addCommand(bed, device, { created_at: minute(9), status: `'completed'` })
    await addCommand(bed, device, { created_at: minute(9), expires_at: minute(1) })
    await store(bed, node.connected(device, boot()))
    const orders = await until(
      'the orders',
      () => ordersFor(bed, node),
      (list) => list.length >= 3,
    )
    expect(orders.map((order) => (order.kind === 'frame' ? order.commandId : order.kind))).toEqual(ids)
    const [, second] = orders
    expect(second?.kind === 'frame' && opened(second.bytes)).toMatchObject({
      name: 'command',
      body: { id: ids[1], type: 'run_script', payload: { content: 'echo' }, timeoutMs: 60_000 },
    })
  })

  it('is sent a new certificate when its own expires within a month', async () => {
    const [late, fresh, stale] = await makeDevices(bed, 3)
    if (!late || !fresh || !stale) throw new Error('no devices')
    const node = new TestNode()
    for (const device of [late, fresh, stale]) await hold(bed, device, node)
    await bed.owner.query('UPDATE devices SET key_generation = 2 WHERE id = $1', [stale.id])
    const soon = { certificateExpiresAt: Date.now() + 86_400_000 }
    await store(
      bed,
      node
        .connected(fresh, boot())
        .connected(late, boot(), Date.now(), soon)
        .connected(stale, boot(), Date.now(), soon),
    )
    const [order, ...others] = await until(
      'the order',
      () => ordersFor(bed, node),
      (list) => list.length > 0,
    )
    expect([order?.deviceId, others]).toEqual([late.id, []])
    const message = order?.kind === 'frame' ? opened(order.bytes) : undefined
    if (message?.name !== 'certificate') throw new Error('not a certificate')
    const [key] = parts.keyring.deviceCertificates
    if (key === undefined) throw new Error('no key')
    const { d: _, ...publicKey } = key
    const { payload } = await jwtVerify(message.body.certificate, await importJWK({ ...publicKey, alg: 'EdDSA' }))
    expect(payload).toMatchObject({ sub: late.id, org: late.orgId, partner: late.partnerId, gen: 1 })
  })
})

describe('overdue commands', () => {
  it('expire while they wait, and time out once they run', async () => {
    const device = await oneDevice(bed)
    const live = await listen(bed, device)
    const ago = (seconds: number) => `now() - interval '${seconds} seconds'`
    const expired = await addCommand(bed, device, { expires_at: ago(1) })
    const overdue = await addCommand(bed, device, { status: `'running'`, started_at: ago(120) })
    const unheard = await addCommand(bed, device, { status: `'sent'`, sent_at: ago(200), expires_at: ago(120) })
    const others = [
      await addCommand(bed, device),
      await addCommand(bed, device, { status: `'running'`, started_at: ago(70) }),
      await addCommand(bed, device, { status: `'sent'`, expires_at: ago(10) }),
      await addCommand(bed, device, { status: `'completed'`, expires_at: ago(100) }),
    ]
    await endOverdueCommands(parts.worker)
    expect(await commandOf(bed, expired)).toMatchObject({
      status: 'expired',
      error: expect.stringContaining('delivered'),
    })
    expect(await commandOf(bed, overdue)).toMatchObject({ status: 'timed_out', finished_at: expect.any(String) })
    expect(await commandOf(bed, unheard)).toMatchObject({ status: 'timed_out' })
    const statuses = await Promise.all(others.map(async (id) => (await commandOf(bed, id)).status))
    expect(statuses).toEqual(['pending', 'running', 'sent', 'completed'])
    await until(
      'the events',
      async () => live.events.length,
      (length) => length === 3,
    )
    expect(new Set(live.events.map((event) => event.commandId))).toEqual(new Set([expired, overdue, unheard]))
    live.stop()
  })

  it('apply the outcome that an area declares for their type, in the same transaction', async () => {
    const device = await oneDevice(bed)
    const live = await listen(bed, device)
    const id = await addCommand(bed, device, { status: `'running'`, started_at: `now() - interval '2 minutes'` })
    const { deviceId, orgId, partnerId, siteId } = { ...device, deviceId: device.id }
    const applied: EndedCommand[] = []
    const remember = outcome({
      command: 'run_script',
      async apply(transaction, ended) {
        applied.push(...ended)
        const { rows } = await transaction.query<{ status: string }>({
          text: 'SELECT status FROM device_commands WHERE id = $1',
          values: [id],
        })
        const event = liveEvent(deviceChanged, partnerId, { orgId, siteId, deviceId, at: 7, changed: 'outcome' })
        return { additions: new Map([[id, { seen: rows }]]), events: [event] }
      },
    })
    await bed.owner.query(`UPDATE device_commands SET type = 'run_script' WHERE id = $1`, [id])
    await endOverdueCommands({ ...parts.worker, outcomes: [remember] })
    expect(applied).toMatchObject([{ id, deviceId, orgId, partnerId, status: 'timed_out', exitCode: null }])
    expect(await commandOf(bed, id)).toMatchObject({ result: { seen: [{ status: 'timed_out' }] } })
    const events = await until(
      'the events',
      async () => live.events.map(({ type }) => type),
      (types) => types.length === 2,
    )
    expect(events).toEqual(['command.changed', 'device.changed'])
    live.stop()
  })

  it('wait while an emergency stop holds their partner or all partners', async () => {
    const { device, node } = await onlineDevice()
    const waiting = await addCommand(bed, device, longAgo)
    for (const partnerId of [device.partnerId, null]) {
      const stop = `INSERT INTO command_stops (partner_id, by_scope, reason) VALUES ($1, 'system', 'Test')`
      await bed.owner.query(stop, [partnerId])
      expect(await rerouteCommands(parts.worker)).toBe(0)
      expect(await sendOpenCommands(sending, [device.id])).toBe(0)
      await copyCommandStops(parts.pool, parts.redis)
      expect(await readCommandStops(parts.redis)).toEqual({
        all: partnerId === null,
        partnerIds: partnerId === null ? [] : [partnerId],
      })
      await bed.owner.query('DELETE FROM command_stops')
    }
    expect(await sendOpenCommands(sending, [device.id])).toBe(1)
    expect((await ordersFor(bed, node)).map((order) => (order.kind === 'frame' ? order.commandId : ''))).toEqual([
      waiting,
    ])
  })

  it('are sent again to a connected device that did not start them, once per interval', async () => {
    const { device: here, node } = await onlineDevice()
    const away = await oneDevice(bed)
    const stuck = await addCommand(bed, here, longAgo)
    await addCommand(bed, here)
    await addCommand(bed, away, longAgo)
    await rerouteCommands(parts.worker)
    await rerouteCommands(parts.worker)
    expect((await ordersFor(bed, node)).map((order) => (order.kind === 'frame' ? order.commandId : ''))).toEqual([
      stuck,
    ])
  })
})
