import { statfs } from 'node:fs/promises'
import { cpus, loadavg, totalmem, uptime } from 'node:os'
import { type CpuTicks, createVitals, type Usage } from '../vitals.ts'
import { type Mac, printed } from './mac.ts'

/** The kernel answers most figures without a program; three need a short one each. */
export const vitalsOf = (mac: Mac) =>
  createVitals({
    cpuTicks: async () => ticksOf(cpus()),
    memory: async () => parseMemory(await printed(mac, 'vm_stat', []), totalmem()),
    disk: readDisk,
    load: async () => loadavg()[0],
    uptime: async () => Math.floor(uptime()),
    network: async () => parseTraffic(await printed(mac, 'netstat', ['-ibn'])),
    processes: async () => countLines(await printed(mac, 'ps', ['-ax', '-o', 'pid='])),
  })

interface Processor {
  times: { user: number; nice: number; sys: number; idle: number; irq: number }
}

/** Milliseconds of all processors together, as hundredths of a second. */
export function ticksOf(processors: readonly Processor[]): CpuTicks | undefined {
  if (processors.length === 0) return undefined
  const sum = (of: (times: Processor['times']) => number) =>
    processors.reduce((total, { times }) => total + of(times), 0) / 10
  const busy = sum(({ user, nice, sys, irq }) => user + nice + sys + irq)
  return { busy, total: busy + sum(({ idle }) => idle) }
}

/** Used memory as Activity Monitor counts it: programs, the kernel, and what is compressed. Caches are free. */
export function parseMemory(text: string, total: number): Usage | undefined {
  const pageBytes = Number(/page size of (\d+) bytes/.exec(text)?.[1])
  const pages = (name: string) => Number(new RegExp(`^"?${name}"?:\\s+(\\d+)\\.?$`, 'm').exec(text)?.[1])
  const programs = pages('Anonymous pages') - pages('Pages purgeable')
  const used = (programs + pages('Pages wired down') + pages('Pages occupied by compressor')) * pageBytes
  return Number.isFinite(used) && total > 0 ? { used: Math.min(total, Math.max(0, used)), total } : undefined
}

/** All volumes of an APFS container share its free space, so this counts what any of them uses. */
async function readDisk(): Promise<Usage> {
  const { blocks, bfree, bsize } = await statfs('/')
  return { used: (blocks - bfree) * bsize, total: blocks * bsize }
}

/** Names of hardware ports. Bridges, tunnels and the wireless helpers awdl and llw would count the same bytes twice. */
const hardwarePort = /^(en|pdp_ip)\d+$/

/** Bytes of all hardware ports from `netstat -ibn`, without hardware ports those of everything but loopback. */
export function parseTraffic(text: string): { received: number; sent: number } | undefined {
  const rows = text.split('\n').flatMap((line) => {
    const words = line.trim().split(/\s+/)
    // One row per port has its totals; the others repeat them per address. The address may be missing, so count from the end.
    if (!/^<Link#\d+>$/.test(words[2] ?? '') || words.length < 10) return []
    const [received, sent] = [Number(words.at(-5)), Number(words.at(-2))]
    const name = (words[0] ?? '').replace(/\*$/, '')
    return Number.isFinite(received) && Number.isFinite(sent) ? [{ name, received, sent }] : []
  })
  if (rows.length === 0) return undefined
  const ports = rows.filter(({ name }) => hardwarePort.test(name))
  const counted = ports.length > 0 ? ports : rows.filter(({ name }) => !name.startsWith('lo'))
  return {
    received: counted.reduce((sum, row) => sum + row.received, 0),
    sent: counted.reduce((sum, row) => sum + row.sent, 0),
  }
}

function countLines(text: string): number | undefined {
  const count = text.split('\n').filter((line) => line.trim() !== '').length
  return count > 0 ? count : undefined
}
