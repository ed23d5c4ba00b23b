import { randomInt, randomUUID } from 'node:crypto'
import { rebuildGenerations } from '@muster/areas/control/lifecycle/generations.jobs.ts'
import { recordKinds } from '@muster/backplane/batch.ts'
import { shardOf } from '@muster/backplane/device-id.ts'
import {
  generationsKey,
  liveChannel,
  nodeLease,
  nodesKey,
  presenceHash,
  presenceShards,
} from '@muster/backplane/keys.ts'
import { decodeLive, type LiveEvent } from '@muster/backplane/live.ts'
import { pack } from '@muster/backplane/pack.ts'
import { connectSubscriber } from '@muster/backplane/redis.ts'
import type { UpdateStatus } from '@muster/wire/messages/update-status.ts'
import pg from 'pg'
import { describe, expect, it, vi } from 'vitest'
import { leaselessMs } from '../limits.ts'
import {
  makeDevices,
  startConsumer,
  type TestDevice,
  TestNode,
  until,
  untilDrained,
  withConsumer,
} from '../testing/bed.ts'

const { bed, parts } = await withConsumer()

const boot = () => randomInt(1, 2 ** 47)
const some = async (count: number): Promise<[TestDevice, ...TestDevice[]]> => {
  const [first, ...others] = await makeDevices(bed, count)
  if (first === undefined) throw new Error('no devices')
  return [first, ...others]
}

async function stateOf(device: TestDevice) {
  const { rows } = await bed.pool.query('SELECT * FROM device_state WHERE device_id = $1', [device.id])
  return rows[0]
}

/** The types of the events about a device, oldest first. */
async function eventsOf(device: TestDevice) {
  const { rows } = await bed.pool.query('SELECT * FROM events WHERE device_id = $1 ORDER BY seq', [device.id])
  return rows
}

async function store(node: TestNode): Promise<void> {
  await node.append(bed.redis, 0)
  await untilDrained(bed.redis, 0)
}

const presenceOf = (device: TestDevice) => presenceHash(shardOf(device.id, presenceShards))
const live = (node: TestNode) => bed.redis.set(nodeLease(node.id), '{}', 'PX', 60_000)
const hold = (device: TestDevice, node: TestNode) => bed.redis.hset(presenceOf(device), device.id, `${node.id}:1`)
const letGo = (device: TestDevice) => bed.redis.hdel(presenceOf(device), device.id)

/** Repeats the periodic decision until the device has the status. */
const settled = (device: TestDevice, status: string) =>
  until(
    `${device.id} ${status}`,
    async () => {
      await parts.presence.settle()
      return (await stateOf(device)).status
    },
    (found) => found === status,
  )

describe('connections', () => {
  it('set a device online with its node and version, and offline when no node holds it', async () => {
    const [device] = await some(1)
    const node = new TestNode()
    await Promise.all([live(node), hold(device, node)])
    const at = Date.now() - 500
    await store(node.connected(device, boot(), at, { agentVersion: '9.9.9', remoteAddress: '8.8.8.8' }))
    expect(await stateOf(device)).toMatchObject({
      status: 'online',
      node: node.id,
      status_at: new Date(at).toISOString(),
      last_seen_at: new Date(at).toISOString(),
      remote_address: '8.8.8.8',
    })
    await store(node.connected(device, 1, at, { agentVersion: '9.9.9', remoteAddress: '' }))
    expect(await stateOf(device)).toMatchObject({ status: 'online', remote_address: '8.8.8.8' })
    const { rows } = await bed.pool.query('SELECT agent_version FROM devices WHERE id = $1', [device.id])
    expect(rows).toEqual([{ agent_version: '9.9.9' }])
    await letGo(device)
    await store(node.disconnected(device, 1))
    expect(await stateOf(device)).toMatchObject({ status: 'offline', node: null })
    const place = { partner_id: device.partnerId, org_id: device.orgId, site_id: device.siteId }
    expect(await eventsOf(device)).toMatchObject([
      { ...place, type: 'device.online', at: new Date(at).toISOString(), data: { hostname: 'host-1' } },
      { ...place, type: 'device.offline' },
    ])
  })

  it('store what agents can do with one query for hundreds of them, and not again while it is the same', async () => {
    const devices = await some(500)
    const node = new TestNode()
    const queries = vi.spyOn(pg.Client.prototype, 'query')
    const written = () => queries.mock.calls.filter(([query]) => Object(query).name === 'store-reported-agents').length
    const rows = async () => {
      const text = 'SELECT DISTINCT capabilities, xmin::text FROM devices WHERE id = ANY ($1)'
      return (await bed.pool.query(text, [devices.map(({ id }) => id)])).rows
    }
    const connect = async (capabilities?: string, shard = 0) => {
      for (const device of devices) node.connected(device, boot(), Date.now(), { capabilities })
      await node.append(bed.redis, shard)
      await untilDrained(bed.redis, shard)
    }
    await connect('++tpn')
    const stored = await rows()
    expect(stored).toMatchObject([{ capabilities: '++tpn' }])
    expect(written()).toBe(1)
    await connect('++tpn')
    expect(written()).toBe(1)
    const other = await startConsumer(parts, 1)
    await connect('++tpn', 1)
    await other.stop()
    expect(written()).toBe(1)
    expect(await rows()).toEqual(stored)
    await connect('+++pn')
    expect(await rows()).toMatchObject([{ capabilities: '+++pn' }])
    await connect()
    expect(await rows()).toMatchObject([{ capabilities: null }])
    expect(written()).toBe(3)
    queries.mockRestore()
  })

  it('keep a device online that moved to another node, whichever node reports first', async () => {
    const [device] = await some(1)
    const [before, after] = [new TestNode(), new TestNode()]
    await Promise.all([live(before), live(after), hold(device, after)])
    await store(after.connected(device, boot()))
    await store(before.disconnected(device, 1))
    expect(await stateOf(device)).toMatchObject({ status: 'online', node: after.id })
  })

  it('are checked again when presence was not released yet', async () => {
    const [gone, back] = await some(2)
    if (back === undefined) throw new Error('no device')
    const node = new TestNode()
    await Promise.all([live(node), hold(gone, node), hold(back, node)])
    await store(node.connected(gone, boot()).connected(back, boot()))
    await store(node.disconnected(gone, 1).disconnected(back, 1))
    expect(await stateOf(gone)).toMatchObject({ status: 'online' })
    await letGo(gone)
    await settled(gone, 'offline')
    expect(await stateOf(back)).toMatchObject({ status: 'online' })
  })

  it('of a dead node set no device online', async () => {
    const [device] = await some(1)
    await store(
      new TestNode().connected(device, boot(), Date.now() - 60_000).heartbeat(device, 1, 1, Date.now() - 59_000),
    )
    expect(await stateOf(device)).toMatchObject({ status: 'offline' })
  })

  it('never set a decommissioned device online', async () => {
    const [device] = await some(1)
    const node = new TestNode()
    await Promise.all([live(node), hold(device, node)])
    await bed.owner.query(`UPDATE devices SET lifecycle = 'decommissioned' WHERE id = $1`, [device.id])
    const bootId = boot()
    await store(node.connected(device, bootId).heartbeat(device, bootId, 1))
    await parts.presence.settle()
    expect(await stateOf(device)).toMatchObject({ status: 'offline', sequence: 1 })
  })

  it('that a draining gateway closed leave the device online until it should have returned', async () => {
    const [moved, lost] = await some(2)
    if (lost === undefined) throw new Error('no device')
    const [before, after] = [new TestNode(), new TestNode()]
    await Promise.all([live(before), live(after), hold(moved, before), hold(lost, before)])
    await store(before.connected(moved, boot()).connected(lost, boot()))
    await Promise.all([letGo(moved), letGo(lost)])
    const away = (device: TestDevice, atMs: number, returnsWithinMs: number) =>
      before.record(recordKinds.disconnected, device, 1, 0, atMs, pack({ role: 'agent', code: 4030, returnsWithinMs }))
    await store(away(moved, Date.now(), 60_000))
    await store(away(lost, Date.now() - 62_000, 60_000))
    await parts.presence.settle()
    expect(await stateOf(moved)).toMatchObject({ status: 'online' })
    await settled(lost, 'offline')
    await hold(moved, after)
    await store(after.connected(moved, boot()))
    expect(await stateOf(moved)).toMatchObject({ status: 'online', node: after.id })
  })
})

describe('devices that send heartbeats', () => {
  it('are set online when a node holds them', async () => {
    const [device] = await some(1)
    const node = new TestNode()
    const bootId = boot()
    await Promise.all([live(node), hold(device, node)])
    await store(node.heartbeat(device, bootId, 1))
    await settled(device, 'online')
    expect(await stateOf(device)).toMatchObject({ node: node.id })
  })

  it('are updating during an update, and offline when it takes too long', async () => {
    const [device] = await some(1)
    const node = new TestNode()
    await Promise.all([live(node), hold(device, node)])
    const update = (sequence: number, state: 'installing' | 'refused') => ({
      name: 'updateStatus' as const,
      sequence,
      body: { version: '2', state },
    })
    await store(node.connected(device, boot()).message(device, 1, update(1, 'installing')))
    expect(await stateOf(device)).toMatchObject({ status: 'updating' })
    await letGo(device)
    await store(node.disconnected(device, 1))
    expect(await stateOf(device)).toMatchObject({ status: 'updating' })
    await bed.owner.query(
      `UPDATE device_state SET updating_since = now() - interval '6 minutes' WHERE device_id = $1`,
      [device.id],
    )
    await parts.presence.reconcile()
    expect(await stateOf(device)).toMatchObject({ status: 'offline' })
    expect((await eventsOf(device)).map(({ type }) => type)).toEqual(['device.online', 'device.offline'])
  })
})

describe('reports about updates', () => {
  const told = async ({ id }: { id: string }) =>
    (
      await bed.owner.query('SELECT version, state, reason, error, barred FROM device_updates WHERE device_id = $1', [
        id,
      ])
    ).rows[0]
  const report = (device: TestDevice, sequence: number, body: UpdateStatus) =>
    store(new TestNode().message(device, 1, { name: 'updateStatus', sequence, body }))

  it('are stored per device, with its barred versions', async () => {
    const [device] = await some(1)
    await report(device, 1, { version: '2', state: 'downloading' })
    expect(await told(device)).toMatchObject({ version: '2', state: 'downloading', barred: [] })
    const failed = { version: '2', state: 'rolled_back', reason: 'no_heartbeat', error: 'silent for 60 s' } as const
    await report(device, 2, { ...failed, barred: ['2'] })
    expect(await told(device)).toMatchObject({ ...failed, barred: ['2'] })
    // The next offer of it is refused: what failed is still what people want to know.
    await report(device, 3, { version: '2', state: 'refused', reason: 'barred' })
    expect(await told(device)).toMatchObject({ ...failed, barred: ['2'] })
    await report(device, 4, { version: '3', state: 'confirmed' })
    expect(await told(device)).toMatchObject({ version: '3', state: 'confirmed', reason: null, barred: ['2'] })
  })

  it('about a version other than the offered one change only the barred versions', async () => {
    const [device] = await some(1)
    await bed.owner.query(
      `INSERT INTO device_updates (device_id, org_id, partner_id, version, rollout_id) VALUES ($1, $2, $3, '3', gen_random_uuid())`,
      [device.id, device.orgId, device.partnerId],
    )
    await report(device, 1, { version: '2', state: 'rolled_back', barred: ['2'] })
    expect(await told(device)).toMatchObject({ version: '3', state: 'offered', barred: ['2'] })
  })
})

describe('dead nodes', () => {
  it('take their devices offline, except those that another node holds', async () => {
    const [lost, moved, other] = await some(3)
    if (!moved || !other) throw new Error('no devices')
    const [dead, alive] = [new TestNode(), new TestNode()]
    await Promise.all([live(dead), live(alive), hold(lost, dead), hold(moved, dead), hold(other, alive)])
    await store(dead.connected(lost, boot()).connected(moved, boot()))
    await store(alive.connected(other, boot()))
    await bed.redis.zadd(nodesKey, Date.now(), dead.id, Date.now(), alive.id)
    await parts.presence.sweepNodes()
    expect(await stateOf(lost)).toMatchObject({ status: 'online' })
    await bed.redis.del(nodeLease(dead.id))
    await hold(moved, alive)
    await parts.presence.sweepNodes()
    await parts.presence.sweepNodes(Date.now() + leaselessMs)
    expect(await stateOf(lost)).toMatchObject({ status: 'offline', node: null })
    expect(await stateOf(moved)).toMatchObject({ status: 'online', node: alive.id })
    expect(await stateOf(other)).toMatchObject({ status: 'online' })
    expect(await bed.redis.hget(presenceOf(lost), lost.id)).toBeNull()
    expect(await bed.redis.zrange(nodesKey, '0', '-1')).toEqual([alive.id])
  })

  it('are not those whose leases expired while Redis was away, and that take another', async () => {
    const [device] = await some(1)
    const node = new TestNode()
    await Promise.all([live(node), hold(device, node)])
    await store(node.connected(device, boot()))
    await bed.redis.zadd(nodesKey, Date.now(), node.id)
    await bed.redis.del(nodeLease(node.id))
    await parts.presence.sweepNodes()
    await live(node)
    await parts.presence.sweepNodes(Date.now() + leaselessMs)
    expect((await eventsOf(device)).map(({ type }) => type)).toEqual(['device.online'])
    await bed.redis.zrem(nodesKey, node.id)
  })

  it('are detected although Redis lost them', async () => {
    const [device] = await some(1)
    const node = new TestNode()
    await Promise.all([live(node), hold(device, node)])
    await store(node.connected(device, boot()))
    await bed.redis.del(nodeLease(node.id))
    await parts.presence.reconcile()
    expect(await stateOf(device)).toMatchObject({ status: 'online' })
    await parts.presence.reconcile()
    expect(await stateOf(device)).toMatchObject({ status: 'offline' })
  })

  it('leave no silent device online that no node holds', async () => {
    const [device] = await some(1)
    await bed.owner.query(
      `UPDATE device_state SET status = 'online', status_at = now() - interval '1 hour', last_seen_at = now() - interval '10 minutes'
       WHERE device_id = $1`,
      [device.id],
    )
    await parts.presence.reconcile()
    expect(await stateOf(device)).toMatchObject({ status: 'offline' })
  })
})

describe('live events', () => {
  it('of statuses and heartbeats go to the partner of the device only', async () => {
    const [[mine], [others]] = [await some(1), await some(1)]
    const subscriber = connectSubscriber(bed.redisUrl, 'worker-test-live')
    const events = new Map<string, LiveEvent[]>()
    subscriber.on('messageBuffer', (channel: Buffer, message: Buffer) => {
      const name = channel.toString()
      events.set(name, [...(events.get(name) ?? []), ...decodeLive(message)])
    })
    await subscriber.subscribe(liveChannel(mine.partnerId), liveChannel(others.partnerId))
    const node = new TestNode()
    await Promise.all([live(node), hold(mine, node), hold(others, node)])
    const [myBoot, otherBoot] = [boot(), boot()]
    await store(node.connected(mine, myBoot).connected(others, otherBoot))
    const heard = () => [mine, others].map(({ partnerId }) => events.get(liveChannel(partnerId)) ?? [])
    let sequence = 0
    // The list of watched channels is refreshed only once a second.
    await until(
      'heartbeats',
      async () => {
        sequence++
        await store(node.heartbeat(mine, myBoot, sequence, Date.now(), 55).heartbeat(others, otherBoot, sequence))
        return heard()
      },
      (lists) => lists.every((list) => list.some(({ type }) => type === 'device.heartbeat')),
    )
    for (const [index, device] of [mine, others].entries()) {
      const list = heard()[index] ?? []
      expect(new Set(list.map(({ deviceId }) => deviceId))).toEqual(new Set([device.id]))
      expect(list.find(({ type }) => type === 'device.status')).toMatchObject({
        status: 'online',
        orgId: device.orgId,
        siteId: device.siteId,
      })
    }
    expect(heard()[0]?.find(({ type }) => type === 'device.heartbeat')).toMatchObject({
      cpuPercent: 55,
      memoryTotal: 16e9,
      processCount: 200,
      siteId: mine.siteId,
    })
    subscriber.disconnect()
  })
})

describe('certificate generations', () => {
  it('are restored from the database where they differ', async () => {
    const [plain, raised, retired] = await some(3)
    if (!raised || !retired) throw new Error('no devices')
    await bed.owner.query('UPDATE devices SET key_generation = 4 WHERE id = $1', [raised.id])
    await bed.owner.query(`UPDATE devices SET lifecycle = 'decommissioned' WHERE id = $1`, [retired.id])
    const deleted = randomUUID()
    await bed.redis.hset(generationsKey, plain.id, 3, deleted, -1)
    await rebuildGenerations(bed)
    expect(await bed.redis.hmget(generationsKey, plain.id, raised.id, retired.id, deleted)).toEqual([
      null,
      '4',
      '-1',
      '-1',
    ])
  })
})
