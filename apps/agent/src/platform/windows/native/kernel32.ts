import { dll, type Handle } from './koffi.ts'
import { fileTime, size64, struct, u32, u64 } from './layout.ts'

const { func } = dll('kernel32')

export const PerformanceInformation = struct({
  cb: u32,
  commitTotal: u64,
  commitLimit: u64,
  commitPeak: u64,
  physicalTotal: u64,
  physicalAvailable: u64,
  systemCache: u64,
  kernelTotal: u64,
  kernelPaged: u64,
  kernelNonpaged: u64,
  pageSize: u64,
  handleCount: u32,
  processCount: u32,
  threadCount: u32,
})
export const MemoryStatus = struct({
  length: u32,
  memoryLoad: u32,
  totalPhysical: size64,
  availablePhysical: size64,
  totalPageFile: size64,
  availablePageFile: size64,
  totalVirtual: size64,
  availableVirtual: size64,
  availableExtendedVirtual: size64,
})
export const SystemTimes = struct({ idle: u64, kernel: u64, user: u64 })
export const DiskSpace = struct({ availableToCaller: size64, total: size64, free: size64 })
export const ProcessTimes = struct({ created: fileTime, exited: fileTime, kernel: u64, user: u64 })

export const closeHandle = func<(handle: Handle) => number>('CloseHandle', 'int', ['intptr_t'])
export const globalMemoryStatus = func<(status: Buffer) => number>('GlobalMemoryStatusEx', 'int', ['void *'])
export const performanceInfo = func<(info: Buffer, size: number) => number>('K32GetPerformanceInfo', 'int', [
  'void *',
  'uint32_t',
])
export const getSystemTimes = func<(idle: Buffer, kernel: Buffer, user: Buffer) => number>('GetSystemTimes', 'int', [
  'void *',
  'void *',
  'void *',
])
export const getTickCount = func<() => number | bigint>('GetTickCount64', 'uint64_t', [])

export const createFile = func<
  (path: Buffer, access: number, share: number, security: null, how: number, flags: number, template: Handle) => Handle
>('CreateFileW', 'intptr_t', ['void *', 'uint32_t', 'uint32_t', 'void *', 'uint32_t', 'uint32_t', 'intptr_t'])
export const getFinalPathName = func<(file: Handle, path: Buffer, chars: number, flags: number) => number>(
  'GetFinalPathNameByHandleW',
  'uint32_t',
  ['intptr_t', 'void *', 'uint32_t', 'uint32_t'],
)
export const invalidHandle = -1

export const getSystemFirmwareTable = func<
  (provider: number, table: number, buffer: Buffer | null, size: number) => number
>('GetSystemFirmwareTable', 'uint32_t', ['uint32_t', 'uint32_t', 'void *', 'uint32_t'])
export const getLogicalDriveStrings = func<(chars: number, buffer: Buffer) => number>(
  'GetLogicalDriveStringsW',
  'uint32_t',
  ['uint32_t', 'void *'],
)
export const getDriveType = func<(root: Buffer) => number>('GetDriveTypeW', 'uint32_t', ['void *'])
export const getDiskFreeSpace = func<(root: Buffer, available: Buffer, total: Buffer, free: Buffer) => number>(
  'GetDiskFreeSpaceExW',
  'int',
  ['void *', 'void *', 'void *', 'void *'],
)
export const getVolumeInformation = func<
  (
    root: Buffer,
    label: Buffer,
    labelChars: number,
    serial: null,
    component: null,
    flags: null,
    fileSystem: Buffer,
    fileSystemChars: number,
  ) => number
>('GetVolumeInformationW', 'int', ['void *', 'void *', 'uint32_t', 'void *', 'void *', 'void *', 'void *', 'uint32_t'])
export const multiByteToWide = func<
  (page: number, flags: number, bytes: Buffer, size: number, text: Buffer, chars: number) => number
>('MultiByteToWideChar', 'int', ['uint32_t', 'uint32_t', 'void *', 'int', 'void *', 'int'])
