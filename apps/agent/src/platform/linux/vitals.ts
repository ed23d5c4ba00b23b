import { access, readdir, readFile, statfs } from 'node:fs/promises'
import type { Heartbeat } from '@muster/wire/messages/heartbeat.ts'
import { pause } from '../../pause.ts'
import type { Vitals } from '../platform.ts'

/** With fewer ticks of all processors together a percentage would be noise. */
const ticksMin = 10

const diskReadMs = 2000

interface Usage {
  used: number
  total: number
}

interface CpuTicks {
  busy: number
  total: number
}

/** Reads /proc directly: a heartbeat costs a few small reads and no process. */
export function createVitals(): Vitals {
  let last: Promise<CpuTicks | undefined> = readOr(readCpuTicks)
  let percent: number | null = null
  let pendingDisk: Promise<Usage | undefined> | undefined

  const cpuPercent = async (): Promise<number | null> => {
    const before = await last
    const now = await readOr(readCpuTicks)
    if (before === undefined || now === undefined) return null
    const total = now.total - before.total
    if (total < ticksMin) return percent
    last = Promise.resolve(now)
    percent = Math.min(100, Math.max(0, Math.round(((now.busy - before.busy) / total) * 1000) / 10))
    return percent
  }

  // A broken disk can block the call without end: the heartbeat is sent without it, and no second call starts meanwhile.
  const disk = async (): Promise<Usage | undefined> => {
    if (pendingDisk !== undefined) return undefined
    const reading = readOr(readDisk).finally(() => {
      pendingDisk = undefined
    })
    pendingDisk = reading
    return within(diskReadMs, reading)
  }

  return {
    async read(): Promise<Heartbeat> {
      const [cpu, memory, system, load, uptime, network, processes] = await Promise.all([
        cpuPercent(),
        readOr(readMemory),
        disk(),
        readOr(readLoad),
        readOr(readUptime),
        readOr(readNetwork),
        readOr(countProcesses),
      ])
      return [
        cpu,
        memory?.used ?? null,
        memory?.total ?? null,
        system?.used ?? null,
        system?.total ?? null,
        load ?? null,
        uptime ?? null,
        network?.received ?? null,
        network?.sent ?? null,
        processes ?? null,
      ]
    },
  }
}

async function readOr<T>(read: () => Promise<T | undefined>): Promise<T | undefined> {
  try {
    return await read()
  } catch {
    return undefined
  }
}

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
