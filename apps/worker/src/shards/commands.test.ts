import { outputBytesMax } from '@muster/areas/control/commands/results/command-progress.ts'
import type { ResultStatus } from '@muster/wire/messages/result.ts'
import { describe, expect, it } from 'vitest'
import { TestNode, until, withConsumer } from '../testing/bed.ts'
import { addCommand, commandOf, listen, oneDevice, store } from '../testing/fleet.ts'

const { bed, parts } = await withConsumer()

const result = (commandId: string, status: ResultStatus, sequence = 9) => ({
  name: 'result' as const,
  sequence,
  body: {
    commandId,
    status,
    exitCode: status === 'completed' ? 0 : 3,
    stdout: 'out',
    error: 'why',
    durationMs: 40,
    result: { a: 1 },
  },
})
const progress = (commandId: string, sequence: number, output?: string, offset?: number) => ({
  name: 'progress' as const,
  sequence,
  body: { commandId, state: 'running' as const, output, offset, stream: 'stdout' as const },
})

describe('command reports', () => {
  it('lead a command through its states to its result, with a live event for each', async () => {
    const device = await oneDevice(bed)
    const live = await listen(bed, device)
    const id = await addCommand(bed, device)
    const at = Date.now() - 1_000
    await store(bed, new TestNode().sent(device, 1, id, at))
    expect(await commandOf(bed, id)).toMatchObject({ status: 'sent', sent_at: new Date(at).toISOString() })
    await store(bed, new TestNode().message(device, 1, progress(id, 1), at + 10))
    expect(await commandOf(bed, id)).toMatchObject({ status: 'running', started_at: new Date(at + 10).toISOString() })
    await store(bed, new TestNode().message(device, 1, result(id, 'completed'), at + 50))
    expect(await commandOf(bed, id)).toMatchObject({
      status: 'completed',
      exit_code: 0,
      stdout: 'out',
      result: { a: 1 },
      finished_at: new Date(at + 50).toISOString(),
    })
    await until(
      'the events',
      async () => live.events.length,
      (length) => length >= 3,
    )
    expect(live.events.map(({ type, commandId, status, siteId }) => [type, commandId, status, siteId])).toEqual(
      ['sent', 'running', 'completed'].map((status) => ['command.changed', id, status, device.siteId]),
    )
    live.stop()
  })

  const ends = ['completed', 'failed', 'timed_out', 'cancelled', 'expired'] as const
  it.each(ends)('keep %s as the end, whichever report follows', async (status) => {
    const device = await oneDevice(bed)
    const id = await addCommand(bed, device)
    await store(bed, new TestNode().message(device, 1, result(id, status)))
    const before = await commandOf(bed, id)
    expect(before).toMatchObject({ status })
    const other = status === 'failed' ? 'completed' : 'failed'
    await store(
      bed,
      new TestNode()
        .sent(device, 1, id)
        .message(device, 1, progress(id, 10, 'late'))
        .message(device, 1, result(id, other, 11))
        .refused(device, id),
    )
    expect(await commandOf(bed, id)).toEqual(before)
  })

  it('append each piece of output once, up to the limit, in whole characters', async () => {
    const device = await oneDevice(bed)
    const id = await addCommand(bed, device)
    await store(
      bed,
      new TestNode().message(device, 1, progress(id, 1, 'grün', 0)).message(device, 1, progress(id, 2, 'zeug', 5)),
    )
    expect(await commandOf(bed, id)).toMatchObject({ stdout: 'grünzeug', status: 'running' })
    // The same piece again, and one that overlaps what is there.
    await store(
      bed,
      new TestNode().message(device, 1, progress(id, 2, 'zeug', 5)).message(device, 1, progress(id, 3, 'eug!', 6)),
    )
    expect(await commandOf(bed, id)).toMatchObject({ stdout: 'grünzeug!' })
    const node = new TestNode()
    const piece = 'ä'.repeat(32_000)
    for (let sequence = 4; sequence < 10; sequence++) node.message(device, 1, progress(id, sequence, piece))
    await store(bed, node)
    const { stdout } = await commandOf(bed, id)
    expect(Buffer.byteLength(stdout)).toBeLessThanOrEqual(outputBytesMax)
    expect(Buffer.byteLength(stdout)).toBeGreaterThan(outputBytesMax - 2)
    expect(stdout.endsWith('ä')).toBe(true)
  })

  it('are dropped when the command belongs to another device', async () => {
    const [device, stranger] = [await oneDevice(bed), await oneDevice(bed)]
    const id = await addCommand(bed, device)
    await store(bed, new TestNode().message(stranger, 1, result(id, 'completed')))
    expect(await commandOf(bed, id)).toMatchObject({ status: 'pending', stdout: null })
  })

  it('return a command to pending that the gateway could not deliver', async () => {
    const device = await oneDevice(bed)
    const id = await addCommand(bed, device, { status: `'sent'` })
    await store(bed, new TestNode().refused(device, id))
    expect(await commandOf(bed, id)).toMatchObject({ status: 'pending' })
  })
})

describe('a refused order', () => {
  const refusal = (sequence: number) => ({
    name: 'refusal' as const,
    sequence,
    body: { code: 'ORDER_UNSIGNED' as const, type: 4, detail: 'it was not signed' },
  })

  it('is audited for its tenant at a limited rate, and counted', async () => {
    const device = await oneDevice(bed)
    const node = new TestNode()
    for (let sequence = 1; sequence <= 5; sequence++) node.message(device, 1, refusal(sequence))
    await store(bed, node)
    const { rows } = await bed.owner.query(
      `SELECT action, result, actor_id, partner_id, org_id, resource_id, details FROM audit_logs WHERE action = 'device.order_refused'`,
    )
    expect(rows).toEqual([
      {
        action: 'device.order_refused',
        result: 'failure',
        actor_id: device.id,
        partner_id: device.partnerId,
        org_id: device.orgId,
        resource_id: device.id,
        details: { code: 'ORDER_UNSIGNED', type: 4, detail: 'it was not signed' },
      },
    ])
    expect((await parts.registry.getSingleMetric('muster_worker_order_refusals_total')?.get())?.values).toContainEqual(
      expect.objectContaining({ labels: { code: 'ORDER_UNSIGNED' }, value: 5 }),
    )
  })

  it('is the error of its command', async () => {
    const device = await oneDevice(bed)
    const id = await addCommand(bed, device)
    const body = { commandId: id, status: 'failed' as const, error: 'ORDER_EXPIRED: it has expired', durationMs: 0 }
    await store(bed, new TestNode().message(device, 1, { name: 'result', sequence: 1, body }))
    expect(await commandOf(bed, id)).toMatchObject({ status: 'failed', error: 'ORDER_EXPIRED: it has expired' })
  })

  it('fails a command at once when the agent cannot check signatures', async () => {
    const device = await oneDevice(bed)
    const id = await addCommand(bed, device)
    await store(bed, new TestNode().refused(device, id, Date.now(), 'AGENT_TOO_OLD'))
    expect(await commandOf(bed, id)).toMatchObject({
      status: 'failed',
      error: expect.stringMatching(/^AGENT_TOO_OLD: /),
    })
  })

  it('stores the protocol version of an agent, also when the agent version is unchanged', async () => {
    const device = await oneDevice(bed)
    const kept = async () =>
      (await bed.owner.query('SELECT agent_protocol FROM devices WHERE id = $1', [device.id])).rows[0]?.agent_protocol
    await store(bed, new TestNode().connected(device, 1))
    expect(await kept()).toBe(1)
    await store(bed, new TestNode().connected(device, 2, Date.now(), { protocol: 2 }))
    expect(await kept()).toBe(2)
  })
})
