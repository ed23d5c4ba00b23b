import { afterEach, beforeEach, expect, test, vi } from 'vitest'
import { heapCheckMs, heapGrowthBytes } from './limits.ts'
import { spareMemory } from './spare-memory.ts'

beforeEach(() => void vi.useFakeTimers())
afterEach(() => void vi.useRealTimers())

test('collects garbage once the heap has grown, and not while it stays', () => {
  let heap = 8 * heapGrowthBytes
  const collected: number[] = []
  const collect = () => {
    collected.push(heap)
    heap -= heapGrowthBytes / 2
  }
  expect(spareMemory(collect, () => heap)?.hasRef()).toBe(false)
  vi.advanceTimersByTime(heapCheckMs)
  expect(collected).toEqual([8 * heapGrowthBytes])
  vi.advanceTimersByTime(10 * heapCheckMs)
  expect(collected).toHaveLength(1)
  heap += heapGrowthBytes
  vi.advanceTimersByTime(heapCheckMs)
  expect(collected).toHaveLength(2)
})

test('does nothing where the runtime offers no collection', () => {
  // Tests run without --expose-gc.
  expect(spareMemory()).toBeUndefined()
})
