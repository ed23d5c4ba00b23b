import type { Heartbeat } from '@muster/wire/messages/heartbeat.ts'
import { pause } from '../pause.ts'
import type { Vitals } from './platform.ts'

/** With fewer ticks of all processors together a percentage would be noise. */
const ticksMin = 10
/** A broken disk or a hung program can block a reading without end. */
const readMs = 2000

export interface Usage {
  used: number
  total: number
}

/** Time of all processors together since the start of the machine, in hundredths of a second. */
export interface CpuTicks {
  busy: number
  total: number
}

/** How a system reads each figure; undefined where it has none. */
export interface VitalReaders {
  cpuTicks(): Promise<CpuTicks | undefined>
  memory(): Promise<Usage | undefined>
  /** The system disk only: a sum over all disks would hide that this one is full. */
  disk(): Promise<Usage | undefined>
  load(): Promise<number | undefined>
  uptime(): Promise<number | undefined>
  network(): Promise<{ received: number; sent: number } | undefined>
  processes(): Promise<number | undefined>
}

/** The figures of a heartbeat; one that cannot be read is null. */
export function createVitals(readers: VitalReaders): Vitals {
  const percent = cpuPercent(readers.cpuTicks)
  const [memory, disk, network, processes] = [
    bounded(readers.memory),
    bounded(readers.disk),
    bounded(readers.network),
    bounded(readers.processes),
  ]

  return {
    async read(): Promise<Heartbeat> {
      const [cpu, memoryUse, diskUse, load, uptime, traffic, count] = await Promise.all([
        percent(),
        memory(),
        disk(),
        readOr(readers.load),
        readOr(readers.uptime),
        network(),
        processes(),
      ])
      return [
        cpu,
        memoryUse?.used ?? null,
        memoryUse?.total ?? null,
        diskUse?.used ?? null,
        diskUse?.total ?? null,
        load ?? null,
        uptime ?? null,
        traffic?.received ?? null,
        traffic?.sent ?? null,
        count ?? null,
      ]
    },
  }
}

/** The usage of the processors since the previous call, in percent with one decimal; null where unknown. */
function cpuPercent(read: () => Promise<CpuTicks | undefined>): () => Promise<number | null> {
  let last: Promise<CpuTicks | undefined> = readOr(read)
  let percent: number | null = null
  return async () => {
    const before = await last
    const now = await readOr(read)
    if (before === undefined || now === undefined) return null
    const total = now.total - before.total
    if (total < ticksMin) return percent
    last = Promise.resolve(now)
    percent = Math.min(100, Math.max(0, Math.round(((now.busy - before.busy) / total) * 1000) / 10))
    return percent
  }
}

/** A heartbeat is sent without a figure that takes too long, and no second reading of it starts meanwhile. */
function bounded<T>(read: () => Promise<T | undefined>): () => Promise<T | undefined> {
  let isPending = false
  return async () => {
    if (isPending) return undefined
    isPending = true
    const reading = readOr(read).finally(() => {
      isPending = false
    })
    return within(readMs, reading)
  }
}

/** A figure, or undefined when it cannot be read. */
async function readOr<T>(read: () => Promise<T | undefined>): Promise<T | undefined> {
  try {
    return await read()
  } catch {
    return undefined
  }
}

/** The result of some work, or undefined when it takes longer. */
async function within<T>(ms: number, work: Promise<T>): Promise<T | undefined> {
  const done = new AbortController()
  const late = pause(ms, done.signal).then(
    () => undefined,
    () => undefined,
  )
  const first = await Promise.race([work, late])
  done.abort()
  return first
}
