import { getHeapStatistics } from 'node:v8'
import { heapCheckMs, heapGrowthBytes } from './limits.ts'

/** Collects garbage at once and returns free memory to the system; undefined where the runtime was not started with it. */
type Collect = (() => void) | undefined

const { gc } = globalThis
const collectAll: Collect = gc && (() => void gc({ type: 'major', execution: 'sync', flavor: 'last-resort' }))

/**
 * Returns the memory of finished work to the system, now and then. An idle process allocates so little that the runtime
 * would collect what a start or a command has left behind only hours later.
 */
export function spareMemory(
  collect: Collect = collectAll,
  heapBytes = () => getHeapStatistics().total_heap_size,
): NodeJS.Timeout | undefined {
  if (collect === undefined) return undefined
  let kept = 0
  const timer = setInterval(() => {
    if (heapBytes() < kept + heapGrowthBytes) return
    collect()
    kept = heapBytes()
  }, heapCheckMs)
  return timer.unref()
}
