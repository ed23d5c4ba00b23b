import { assignChecks } from '@muster/areas/control/assignments/index.ts'
import { sendDueAssignments } from '@muster/areas/control/assignments/send-assignments.ts'
import { asSystem } from '@muster/db/database.ts'
import { opened } from '@muster/testkit/down-messages.ts'
import type { AssignedCheck } from '@muster/wire/messages/assignment.ts'
import { describe, expect, it } from 'vitest'
import { type TestDevice, TestNode, until, withConsumer } from '../testing/bed.ts'
import { boot, hold, oneDevice, ordersFor, store } from '../testing/fleet.ts'

const { bed, parts } = await withConsumer()

const disk: AssignedCheck = {
  id: 'rule-1',
  everySeconds: 60,
  timeoutSeconds: 5,
  check: { type: 'disk', mount: '/', freePercent: 10 },
}
const assign = (device: TestDevice, items: readonly AssignedCheck[]) =>
  asSystem(bed.pool, (db) => assignChecks(db, 'rules', [{ deviceId: device.id, items }]))
const sendDue = () => sendDueAssignments(parts.worker)
const rowOf = async (device: TestDevice) =>
  (await bed.pool.query('SELECT * FROM device_assignments WHERE device_id = $1', [device.id])).rows[0]

/** The assignments that a node was told to send, in the order of the orders. */
async function assignmentsFor(node: TestNode) {
  const orders = await ordersFor(bed, node)
  return orders.flatMap((order) => {
    const message = order.kind === 'frame' ? opened(order.bytes) : undefined
    return message?.name === 'assignment' ? [message.body] : []
  })
}
const untilAssigned = (node: TestNode, count: number) =>
  until(
    'the assignments',
    () => assignmentsFor(node),
    (list) => list.length >= count,
  )

async function onlineDevice() {
  const [device, node] = [await oneDevice(bed), new TestNode()]
  await hold(bed, device, node)
  await bed.owner.query(`UPDATE device_state SET status = 'online' WHERE device_id = $1`, [device.id])
  return { device, node }
}

describe('assigned checks', () => {
  it('are sent to a connected device, signed, and only when they changed', async () => {
    const { device, node } = await onlineDevice()
    expect(await assign(device, [disk])).toEqual([device.id])
    expect(await assign(device, [disk])).toEqual([])
    expect(await sendDue()).toBe(1)
    const [sent] = await untilAssigned(node, 1)
    expect(sent).toMatchObject({ kind: 'rules', items: [disk] })
    expect(await sendDue()).toBe(0)
  })

  it('are not sent again after the agent confirmed them, and again without', async () => {
    const { device, node } = await onlineDevice()
    await assign(device, [disk])
    await sendDue()
    const [sent] = await untilAssigned(node, 1)
    await bed.owner.query(`UPDATE device_assignments SET due_at = now() WHERE device_id = $1`, [device.id])
    expect(await sendDue()).toBe(1)
    const body = { kind: 'rules' as const, revision: sent?.revision ?? 0, items: [] }
    await store(bed, node.message(device, boot(), { name: 'observations', sequence: 1, body }))
    expect(await rowOf(device)).toMatchObject({ due_at: null, applied_revision: sent?.revision })
  })

  it('wait for a device that is offline, and are sent when it connects without them', async () => {
    const [device, node] = [await oneDevice(bed), new TestNode()]
    await assign(device, [disk])
    await sendDue()
    expect((await rowOf(device)).due_at).toBeNull()
    await hold(bed, device, node)
    await store(bed, node.connected(device, boot(), Date.now(), { assignmentRevision: 0 }))
    const [sent] = await untilAssigned(node, 1)
    expect(sent).toMatchObject({ kind: 'rules', items: [disk] })
  })

  it('are not sent to a device that connects with them, or to an agent that takes none', async () => {
    const [device, node] = [await oneDevice(bed), new TestNode()]
    const [other, otherNode] = [await oneDevice(bed), new TestNode()]
    await assign(device, [disk])
    await assign(other, [disk])
    await sendDue()
    const { revision } = await rowOf(device)
    await hold(bed, device, node)
    await hold(bed, other, otherNode)
    const last = await onlineDevice()
    await assign(last.device, [disk])
    await store(bed, node.connected(device, boot(), Date.now(), { assignmentRevision: revision }))
    await store(bed, otherNode.connected(other, boot()))
    await store(bed, last.node.connected(last.device, boot(), Date.now(), { assignmentRevision: 0 }))
    await untilAssigned(last.node, 1)
    expect(await assignmentsFor(node)).toEqual([])
    expect(await assignmentsFor(otherNode)).toEqual([])
  })

  it('of a device without any make no row, and an empty list is sent where there was one', async () => {
    const { device, node } = await onlineDevice()
    expect(await assign(device, [])).toEqual([])
    expect(await rowOf(device)).toBeUndefined()
    await assign(device, [disk])
    await assign(device, [])
    await sendDue()
    const [sent] = await untilAssigned(node, 1)
    expect(sent).toMatchObject({ kind: 'rules', items: [] })
  })
})
