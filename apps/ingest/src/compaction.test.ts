import { describe, expect, test } from 'vitest'
import { Compaction, engineCollector } from './compaction.ts'

function watched() {
  let collections = 0
  const limits = { compactionHandshakesMin: 100, compactionQuietTicks: 3 }
  const compaction = new Compaction(() => {
    collections++
  }, limits)
  const ticks = (count: number, handshakes: number, live: number) => {
    for (let tick = 0; tick < count; tick++) compaction.consider(handshakes, live)
    return collections
  }
  return { ticks }
}

describe('compaction', () => {
  test('runs once after a wave of handshakes, when it has been quiet for a while', () => {
    const { ticks } = watched()
    expect(ticks(1, 0, 0)).toBe(0)
    expect(ticks(1, 500, 500)).toBe(0)
    expect(ticks(2, 1_000, 1_000)).toBe(0)
    expect(ticks(2, 1_000, 1_000)).toBe(1)
    expect(ticks(50, 1_000, 1_000)).toBe(1)
  })

  test('waits while more than one percent of the agents connect', () => {
    const { ticks } = watched()
    for (let wave = 1; wave <= 20; wave++) expect(ticks(1, wave * 100, 1_000)).toBe(0)
    expect(ticks(2, 2_010, 2_010)).toBe(0)
    expect(ticks(1, 2_010, 2_010)).toBe(1)
  })

  test('does not run for a handful of agents', () => {
    expect(watched().ticks(100, 99, 99)).toBe(0)
  })

  test('finds the garbage collector of this engine', () => {
    expect(engineCollector()).toBeTypeOf('function')
  })
})
