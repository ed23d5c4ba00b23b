import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import fc from 'fast-check'
import { afterAll, describe, expect, it } from 'vitest'
import { StoredCheck } from './check.ts'
import { Ledger, readLedger } from './generator/ledger.ts'

const folder = mkdtempSync(join(tmpdir(), 'muster-check-'))
afterAll(() => rmSync(folder, { recursive: true }))

const agents = 5
const sequencesMax = 8
const bootId = 77
const outcomes = fc.array(
  fc.record({
    agent: fc.nat({ max: agents - 1 }),
    isAcknowledged: fc.boolean(),
    copies: fc.constantFrom(0, 1, 1, 1, 2),
  }),
  { maxLength: 30 },
)

/** A ledger after these frames, saved and loaded, and the rows that were stored from it. */
function played(list: { agent: number; isAcknowledged: boolean; copies: number }[]) {
  const ledger = new Ledger(100, agents, sequencesMax, bootId)
  const rows: [number, number][] = []
  const sent: { isAcknowledged: boolean; copies: number }[] = []
  for (const { agent, isAcknowledged, copies } of list) {
    const sequence = ledger.send(agent, 5)
    if (sequence === 0) continue
    sent.push({ isAcknowledged, copies })
    if (isAcknowledged) ledger.acknowledge(agent, sequence)
    for (let copy = 0; copy < copies; copy++) rows.push([100 + agent, sequence])
  }
  const path = join(folder, 'ledger')
  ledger.save(path)
  const check = new StoredCheck([readLedger(path)])
  return { check, rows, sent, ledger }
}

describe('sent = acknowledged = stored', () => {
  it('counts every frame by its outcome', () => {
    fc.assert(
      fc.property(outcomes, (list) => {
        const { check, rows, sent } = played(list)
        for (const [agent, sequence] of rows) check.stored(agent, bootId, sequence)
        const count = (is: (frame: (typeof sent)[number]) => boolean) => sent.filter(is).length
        const verdict = check.verdict()
        expect(verdict).toMatchObject({
          sent: sent.length,
          acknowledged: count((frame) => frame.isAcknowledged),
          stored: count((frame) => frame.copies > 0),
          lost: count((frame) => frame.isAcknowledged && frame.copies === 0),
          duplicates: count((frame) => frame.copies === 2),
          unanswered: count((frame) => !frame.isAcknowledged && frame.copies === 0),
          strangers: 0,
        })
        expect(verdict.isEqual).toBe(sent.every((frame) => frame.isAcknowledged && frame.copies === 1))
      }),
    )
  })

  it('counts rows of another device, boot or sequence as foreign', () => {
    const { check } = played([{ agent: 0, isAcknowledged: true, copies: 1 }])
    check.stored(100, bootId, 1)
    check.stored(99, bootId, 1)
    check.stored(100, bootId + 1, 1)
    check.stored(100, bootId, 2)
    check.stored(100, bootId, sequencesMax + 1)
    expect(check.verdict()).toMatchObject({ stored: 1, strangers: 4, isEqual: false })
  })
})

describe('ledger', () => {
  it('forgets only acknowledged frames when an account is closed', () => {
    const ledger = new Ledger(0, 1, 4, bootId)
    ledger.send(0, 1)
    ledger.acknowledge(0, ledger.send(0, 2))
    ledger.closeBooks()
    expect(ledger.unacknowledged(0)).toEqual([1])
    expect(ledger.acknowledge(0, 2)).toBe(-1)
    expect(ledger.send(0, 3)).toBe(3)
  })

  it('numbers the frames of each agent from 1, up to its capacity', () => {
    const ledger = new Ledger(0, 2, 3, bootId)
    expect([ledger.send(0, 1), ledger.send(1, 1), ledger.send(0, 2), ledger.send(0, 3)]).toEqual([1, 1, 2, 3])
    expect(ledger.send(0, 4)).toBe(0)
    expect(ledger.sent).toBe(4)
  })

  it('returns the due time of an acknowledged frame once', () => {
    const ledger = new Ledger(0, 2, 3, bootId)
    ledger.send(1, 40)
    ledger.send(1, 50)
    expect(ledger.acknowledge(1, 2)).toBe(50)
    expect(ledger.unacknowledged(1)).toEqual([1])
    expect(ledger.acknowledge(1, 2)).toBe(-1)
    expect(ledger.acknowledge(0, 1)).toBe(-1)
    expect(ledger.acknowledge(1, 9)).toBe(-1)
    expect(ledger.surplusAcks).toBe(3)
  })
})
