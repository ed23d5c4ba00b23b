import { type Process, type ProcessDetail, processesMax } from '@muster/wire/commands/processes.ts'
import { ToolFailure } from '../../../tool-failure.ts'
import { accountName, sidOfProcess, u32Buffer } from '../native/accounts.ts'
import { failureOfCall, lastError } from '../native/errors.ts'
import { closeHandle, ProcessTimes } from '../native/kernel32.ts'
import type { Handle } from '../native/koffi.ts'
import { textAt } from '../native/layout.ts'
import {
  commandLineInformation,
  createSnapshot,
  getHandleCount,
  getIoCounters,
  getMemoryCounters,
  getProcessTimes,
  IoCounters,
  MemoryCounters,
  openProcess,
  ProcessEntry,
  processFirst,
  processNext,
  queryImageName,
  queryProcess,
  rights,
  terminateProcess,
  UnicodeString,
  waitForObject,
} from '../native/processes-api.ts'
import { treeOf } from '../process-tree.ts'

const snapshotProcesses = 2
const commandCharsMax = 1_000
const commandLineBytes = 64 * 1024
const killWaitMs = 1_000
const startToleranceMs = 2_000
const killedExitCode = 1
const ticksPerMs = 10_000
/** The clock may have been set back since a process began. */
const clockChangeMs = 366 * 86_400_000

export type SnapshotEntry = ReturnType<typeof ProcessEntry.read>

/** All processes of the system. */
export function snapshot(): SnapshotEntry[] {
  const handle = createSnapshot(snapshotProcesses, 0)
  if (Number(handle) === -1) throw lastError('CreateToolhelp32Snapshot')
  try {
    const entry = Buffer.alloc(ProcessEntry.size)
    entry.writeUInt32LE(ProcessEntry.size)
    const found: SnapshotEntry[] = []
    for (let more = processFirst(handle, entry); more !== 0; more = processNext(handle, entry))
      found.push(ProcessEntry.read(entry))
    return found
  } finally {
    closeHandle(handle)
  }
}

/** Opens a process during a callback; undefined when this user may not, or when it has ended. */
export function withProcess<T>(pid: number, wanted: number, work: (process: Handle) => T): T | undefined {
  const handle = openProcess(wanted, 0, pid)
  if (Number(handle) === 0) return undefined
  try {
    return work(handle)
  } finally {
    closeHandle(handle)
  }
}

interface Times {
  createdMs: number
  cpuMs: number
}

/** Zeros where the system does not tell: a process that just begins or ends may have no times, or senseless ones. */
export function timesOf(process: Handle): Times {
  const buffer = Buffer.alloc(ProcessTimes.size)
  const part = (name: 'created' | 'exited' | 'kernel' | 'user') => buffer.subarray(ProcessTimes.offsetOf(name))
  if (getProcessTimes(process, part('created'), part('exited'), part('kernel'), part('user')) === 0)
    return { createdMs: 0, cpuMs: 0 }
  const { created, kernel, user } = ProcessTimes.read(buffer)
  const isSound = created > 0 && created < Date.now() + clockChangeMs
  return { createdMs: isSound ? created : 0, cpuMs: Number(kernel + user) / ticksPerMs }
}

/** CPU times of the previous list. */
let last = new Map<string, { cpuMs: number; atMs: number }>()

export function listProcesses(): { processes: Process[]; truncated: boolean } {
  const seen: typeof last = new Map()
  const entries = snapshot()
  const processes = entries.slice(0, processesMax).map((entry) => processOf(entry, seen))
  last = seen
  return { processes: processes.sort((a, b) => a.pid - b.pid), truncated: entries.length > processesMax }
}

function processOf(entry: SnapshotEntry, seen: typeof last): Process {
  const read = withProcess(entry.pid, rights.queryLimited, (handle) => ({
    command: commandLineOf(handle) ?? imageOf(handle) ?? entry.name,
    user: userOf(handle),
    memoryBytes: memoryOf(handle).workingSet,
    times: timesOf(handle),
  }))
  return {
    pid: entry.pid,
    parentPid: entry.parentPid,
    name: entry.name,
    command: (read?.command ?? entry.name).slice(0, commandCharsMax),
    user: read?.user ?? '',
    // Windows tells no state; a process in a snapshot is there.
    state: 'R',
    cpuPercent: read === undefined ? 0 : cpuPercentOf(entry.pid, read.times, seen),
    memoryBytes: read?.memoryBytes ?? 0,
    threads: entry.threads,
    startedAt: new Date(read?.times.createdMs ?? 0).toISOString(),
  }
}

/** Since the previous list, else over the life of the process. */
function cpuPercentOf(pid: number, { createdMs, cpuMs }: Times, seen: typeof last): number {
  const key = `${pid}:${createdMs}`
  const atMs = Date.now()
  seen.set(key, { cpuMs, atMs })
  const before = last.get(key) ?? { cpuMs: 0, atMs: createdMs }
  const elapsedMs = Math.max(1, atMs - before.atMs)
  return Math.round(Math.max(0, (cpuMs - before.cpuMs) / elapsedMs) * 1_000) / 10
}

function userOf(handle: Handle): string {
  const sid = sidOfProcess(handle)
  return sid === undefined ? '' : accountName(sid)
}

function commandLineOf(handle: Handle): string | undefined {
  const buffer = Buffer.alloc(commandLineBytes)
  if (queryProcess(handle, commandLineInformation, buffer, buffer.length, u32Buffer()) !== 0) return undefined
  const { length } = UnicodeString.read(buffer)
  return length === 0 ? undefined : textAt(buffer, UnicodeString.size, length / 2)
}

function imageOf(handle: Handle): string | undefined {
  const path = Buffer.alloc(64 * 1024)
  return queryImageName(handle, 0, path, u32Buffer(path.length / 2)) === 0 ? undefined : textAt(path, 0)
}

function memoryOf(handle: Handle) {
  const counters = Buffer.alloc(MemoryCounters.size)
  return getMemoryCounters(handle, counters, counters.length) === 0
    ? { workingSet: 0, pagefileUsage: 0 }
    : MemoryCounters.read(counters)
}

function entryOf(pid: number, entries: readonly SnapshotEntry[] = snapshot()): SnapshotEntry {
  const entry = entries.find((each) => each.pid === pid)
  if (entry === undefined) throw new ToolFailure('NOT_FOUND', `Process ${pid} not found`)
  return entry
}

export function processDetail(pid: number): ProcessDetail {
  const entries = snapshot()
  const entry = entryOf(pid, entries)
  const more = withProcess(pid, rights.queryLimited, (handle) => {
    const io = Buffer.alloc(IoCounters.size)
    const hasIo = getIoCounters(handle, io) !== 0
    const handles = u32Buffer()
    return {
      executable: imageOf(handle) ?? null,
      virtualBytes: memoryOf(handle).pagefileUsage,
      openFiles: getHandleCount(handle, handles) === 0 ? null : handles.readUInt32LE(),
      readBytes: hasIo ? IoCounters.read(io).readBytes : null,
      writtenBytes: hasIo ? IoCounters.read(io).writtenBytes : null,
    }
  })
  return {
    ...processOf(entry, new Map(last)),
    ...(more ?? { executable: null, virtualBytes: 0, openFiles: null, readBytes: null, writtenBytes: null }),
    // Windows has no such values, or shows them to a debugger only.
    ...{ workingDirectory: null, group: null, nice: 0, controlGroup: null },
    children: entries.filter((each) => each.parentPid === pid && each.pid !== pid).map((each) => each.pid),
  }
}

/** Kills a process with all processes that it started. */
export function killProcess(
  pid: number,
  signal: string,
  startedAt: string | undefined,
  ownPid: number,
): { pid: number; name: string; signal: string; ended: boolean } {
  const entries = snapshot()
  const { name } = entryOf(pid, entries)
  if (signal !== 'TERM' && signal !== 'KILL')
    throw new ToolFailure('UNSUPPORTED_PLATFORM', `Windows has no signal ${signal}; TERM and KILL end the process`)
  if (pid <= systemPid || pid === ownPid) throw new ToolFailure('DENIED', `${name} (${pid}) must not be killed`)
  const created = (one: number) => withProcess(one, rights.queryLimited, (handle) => timesOf(handle).createdMs)
  const createdMs = created(pid)
  if (startedAt !== undefined && Math.abs(Date.parse(startedAt) - (createdMs ?? 0)) > startToleranceMs)
    throw new ToolFailure('CHANGED', `Process ${pid} is now another process`)
  const family = treeOf(pid, entries, (one) => created(one) ?? 0).filter((one) => one !== ownPid)
  const ended = terminate(pid, name)
  // A child that started meanwhile, or that this user may not end, does not undo the end of the process that was meant.
  for (const child of family.filter((one) => one !== pid))
    withProcess(child, rights.terminate, (handle) => terminateProcess(handle, killedExitCode))
  return { pid, name, signal, ended }
}

/** Idle and System. */
const systemPid = 4

function terminate(pid: number, name: string): boolean {
  const handle = openProcess(rights.terminate | rights.synchronize, 0, pid)
  if (Number(handle) === 0) throw failureOfCall(lastError('OpenProcess'), `process ${pid} (${name})`)
  try {
    if (terminateProcess(handle, killedExitCode) === 0)
      throw failureOfCall(lastError('TerminateProcess'), `process ${pid} (${name})`)
    return waitForObject(handle, killWaitMs) === 0
  } finally {
    closeHandle(handle)
  }
}

/** PID and start time of a process; undefined when it has ended. */
export function identifyProcess(pid: number): string | undefined {
  return withProcess(pid, rights.queryLimited | rights.synchronize, (handle) =>
    waitForObject(handle, 0) === 0 ? undefined : `${pid}:${timesOf(handle).createdMs}`,
  )
}
