import { dll, type Handle } from './koffi.ts'

const { func } = dll('advapi32')
const kernel = dll('kernel32')

export const createService = func<
  (
    manager: Handle,
    name: Buffer,
    displayName: Buffer,
    rights: number,
    type: number,
    startType: number,
    errorControl: number,
    command: Buffer,
    group: null,
    tag: null,
    dependencies: null,
    account: null,
    password: null,
  ) => Handle
>('CreateServiceW', 'intptr_t', [
  ...(['intptr_t', 'void *', 'void *', 'uint32_t', 'uint32_t', 'uint32_t', 'uint32_t'] as const),
  ...(['void *', 'void *', 'void *', 'void *', 'void *', 'void *'] as const),
])
export const changeConfig = func<
  (
    service: Handle,
    type: number,
    startType: number,
    errorControl: number,
    command: Buffer | null,
    group: null,
    tag: null,
    dependencies: null,
    account: null,
    password: null,
    displayName: Buffer,
  ) => number
>('ChangeServiceConfigW', 'int', [
  ...(['intptr_t', 'uint32_t', 'uint32_t', 'uint32_t', 'void *', 'void *'] as const),
  ...(['void *', 'void *', 'void *', 'void *', 'void *'] as const),
])
export const changeConfig2 = func<(service: Handle, level: number, info: Buffer) => number>(
  'ChangeServiceConfig2W',
  'int',
  ['intptr_t', 'uint32_t', 'void *'],
)
export const deleteService = func<(service: Handle) => number>('DeleteService', 'int', ['intptr_t'])
export const moveFile = kernel.func<(from: Buffer, to: Buffer | null, flags: number) => number>('MoveFileExW', 'int', [
  'void *',
  'void *',
  'uint32_t',
])

export const setupRights = { createService: 0x2, changeConfig: 0x2, startAndStop: 0x30, delete: 0x1_0000 } as const
export const configLevels = { description: 1, failureActions: 2, failureActionsFlag: 4 } as const
/** Removes a file at the next start of the system. */
export const atNextStart = 4
