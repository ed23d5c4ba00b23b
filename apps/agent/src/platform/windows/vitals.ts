import { statfs } from 'node:fs/promises'
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

/** These calls read what the kernel has in memory, so they do not block; only the disk can. */
export const createVitals = () =>
  createVitalsOf({
    cpuTicks: async () => cpuTicks(),
    memory: async () => memory(),
    disk,
    // Windows has no load average.
    load: async () => undefined,
    uptime: async () => Math.floor(Number(getTickCount()) / 1000),
    network: async () => network(),
    processes: async () => processes(),
  })

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
function network(): { received: number; sent: number } | undefined {
  const table = Buffer.alloc(8)
  if (getInterfaceTable(table) !== 0) return undefined
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
