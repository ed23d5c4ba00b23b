import { statfs } from 'node:fs/promises'
import { cpus } from 'node:os'
import { type CpuTicks, createVitals as createVitalsOf, type Usage } from '../vitals.ts'
import { systemDrive } from './environment.ts'
import {
  getSystemTimes,
  getTickCount,
  globalMemoryStatus,
  MemoryStatus,
  PerformanceInformation,
  performanceInfo,
  SystemTimes,
} from './native/kernel32.ts'
import { memoryAt } from './native/koffi.ts'
import { freeTable, getInterfaceTable, InterfaceRow } from './native/network-api.ts'

/** 100 ns in a hundredth of a second. */
const unitsPerTick = 100_000
const hardwareInterface = 1
const filterInterface = 2
const loopback = 24
/** The table starts with its number of rows, padded. */
const rowsAt = 8
const rowsMax = 4_096

/** The calls on this thread read what the kernel has in memory, so they do not block. */
export const createVitals = () =>
  createVitalsOf({
    cpuTicks: async () => cpuTicks(),
    memory: async () => memory(),
    disk,
    load: busyProcessors(cpuTicks),
    uptime: async () => Math.floor(Number(getTickCount()) / 1000),
    network,
    processes: async () => processes(),
  })

/** The mean number of busy processors since the previous reading: Windows has no load average. */
export function busyProcessors(
  ticks: () => CpuTicks | undefined,
  processors = cpus().length,
): () => Promise<number | undefined> {
  let last = ticks()
  let busy: number | undefined
  return async () => {
    const now = ticks()
    if (last === undefined || now === undefined) return undefined
    const total = now.total - last.total
    if (total <= 0) return busy
    busy = Math.round((100 * processors * (now.busy - last.busy)) / total) / 100
    last = now
    return busy
  }
}

function cpuTicks(): CpuTicks | undefined {
  const times = Buffer.alloc(SystemTimes.size)
  const part = (name: 'idle' | 'kernel' | 'user') => times.subarray(SystemTimes.offsetOf(name))
  if (getSystemTimes(part('idle'), part('kernel'), part('user')) === 0) return undefined
  const { idle, kernel, user } = SystemTimes.read(times)
  // The time of the kernel includes the idle time.
  return { busy: Number(kernel + user - idle) / unitsPerTick, total: Number(kernel + user) / unitsPerTick }
}

function memory(): Usage | undefined {
  const status = Buffer.alloc(MemoryStatus.size)
  status.writeUInt32LE(status.length)
  if (globalMemoryStatus(status) === 0) return undefined
  const { totalPhysical, availablePhysical } = MemoryStatus.read(status)
  return { used: totalPhysical - availablePhysical, total: totalPhysical }
}

async function disk(): Promise<Usage> {
  const { blocks, bfree, bsize } = await statfs(`${systemDrive()}\\`)
  return { used: (blocks - bfree) * bsize, total: blocks * bsize }
}

function processes(): number | undefined {
  const info = Buffer.alloc(PerformanceInformation.size)
  return performanceInfo(info, info.length) === 0 ? undefined : PerformanceInformation.read(info).processCount
}

/** Bytes of all hardware interfaces: filters and tunnels on top of them would count the same bytes twice. */
async function network(): Promise<{ received: number; sent: number } | undefined> {
  const table = Buffer.alloc(8)
  const code = await new Promise<number>((resolve, reject) => {
    getInterfaceTable.async(table, (error, result) => (error === null ? resolve(result) : reject(error)))
  })
  if (code !== 0) return undefined
  const address = table.readBigUInt64LE()
  try {
    const count = Math.min(memoryAt(address, 4).readUInt32LE(), rowsMax)
    const memory = memoryAt(address, rowsAt + count * InterfaceRow.size)
    const rows = Array.from({ length: count }, (_, index) =>
      InterfaceRow.read(memory, rowsAt + index * InterfaceRow.size),
    )
    const counted = rows.filter(({ type, flags }) => type !== loopback && (flags & filterInterface) === 0)
    const hardware = counted.filter(({ flags }) => (flags & hardwareInterface) !== 0)
    const summed = hardware.length > 0 ? hardware : counted
    return {
      received: summed.reduce((sum, { receivedBytes }) => sum + receivedBytes, 0),
      sent: summed.reduce((sum, { sentBytes }) => sum + sentBytes, 0),
    }
  } finally {
    freeTable(address)
  }
}
