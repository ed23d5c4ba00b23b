import { access, readdir, readFile, statfs } from 'node:fs/promises'
import { type CpuTicks, createVitals as createVitalsOf, type Usage } from '../vitals.ts'

/** Reads /proc directly: a heartbeat costs a few small reads and no process. */
export const createVitals = () =>
  createVitalsOf({
    cpuTicks: readCpuTicks,
    memory: readMemory,
    disk: readDisk,
    load: readLoad,
    uptime: readUptime,
    network: readNetwork,
    processes: countProcesses,
  })

async function readCpuTicks(): Promise<CpuTicks | undefined> {
  return parseCpuTicks(await readFile('/proc/stat', 'utf8'))
}

/** Ticks since boot from the first line of /proc/stat. User time already includes guest time. */
export function parseCpuTicks(text: string): CpuTicks | undefined {
  const end = text.indexOf('\n')
  const fields = text.slice(0, end < 0 ? undefined : end).split(/\s+/)
  if (fields[0] !== 'cpu') return undefined
  const ticks = fields.slice(1, 9).map(Number)
  const total = ticks.reduce((sum, value) => sum + value, 0)
  const idle = (ticks[3] ?? 0) + (ticks[4] ?? 0)
  return Number.isFinite(total) ? { busy: total - idle, total } : undefined
}

async function readMemory() {
  return parseMemory(await readFile('/proc/meminfo', 'utf8'))
}

/** Used memory is the total minus what programs can still get. */
export function parseMemory(text: string): Usage | undefined {
  const total = Number(/^MemTotal:\s+(\d+)/m.exec(text)?.[1]) * 1024
  const available = Number(/^MemAvailable:\s+(\d+)/m.exec(text)?.[1]) * 1024
  return total > 0 && available >= 0 ? { used: Math.max(0, total - available), total } : undefined
}

/** The system disk only: a sum over all disks would hide that this one is full. */
async function readDisk(): Promise<Usage> {
  const { blocks, bfree, bsize } = await statfs('/')
  return { used: (blocks - bfree) * bsize, total: blocks * bsize }
}

async function readLoad(): Promise<number | undefined> {
  return finite(Number.parseFloat(await readFile('/proc/loadavg', 'utf8')))
}

async function readUptime(): Promise<number | undefined> {
  return finite(Math.floor(Number.parseFloat(await readFile('/proc/uptime', 'utf8'))))
}

function finite(value: number): number | undefined {
  return Number.isFinite(value) ? value : undefined
}

async function readNetwork(): Promise<{ received: number; sent: number }> {
  const interfaces = parseInterfaces(await readFile('/proc/net/dev', 'utf8'))
  const physical = new Set<string>()
  for (const { name } of interfaces) if (await isPhysical(name)) physical.add(name)
  // Bridges and tunnels would count the same bytes twice; without hardware interfaces, everything but loopback counts.
  const counted = interfaces.filter(({ name }) => (physical.size > 0 ? physical.has(name) : name !== 'lo'))
  return {
    received: counted.reduce((sum, entry) => sum + entry.received, 0),
    sent: counted.reduce((sum, entry) => sum + entry.sent, 0),
  }
}

async function isPhysical(name: string): Promise<boolean> {
  return access(`/sys/class/net/${name}/device`).then(
    () => true,
    () => false,
  )
}

/** Bytes received and sent per interface from /proc/net/dev. */
export function parseInterfaces(text: string): { name: string; received: number; sent: number }[] {
  return text.split('\n').flatMap((line) => {
    const match = /^\s*([^:\s]+):\s*(.*)$/.exec(line)
    const fields = match?.[2]?.trim().split(/\s+/).map(Number)
    if (match?.[1] === undefined || fields === undefined || fields.length < 9) return []
    return [{ name: match[1], received: fields[0] ?? 0, sent: fields[8] ?? 0 }]
  })
}

async function countProcesses(): Promise<number> {
  let count = 0
  for (const name of await readdir('/proc')) if (name >= '0' && name <= '9999999999') count++
  return count
}
