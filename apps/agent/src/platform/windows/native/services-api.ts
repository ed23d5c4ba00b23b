import { dll, type Handle } from './koffi.ts'
import { pointer, struct, u32 } from './layout.ts'

const { func } = dll('advapi32')

export const ServiceStatus = struct({
  type: u32,
  state: u32,
  accepted: u32,
  exitCode: u32,
  specificExitCode: u32,
  checkPoint: u32,
  waitHint: u32,
})
export const ServiceStatusProcess = struct({
  type: u32,
  state: u32,
  accepted: u32,
  exitCode: u32,
  specificExitCode: u32,
  checkPoint: u32,
  waitHint: u32,
  pid: u32,
  flags: u32,
})
export const EnumServiceStatusProcess = struct({ name: pointer, displayName: pointer, status: ServiceStatusProcess })
export const EnumServiceStatus = struct({ name: pointer, displayName: pointer, status: ServiceStatus })
export const ServiceConfig = struct({
  type: u32,
  startType: u32,
  errorControl: u32,
  program: pointer,
  loadOrderGroup: pointer,
  tag: u32,
  dependencies: pointer,
  account: pointer,
  displayName: pointer,
})

export const openManager = func<(machine: null, database: null, rights: number) => Handle>(
  'OpenSCManagerW',
  'intptr_t',
  ['void *', 'void *', 'uint32_t'],
)
export const openService = func<(manager: Handle, name: Buffer, rights: number) => Handle>('OpenServiceW', 'intptr_t', [
  'intptr_t',
  'void *',
  'uint32_t',
])
export const closeService = func<(handle: Handle) => number>('CloseServiceHandle', 'int', ['intptr_t'])
export const enumServices = func<
  (
    manager: Handle,
    level: number,
    type: number,
    state: number,
    buffer: Buffer | null,
    size: number,
    needed: Buffer,
    returned: Buffer,
    resume: Buffer,
    group: null,
  ) => number
>('EnumServicesStatusExW', 'int', [
  'intptr_t',
  'int',
  'uint32_t',
  'uint32_t',
  'void *',
  'uint32_t',
  'void *',
  'void *',
  'void *',
  'void *',
])
export const queryConfig = func<(service: Handle, buffer: Buffer | null, size: number, needed: Buffer) => number>(
  'QueryServiceConfigW',
  'int',
  ['intptr_t', 'void *', 'uint32_t', 'void *'],
)
export const queryConfig2 = func<
  (service: Handle, level: number, buffer: Buffer | null, size: number, needed: Buffer) => number
>('QueryServiceConfig2W', 'int', ['intptr_t', 'uint32_t', 'void *', 'uint32_t', 'void *'])
export const queryStatus = func<
  (service: Handle, level: number, buffer: Buffer, size: number, needed: Buffer) => number
>('QueryServiceStatusEx', 'int', ['intptr_t', 'int', 'void *', 'uint32_t', 'void *'])
export const startService = func<(service: Handle, count: number, args: null) => number>('StartServiceW', 'int', [
  'intptr_t',
  'uint32_t',
  'void *',
])
export const controlService = func<(service: Handle, control: number, status: Buffer) => number>(
  'ControlService',
  'int',
  ['intptr_t', 'uint32_t', 'void *'],
)
export const enumDependents = func<
  (service: Handle, state: number, buffer: Buffer | null, size: number, needed: Buffer, returned: Buffer) => number
>('EnumDependentServicesW', 'int', ['intptr_t', 'uint32_t', 'void *', 'uint32_t', 'void *', 'void *'])

export const managerRights = { connect: 0x1, enumerate: 0x4 } as const
export const serviceRights = {
  queryConfig: 0x1,
  queryStatus: 0x4,
  enumerateDependents: 0x8,
  start: 0x10,
  stop: 0x20,
} as const
