import { records } from '@muster/areas/work.ts'
import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { recordStores } from '../shards/record-stores.ts'
import { type TestDevice, TestNode } from '../testing/bed.ts'
import { decodeEntries } from './decode.ts'
import { fold, unfamiliarBoots } from './fold.ts'
import { DeviceTable, type Known } from './known-devices.ts'

const device = (number: number): TestDevice => ({
  id: '',
  bytes: new Uint8Array(16).fill(number),
  orgId: '',
  partnerId: '',
  siteId: '',
})
const known = (bootId: number, sequence: number, seenAtMs = 0): Known => ({
  partnerId: 'p',
  agentVersion: '1.0.0',
  agentProtocol: 1,
  capabilities: null,
  bootId,
  sequence,
  seenAtMs,
  memory: null,
})
const stores = recordStores(records)
const now = Date.now()

describe('fold', () => {
  it('stores every heartbeat with a higher number, the last one as the state', () => {
    const node = new TestNode()
      .heartbeat(device(1), 7, 4, now)
      .heartbeat(device(1), 7, 5, now)
      .heartbeat(device(1), 7, 9, now)
    const plan = fold(decodeEntries([node.flush()]), [known(7, 3)], stores)
    expect(plan).toMatchObject({ earlier: [0, 1], newest: [2], late: [] })
    expect(plan.after).toEqual([known(7, 9, now)])
  })

  it('lets the database decide about repeated and overtaken numbers', () => {
    const node = new TestNode()
      .heartbeat(device(1), 7, 3, now)
      .heartbeat(device(1), 7, 4, now)
      .heartbeat(device(1), 7, 4, now)
    expect(fold(decodeEntries([node.flush()]), [known(7, 3)], stores)).toMatchObject({
      late: [0, 2],
      newest: [1],
      earlier: [],
    })
  })

  it('accepts a new boot at any number and treats the old boot as late', () => {
    const node = new TestNode()
      .connected(device(1), 8, now)
      .heartbeat(device(1), 8, 1, now + 1)
      .heartbeat(device(1), 7, 10, now - 5)
    const plan = fold(decodeEntries([node.flush()]), [known(7, 9, now - 10)], stores)
    expect(plan).toMatchObject({ newest: [0], late: [1] })
    expect(plan.after[0]).toEqual(known(8, 1, now + 1))
  })

  it('detects a new boot by its heartbeats when the hello was lost', () => {
    const node = new TestNode().heartbeat(device(1), 8, 5, now)
    expect(fold(decodeEntries([node.flush()]), [known(7, 900, now - 1)], stores).newest).toEqual([0])
  })

  it('asks for the stored number of a boot that returns', () => {
    const decoded = decodeEntries([
      new TestNode().heartbeat(device(1), 8, 5, now).heartbeat(device(1), 8, 6, now).flush(),
    ])
    const before = [known(7, 900, now - 1)]
    expect(unfamiliarBoots(decoded, before)).toEqual([[0, 8]])
    expect(fold(decoded, before, stores, () => 5)).toMatchObject({ late: [0], newest: [1] })
  })

  it('counts and drops records of devices that do not exist', () => {
    const node = new TestNode()
      .heartbeat(device(1), 7, 1, now)
      .connected(device(1), 7, now)
      .heartbeat(device(2), 7, 1, now)
    const decoded = decodeEntries([node.flush()])
    const plan = fold(decoded, [undefined, known(0, 0)], stores)
    expect(plan).toMatchObject({ unknown: 2, newest: [1], connections: [] })
  })

  it('treats each number of a boot as new at most once, in any order and repetition', () => {
    const sequences = fc.array(fc.integer({ min: 1, max: 20 }), { minLength: 1, maxLength: 60 })
    fc.assert(
      fc.property(sequences, fc.array(fc.integer({ min: 1, max: 20 })), (first, second) => {
        let state: Known = known(7, 0)
        const taken: number[] = []
        const late: number[] = []
        for (const read of [first, second]) {
          const node = new TestNode()
          for (const sequence of read) node.heartbeat(device(1), 7, sequence, now)
          const decoded = decodeEntries([node.flush()])
          const plan = fold(decoded, read.length === 0 ? [] : [state], stores)
          for (const row of [...plan.newest, ...plan.earlier]) taken.push(decoded.heartbeats.sequence[row] ?? 0)
          for (const row of plan.late) late.push(decoded.heartbeats.sequence[row] ?? 0)
          state = plan.after[0] ?? state
        }
        expect(new Set(taken).size).toBe(taken.length)
        expect(new Set([...taken, ...late])).toEqual(new Set([...first, ...second]))
        expect(state.sequence).toBe(Math.max(...first, ...second))
      }),
    )
  })

  it('keeps the last connection event of each device', () => {
    const node = new TestNode()
      .connected(device(1), 7, now)
      .disconnected(device(1), 7, now + 1)
      .connected(device(2), 1, now)
    const decoded = decodeEntries([node.flush()])
    const plan = fold(decoded, [known(0, 0), known(0, 0)], stores)
    expect(plan.connections.map(({ agent, agentHello }) => [agent?.name, agentHello?.bootId])).toEqual([
      ['disconnected', 7],
      ['connected', 1],
    ])
    expect(new DeviceTable(decoded).size).toBe(2)
  })
})
