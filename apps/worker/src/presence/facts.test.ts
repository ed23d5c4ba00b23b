import { sendDueAssignments } from '@muster/areas/control/assignments/send-assignments.ts'
import { assignFacts, factKey, factsOf } from '@muster/areas/control/facts/index.ts'
import { asSystem } from '@muster/db/database.ts'
import { opened } from '@muster/testkit/down-messages.ts'
import { capabilityNames, encodeCapabilities } from '@muster/wire/capabilities.ts'
import type { Fact } from '@muster/wire/facts/facts.ts'
import { describe, expect, it } from 'vitest'
import { type TestDevice, TestNode, until, withConsumer } from '../testing/bed.ts'
import { boot, hold, oneDevice, ordersFor, store } from '../testing/fleet.ts'

const { bed, parts } = await withConsumer()

const hosts: Fact = { type: 'file', path: '/etc/hosts', sha256: true }
const able = encodeCapabilities({})
/** Of an agent from before facts. */
const older = able.slice(0, capabilityNames.indexOf('watch_facts'))

const assign = (device: TestDevice, ...facts: Fact[]) =>
  asSystem(bed.pool, (db) => assignFacts(db, [{ deviceId: device.id, facts }]))
const rowOf = async (device: TestDevice) =>
  (await bed.pool.query('SELECT * FROM device_assignments WHERE device_id = $1', [device.id])).rows[0]
async function assignmentsFor(node: TestNode) {
  const orders = await ordersFor(bed, node)
  return orders.flatMap((order) => {
    const message = order.kind === 'frame' ? opened(order.bytes) : undefined
    return message?.name === 'assignment' ? [message.body] : []
  })
}
const untilAssigned = (node: TestNode) =>
  until(
    'the assignments',
    () => assignmentsFor(node),
    (list) => list.length > 0,
  )

async function onlineDevice(capabilities: string) {
  const [device, node] = [await oneDevice(bed), new TestNode()]
  await hold(bed, device, node)
  await bed.owner.query(`UPDATE device_state SET status = 'online' WHERE device_id = $1`, [device.id])
  await bed.owner.query(`UPDATE devices SET capabilities = $2 WHERE id = $1`, [device.id, capabilities])
  return { device, node }
}

describe('assigned facts', () => {
  it('are sent to a connected device that watches facts', async () => {
    const { device, node } = await onlineDevice(able)
    await assign(device, hosts)
    await sendDueAssignments(parts.worker)
    expect(await untilAssigned(node)).toMatchObject([{ kind: 'facts', items: [{ id: factKey(hosts), fact: hosts }] }])
  })

  it('are not sent to an older agent, and are once it was updated', async () => {
    const { device, node } = await onlineDevice(older)
    await assign(device, hosts)
    await sendDueAssignments(parts.worker)
    expect((await rowOf(device)).due_at).toBeNull()
    const hello = (capabilities: string) =>
      store(bed, node.connected(device, boot(), Date.now(), { assignmentRevision: 0, capabilities }))
    await hello(older)
    expect(await assignmentsFor(node)).toEqual([])
    await hello(able)
    expect(await untilAssigned(node)).toMatchObject([{ kind: 'facts' }])
  })

  it('are withdrawn from a new process, which may have them on its disk', async () => {
    const { device, node } = await onlineDevice(able)
    await assign(device, hosts)
    await assign(device)
    await bed.owner.query(`UPDATE device_assignments SET due_at = NULL WHERE device_id = $1`, [device.id])
    await store(bed, node.connected(device, boot(), Date.now(), { assignmentRevision: 0, capabilities: able }))
    expect(await untilAssigned(node)).toMatchObject([{ kind: 'facts', items: [] }])
  })

  it('are stored with what the device found, and confirmed', async () => {
    const { device, node } = await onlineDevice(able)
    await assign(device, hosts)
    const { revision } = await rowOf(device)
    const found = { type: 'file' as const, kind: 'file' as const, mode: '0644', sha256: 'a'.repeat(64) }
    const item = { id: factKey(hosts), at: Date.now() + 3_600_000, found }
    const foreign = { id: '0'.repeat(32), at: Date.now(), found }
    const body = { kind: 'facts' as const, revision, items: [item, foreign] }
    const receivedAtMs = Date.now()
    await store(bed, node.message(device, boot(), { name: 'observations', sequence: 1, body }))
    const [fact, ...others] = await asSystem(bed.pool, (db) => factsOf(db, [device.id]))
    expect([fact, others]).toMatchObject([{ key: factKey(hosts), value: found, error: null }, []])
    // The clock of an agent that is far ahead does not count.
    expect(Date.parse(fact?.observedAt ?? '')).toBeLessThan(receivedAtMs + 60_000)
    expect(await rowOf(device)).toMatchObject({ applied_revision: revision })
  })
})
