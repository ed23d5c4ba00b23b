import { dll, type Handle } from './koffi.ts'
import { i32, pointer, size64, struct, u16, u32, wideText } from './layout.ts'

const { func } = dll('kernel32')
const ntdll = dll('ntdll')

export const ProcessEntry = struct({
  size: u32,
  usage: u32,
  pid: u32,
  heapId: pointer,
  moduleId: u32,
  threads: u32,
  parentPid: u32,
  priority: i32,
  flags: u32,
  name: wideText(260),
})
export const MemoryCounters = struct({
  cb: u32,
  pageFaults: u32,
  peakWorkingSet: size64,
  workingSet: size64,
  peakPagedPool: size64,
  pagedPool: size64,
  peakNonPagedPool: size64,
  nonPagedPool: size64,
  pagefileUsage: size64,
  peakPagefileUsage: size64,
})
export const IoCounters = struct({
  reads: size64,
  writes: size64,
  others: size64,
  readBytes: size64,
  writtenBytes: size64,
  otherBytes: size64,
})
/** UNICODE_STRING; the text follows it in the answers that are read here. */
export const UnicodeString = struct({ length: u16, maximumLength: u16, buffer: pointer })
const BasicLimits = struct({
  perProcessTime: size64,
  perJobTime: size64,
  limitFlags: u32,
  minimumWorkingSet: size64,
  maximumWorkingSet: size64,
  activeProcesses: u32,
  affinity: size64,
  priorityClass: u32,
  schedulingClass: u32,
})
export const ExtendedLimits = struct({
  basic: BasicLimits,
  io: IoCounters,
  processMemory: size64,
  jobMemory: size64,
  peakProcessMemory: size64,
  peakJobMemory: size64,
})
export const limitFlagsAt = BasicLimits.offsetOf('limitFlags')

/** The rights of an opened process. */
export const rights = {
  terminate: 0x1,
  setQuota: 0x100,
  query: 0x400,
  queryLimited: 0x1000,
  synchronize: 0x10_0000,
  readMemory: 0x10,
} as const

export const createSnapshot = func<(what: number, pid: number) => Handle>('CreateToolhelp32Snapshot', 'intptr_t', [
  'uint32_t',
  'uint32_t',
])
export const processFirst = func<(snapshot: Handle, entry: Buffer) => number>('Process32FirstW', 'int', [
  'intptr_t',
  'void *',
])
export const processNext = func<(snapshot: Handle, entry: Buffer) => number>('Process32NextW', 'int', [
  'intptr_t',
  'void *',
])
export const openProcess = func<(rights: number, inherit: number, pid: number) => Handle>('OpenProcess', 'intptr_t', [
  'uint32_t',
  'int',
  'uint32_t',
])
export const terminateProcess = func<(process: Handle, exitCode: number) => number>('TerminateProcess', 'int', [
  'intptr_t',
  'uint32_t',
])
export const waitForObject = func<(object: Handle, ms: number) => number>('WaitForSingleObject', 'uint32_t', [
  'intptr_t',
  'uint32_t',
])
export const getProcessTimes = func<
  (process: Handle, created: Buffer, exited: Buffer, kernel: Buffer, user: Buffer) => number
>('GetProcessTimes', 'int', ['intptr_t', 'void *', 'void *', 'void *', 'void *'])
export const queryImageName = func<(process: Handle, flags: number, path: Buffer, chars: Buffer) => number>(
  'QueryFullProcessImageNameW',
  'int',
  ['intptr_t', 'uint32_t', 'void *', 'void *'],
)
export const getMemoryCounters = func<(process: Handle, counters: Buffer, size: number) => number>(
  'K32GetProcessMemoryInfo',
  'int',
  ['intptr_t', 'void *', 'uint32_t'],
)
export const getIoCounters = func<(process: Handle, counters: Buffer) => number>('GetProcessIoCounters', 'int', [
  'intptr_t',
  'void *',
])
export const getHandleCount = func<(process: Handle, count: Buffer) => number>('GetProcessHandleCount', 'int', [
  'intptr_t',
  'void *',
])
export const queryProcess = ntdll.func<
  (process: Handle, what: number, buffer: Buffer, size: number, needed: Buffer) => number
>('NtQueryInformationProcess', 'int32_t', ['intptr_t', 'int', 'void *', 'uint32_t', 'void *'])
/** The class of information that is the command line, since Windows 8.1. */
export const commandLineInformation = 60

export const createJob = func<(security: null, name: Buffer | null) => Handle>('CreateJobObjectW', 'intptr_t', [
  'void *',
  'void *',
])
export const setJobInformation = func<(job: Handle, what: number, info: Buffer, size: number) => number>(
  'SetInformationJobObject',
  'int',
  ['intptr_t', 'int', 'void *', 'uint32_t'],
)
export const assignToJob = func<(job: Handle, process: Handle) => number>('AssignProcessToJobObject', 'int', [
  'intptr_t',
  'intptr_t',
])
export const terminateJob = func<(job: Handle, exitCode: number) => number>('TerminateJobObject', 'int', [
  'intptr_t',
  'uint32_t',
])
