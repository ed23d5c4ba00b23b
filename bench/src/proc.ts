import { readdirSync, readFileSync } from 'node:fs'

/* Process information from /proc on Linux. */

const ticksPerSecond = 100

const read = (path: string): string => {
  try {
    return readFileSync(path, 'utf8')
  } catch {
    return ''
  }
}

// The name in field 2 may contain spaces, so fields are counted after it.
function statOf(pid: number): string[] {
  const stat = read(`/proc/${pid}/stat`)
  return stat.slice(stat.lastIndexOf(')') + 2).split(' ')
}

/** CPU seconds of a process, with its threads and the children that it has waited for. */
export function cpuSecondsOf(pid: number): number {
  const fields = statOf(pid)
  const ticks = [11, 12, 13, 14].map((field) => Number(fields[field] ?? 0))
  return ticks.reduce((sum, each) => sum + each, 0) / ticksPerSecond
}

/** CPU seconds of the children of this process that have ended. */
export function waitedChildrenCpuSeconds(): number {
  const fields = statOf(process.pid)
  return (Number(fields[13] ?? 0) + Number(fields[14] ?? 0)) / ticksPerSecond
}

/** Resident memory in bytes. */
export function residentBytesOf(pid: number): number {
  const kib = /^VmRSS:\s+(\d+) kB/m.exec(read(`/proc/${pid}/status`))?.[1]
  return Number(kib ?? 0) * 1024
}

/** Memory in bytes; shared pages are divided among their processes. */
export function memoryBytesOf(pid: number): number {
  const kib = /^Pss:\s+(\d+) kB/m.exec(read(`/proc/${pid}/smaps_rollup`))?.[1]
  return kib === undefined ? residentBytesOf(pid) : Number(kib) * 1024
}

/** The process and all its descendants that still run. */
export function withDescendants(root: number): number[] {
  const children = new Map<number, number[]>()
  for (const name of readdirSync('/proc')) {
    if (!/^\d+$/.test(name)) continue
    const parent = Number(statOf(Number(name))[1])
    children.set(parent, [...(children.get(parent) ?? []), Number(name)])
  }
  const found: number[] = []
  for (const open = [root]; open.length > 0; ) {
    const pid = open.pop()
    if (pid === undefined) break
    found.push(pid)
    open.push(...(children.get(pid) ?? []))
  }
  return found
}

/** Total busy time of this machine's processors since boot, in seconds. */
export function machineBusySeconds(): number {
  const fields = (read('/proc/stat').split('\n')[0] ?? '').trim().split(/\s+/).slice(1).map(Number)
  const [user = 0, nice = 0, system = 0, , , hardInterrupts = 0, softInterrupts = 0] = fields
  return (user + nice + system + hardInterrupts + softInterrupts) / ticksPerSecond
}

/** The running processes with this text in their command line. */
export function processesWith(text: string): { pid: number; command: string }[] {
  return readdirSync('/proc')
    .filter((name) => /^\d+$/.test(name))
    .map((name) => ({ pid: Number(name), command: read(`/proc/${name}/cmdline`).replaceAll('\0', ' ') }))
    .filter(({ command }) => command.includes(text))
}
