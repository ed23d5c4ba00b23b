import { readdirSync, readFileSync, statSync } from 'node:fs'
import { readdir, readFile, readlink } from 'node:fs/promises'
import { type Process, type ProcessDetail, processesMax } from '@muster/wire/commands/processes.ts'
import { pause } from '../../pause.ts'
import { failureOf, ToolFailure } from '../../tool-failure.ts'
import type { Names } from '../files/describe-entry.ts'
import type { ProcessTools } from '../tools.ts'
import { accountNames } from './accounts.ts'

/** Clock ticks per second in /proc, the same on all supported architectures. */
const ticksPerSecond = 100
const pageBytes = 4_096
const commandCharsMax = 1_000
/** Processes read before yielding to other work. */
const readsPerTurn = 64
/** An older reading is not used to compute the current CPU usage. */
const usageKeptMs = 60_000
/** The kernel's boot time shifts when the clock is set. */
const startToleranceMs = 2_000
const killWaitMs = 1_000
const killLookMs = 25

interface Stat {
  pid: number
  name: string
  state: string
  parentPid: number
  ticks: number
  nice: number
  threads: number
  startTicks: number
  virtualBytes: number
  residentBytes: number
}

interface Seen {
  startTicks: number
  ticks: number
}

/** Reads /proc directly: a list of all processes takes a few milliseconds and starts no program. */
export function createProcessTools(): ProcessTools {
  let last: { atMs: number; seen: Map<number, Seen> } = { atMs: 0, seen: new Map() }

  async function all(): Promise<Process[]> {
    const [names, bootMs] = await Promise.all([accountNames(), bootTime()])
    const nowMs = Date.now()
    const pids = readdirSync('/proc').filter((name) => name >= '1' && name <= '9999999999')
    const seen = new Map<number, Seen>()
    const found: Process[] = []
    for (const [index, pid] of pids.slice(0, processesMax).entries()) {
      if (index % readsPerTurn === readsPerTurn - 1) await new Promise((resolve) => setImmediate(resolve))
      const stat = readStat(pid)
      // It has ended since the list was read.
      if (stat === undefined) continue
      seen.set(stat.pid, { startTicks: stat.startTicks, ticks: stat.ticks })
      found.push(processOf(stat, names, { bootMs, nowMs, last }))
    }
    last = { atMs: nowMs, seen }
    return found.sort((a, b) => a.pid - b.pid)
  }

  async function one(pid: number): Promise<Process> {
    const stat = readStat(String(pid))
    if (stat === undefined) throw new ToolFailure('NOT_FOUND', `Process ${pid} not found`)
    const [names, bootMs] = await Promise.all([accountNames(), bootTime()])
    return processOf(stat, names, { bootMs, nowMs: Date.now(), last })
  }

  return {
    async list() {
      const processes = await all()
      return { processes, truncated: processes.length >= processesMax }
    },

    async detail(pid) {
      const process = await one(pid)
      return { ...process, ...(await detailsOf(pid)), children: await childrenOf(pid) }
    },

    async kill({ pid, signal, startedAt }) {
      const { name, ...before } = await one(pid)
      if (startedAt !== undefined && Math.abs(Date.parse(startedAt) - Date.parse(before.startedAt)) > startToleranceMs)
        throw new ToolFailure('CHANGED', `Process ${pid} is now another process`)
      if (pid === 1 || pid === process.pid) throw new ToolFailure('DENIED', `${name} (${pid}) must not be killed`)
      const { startTicks } = readStat(String(pid)) ?? { startTicks: -1 }
      try {
        process.kill(pid, `SIG${signal}`)
      } catch (error) {
        throw failureOf(error, `process ${pid}`)
      }
      return { pid, name, signal, ended: await hasEnded(pid, startTicks) }
    },
  }
}

/** Waits briefly for a process to end; a zombie counts as ended. */
async function hasEnded(pid: number, startTicks: number): Promise<boolean> {
  for (let waitedMs = 0; ; waitedMs += killLookMs) {
    const stat = readStat(String(pid))
    if (stat === undefined || stat.startTicks !== startTicks || stat.state === 'Z') return true
    if (waitedMs >= killWaitMs) return false
    await pause(killLookMs, new AbortController().signal)
  }
}

interface Moment {
  bootMs: number
  nowMs: number
  last: { atMs: number; seen: ReadonlyMap<number, Seen> }
}

function processOf(stat: Stat, names: Names, { bootMs, nowMs, last }: Moment): Process {
  const { pid, parentPid, name, state, threads } = stat
  const startedMs = bootMs + (stat.startTicks / ticksPerSecond) * 1000
  const before = last.seen.get(pid)
  const isKnown = before?.startTicks === stat.startTicks && nowMs - last.atMs <= usageKeptMs && nowMs > last.atMs
  const ticks = isKnown ? stat.ticks - before.ticks : stat.ticks
  const overMs = isKnown ? nowMs - last.atMs : nowMs - startedMs
  return {
    pid,
    parentPid,
    name,
    command: commandOf(pid),
    user: names.user(ownerOf(pid)),
    state,
    cpuPercent: overMs <= 0 ? 0 : Math.max(0, Math.round((ticks / ticksPerSecond / (overMs / 1000)) * 1000) / 10),
    memoryBytes: stat.residentBytes,
    threads,
    startedAt: new Date(Math.round(startedMs / 10) * 10).toISOString(),
  }
}

function readStat(pid: string): Stat | undefined {
  try {
    return parseStat(readFileSync(`/proc/${pid}/stat`, 'utf8'))
  } catch {
    return undefined
  }
}

/** One line of /proc/<pid>/stat. The name is in parentheses and may itself contain parentheses and spaces. */
export function parseStat(text: string): Stat | undefined {
  const [open, close] = [text.indexOf('('), text.lastIndexOf(')')]
  if (open < 0 || close < open) return undefined
  const rest = text
    .slice(close + 1)
    .trim()
    .split(' ')
  const field = (index: number) => Number(rest[index - 3] ?? 0)
  return {
    pid: Number(text.slice(0, open)),
    name: text.slice(open + 1, close),
    state: rest[0] ?? '?',
    parentPid: field(4),
    ticks: field(14) + field(15),
    nice: field(19),
    threads: field(20),
    startTicks: field(22),
    virtualBytes: field(23),
    residentBytes: field(24) * pageBytes,
  }
}

function commandOf(pid: number): string {
  try {
    return readFileSync(`/proc/${pid}/cmdline`, 'utf8').slice(0, commandCharsMax).replaceAll('\0', ' ').trim()
  } catch {
    return ''
  }
}

function ownerOf(pid: number): number {
  try {
    return statSync(`/proc/${pid}`).uid
  } catch {
    return 0
  }
}

let boot: Promise<number> | undefined

/** The boot time, the zero of process start times. Read once, so that those times stay constant. */
function bootTime(): Promise<number> {
  boot ??= readBootTime()
  return boot
}

async function readBootTime(): Promise<number> {
  const seconds = Number(/^btime (\d+)$/m.exec(await readFile('/proc/stat', 'utf8'))?.[1] ?? 0)
  return seconds * 1000
}

type Details = Omit<ProcessDetail, keyof Process | 'children'>

/** Fields that only the owner and root may read are null otherwise. */
async function detailsOf(pid: number): Promise<Details> {
  const at = `/proc/${pid}`
  const orNull = <T>(value: Promise<T>): Promise<T | null> => value.catch(() => null)
  const [executable, workingDirectory, openFiles, io, cgroup, status, names] = await Promise.all([
    orNull(readlink(`${at}/exe`)),
    orNull(readlink(`${at}/cwd`)),
    orNull(readdir(`${at}/fd`)),
    orNull(readFile(`${at}/io`, 'utf8')),
    orNull(readFile(`${at}/cgroup`, 'utf8')),
    orNull(readFile(`${at}/status`, 'utf8')),
    accountNames(),
  ])
  const stat = readStat(String(pid))
  const figure = (name: string) => {
    const value = new RegExp(`^${name}: (\\d+)$`, 'm').exec(io ?? '')?.[1]
    return value === undefined ? null : Number(value)
  }
  const gid = /^Gid:\s+\d+\s+(\d+)/m.exec(status ?? '')?.[1]
  return {
    executable,
    workingDirectory,
    group: gid === undefined ? null : names.group(Number(gid)),
    nice: stat?.nice ?? 0,
    virtualBytes: stat?.virtualBytes ?? 0,
    openFiles: openFiles?.length ?? null,
    readBytes: figure('read_bytes'),
    writtenBytes: figure('write_bytes'),
    controlGroup: /^0::(.+)$/m.exec(cgroup ?? '')?.[1] ?? null,
  }
}

async function childrenOf(pid: number): Promise<number[]> {
  const text = await readFile(`/proc/${pid}/task/${pid}/children`, 'utf8').catch(() => '')
  return text.split(' ').filter(Boolean).map(Number)
}
