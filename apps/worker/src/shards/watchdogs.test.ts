import { generateKeyPairSync } from 'node:crypto'
import { watchdogCertificatesOf } from '@muster/areas/control/lifecycle/certificates/watchdog-certificates.ts'
import { shardOf } from '@muster/backplane/device-id.ts'
import { nodeLease, nodesKey, presenceHash, presenceShards } from '@muster/backplane/keys.ts'
import { presenceField } from '@muster/backplane/presence.ts'
import { opened } from '@muster/testkit/down-messages.ts'
import type { WatchdogStatus } from '@muster/wire/messages/watchdog-status.ts'
import { decodeJwt } from 'jose'
import { describe, expect, it } from 'vitest'
import { leaselessMs } from '../limits.ts'
import { type TestDevice, TestNode, until, withConsumer } from '../testing/bed.ts'
import { boot, hold, listen, oneDevice, ordersFor, store } from '../testing/fleet.ts'

const { bed, parts } = await withConsumer()
const certificates = watchdogCertificatesOf(parts.worker)
const stateOf = async (device: TestDevice) =>
  (await bed.pool.query('SELECT * FROM device_state WHERE device_id = $1', [device.id])).rows[0]
const key = (device: TestDevice) => presenceHash(shardOf(device.id, presenceShards))
const holdWatchdog = (device: TestDevice, node: TestNode) =>
  bed.redis.hset(key(device), presenceField(device.id, 'watchdog'), `${node.id}:2`)
const letGo = (device: TestDevice, role: 'agent' | 'watchdog') =>
  bed.redis.hdel(key(device), presenceField(device.id, role))
const report = (
  node: TestNode,
  device: TestDevice,
  bootId: number,
  sequence: number,
  body: WatchdogStatus,
  atMs?: number,
) => node.message(device, bootId, { name: 'watchdogStatus', sequence, body }, atMs)
/** A device with its agent and its watchdog on one node. */
async function guarded() {
  const device = await oneDevice(bed)
  const node = new TestNode()
  const [agentBoot, watchdogBoot] = [boot(), boot()]
  await hold(bed, device, node)
  await holdWatchdog(device, node)
  await store(bed, node.connected(device, agentBoot).connected(device, watchdogBoot, Date.now(), { role: 'watchdog' }))
  return { device, node, agentBoot, watchdogBoot }
}

describe('a watchdog', () => {
  it('is connected independently of its agent', async () => {
    const { device, node, agentBoot, watchdogBoot } = await guarded()
    expect(await stateOf(device)).toMatchObject({
      status: 'online',
      watchdog_status: 'connected',
      watchdog_node: node.id,
      main_agent_silent_since: null,
    })
    const gone = Date.now() - 5_000
    await letGo(device, 'agent')
    await store(bed, node.disconnected(device, agentBoot, gone))
    expect(await stateOf(device)).toMatchObject({
      status: 'offline',
      watchdog_status: 'connected',
      main_agent_silent_since: new Date(gone).toISOString(),
    })
    await hold(bed, device, node)
    await store(bed, node.connected(device, boot()))
    expect(await stateOf(device)).toMatchObject({ status: 'online', main_agent_silent_since: null })
    await letGo(device, 'watchdog')
    await store(bed, node.disconnected(device, watchdogBoot, Date.now(), 'watchdog'))
    expect(await stateOf(device)).toMatchObject({
      status: 'online',
      watchdog_status: 'disconnected',
      watchdog_node: null,
    })
  })

  it('that disconnects with its agent shows an offline machine, not a silent agent', async () => {
    const { device, node, agentBoot, watchdogBoot } = await guarded()
    await letGo(device, 'agent')
    await letGo(device, 'watchdog')
    await store(bed, node.disconnected(device, agentBoot).disconnected(device, watchdogBoot, Date.now(), 'watchdog'))
    expect(await stateOf(device)).toMatchObject({
      status: 'offline',
      watchdog_status: 'disconnected',
      main_agent_silent_since: null,
    })
  })

  it('that connects while its agent is offline reports it silent since then', async () => {
    const device = await oneDevice(bed)
    const node = new TestNode()
    await hold(bed, device, node)
    const agentBoot = boot()
    await store(bed, node.connected(device, agentBoot))
    await letGo(device, 'agent')
    const gone = Date.now() - 9_000
    await store(bed, node.disconnected(device, agentBoot, gone))
    expect((await stateOf(device)).main_agent_silent_since).toBeNull()
    await holdWatchdog(device, node)
    await store(bed, node.connected(device, boot(), Date.now(), { role: 'watchdog' }))
    expect((await stateOf(device)).main_agent_silent_since).toBe(new Date(gone).toISOString())
  })

  it('reports a silent agent, the backup in its place, and the recovery', async () => {
    const { device, node, watchdogBoot } = await guarded()
    const live = await listen(bed, device)
    const at = Date.now()
    await store(bed, report(node, device, watchdogBoot, 1, { agent: 'silent', silentMs: 30_000 }, at))
    expect(await stateOf(device)).toMatchObject({
      status: 'online',
      watchdog_status: 'connected',
      main_agent_silent_since: new Date(at - 30_000).toISOString(),
    })
    await store(bed, report(node, device, watchdogBoot, 2, { agent: 'failover', silentMs: 45_000 }, at + 15_000))
    expect(await stateOf(device)).toMatchObject({
      watchdog_status: 'failover',
      main_agent_silent_since: new Date(at - 30_000).toISOString(),
    })
    // A watchdog that only reconnects has not ended the failover.
    await store(bed, node.connected(device, watchdogBoot, Date.now(), { role: 'watchdog' }))
    expect(await stateOf(device)).toMatchObject({ watchdog_status: 'failover' })
    await store(bed, report(node, device, watchdogBoot, 3, { agent: 'running', version: '1.0.0' }))
    expect(await stateOf(device)).toMatchObject({ watchdog_status: 'connected', main_agent_silent_since: null })
    await until(
      'the events',
      async () => live.events.filter(({ changed }) => changed === 'watchdog').length,
      (count) => count >= 3,
    )
    live.stop()
  })

  it('on a dead node is disconnected, and its agent does not count as silent', async () => {
    const { device, node } = await guarded()
    await bed.redis.zadd(nodesKey, Date.now(), node.id)
    await bed.redis.del(nodeLease(node.id))
    await parts.presence.sweepNodes()
    await parts.presence.sweepNodes(Date.now() + leaselessMs)
    expect(await stateOf(device)).toMatchObject({
      status: 'offline',
      watchdog_status: 'disconnected',
      watchdog_node: null,
      main_agent_silent_since: null,
    })
  })
})

describe('the key of a watchdog', () => {
  const publicKey = () => String(generateKeyPairSync('ed25519').publicKey.export({ format: 'jwk' }).x)

  it('gets a watchdog certificate, which is sent to the agent', async () => {
    const { device, node, agentBoot } = await guarded()
    const x = publicKey()
    await store(bed, node.message(device, agentBoot, { name: 'watchdogKey', sequence: 1, body: { publicKey: x } }))
    const [order] = await until(
      'the certificate',
      async () => {
        await certificates.answer()
        return ordersFor(bed, node)
      },
      (orders) => orders.length > 0,
    )
    const message = order?.kind === 'frame' ? opened(order.bytes) : undefined
    if (message?.name !== 'certificate') throw new Error('not a certificate')
    expect([order?.deviceId, message.body.role]).toEqual([device.id, 'watchdog'])
    expect(decodeJwt(message.body.certificate)).toMatchObject({
      sub: device.id,
      role: 'watchdog',
      cnf: { jwk: { x } },
      gen: 1,
    })
    const soon = { certificateExpiresAt: Date.now() + 86_400_000, role: 'watchdog' }
    await store(bed, node.connected(device, boot(), Date.now(), soon))
    const renewal = await until(
      'the renewal',
      () => ordersFor(bed, node),
      (orders) => orders.length > 1,
    )
    expect(renewal[1]?.deviceId).toBe(presenceField(device.id, 'watchdog'))
  })

  it('gets no certificate when the device is revoked meanwhile', async () => {
    const { device, node, agentBoot } = await guarded()
    await store(
      bed,
      node.message(device, agentBoot, { name: 'watchdogKey', sequence: 1, body: { publicKey: publicKey() } }),
    )
    await bed.owner.query('UPDATE devices SET key_generation = 2 WHERE id = $1', [device.id])
    const other = await guarded()
    await store(
      bed,
      other.node.message(other.device, other.agentBoot, {
        name: 'watchdogKey',
        sequence: 1,
        body: { publicKey: publicKey() },
      }),
    )
    await until(
      'the other’s certificate',
      async () => {
        await certificates.answer()
        return ordersFor(bed, other.node)
      },
      (orders) => orders.length > 0,
    )
    expect(await ordersFor(bed, node)).toEqual([])
  })
})
