import { dll, type Handle } from './koffi.ts'

const { func } = dll('advapi32')
const system = dll('ntdll')

export const regOpenKey = func<(root: Handle, path: Buffer, options: number, rights: number, key: Buffer) => number>(
  'RegOpenKeyExW',
  'int32_t',
  ['intptr_t', 'void *', 'uint32_t', 'uint32_t', 'void *'],
)
export const regCreateKey = func<
  (
    root: Handle,
    path: Buffer,
    reserved: number,
    className: null,
    options: number,
    rights: number,
    security: null,
    key: Buffer,
    disposition: Buffer,
  ) => number
>('RegCreateKeyExW', 'int32_t', [
  'intptr_t',
  'void *',
  'uint32_t',
  'void *',
  'uint32_t',
  'uint32_t',
  'void *',
  'void *',
  'void *',
])
export const regCloseKey = func<(key: Handle) => number>('RegCloseKey', 'int32_t', ['intptr_t'])
export const regEnumKey = func<
  (key: Handle, index: number, name: Buffer, chars: Buffer, a: null, b: null, c: null, d: null) => number
>('RegEnumKeyExW', 'int32_t', ['intptr_t', 'uint32_t', 'void *', 'void *', 'void *', 'void *', 'void *', 'void *'])
export const regEnumValue = func<
  (
    key: Handle,
    index: number,
    name: Buffer,
    chars: Buffer,
    reserved: null,
    type: Buffer,
    data: Buffer | null,
    size: Buffer,
  ) => number
>('RegEnumValueW', 'int32_t', ['intptr_t', 'uint32_t', 'void *', 'void *', 'void *', 'void *', 'void *', 'void *'])
export const regQueryValue = func<
  (key: Handle, name: Buffer, reserved: null, type: Buffer, data: Buffer | null, size: Buffer) => number
>('RegQueryValueExW', 'int32_t', ['intptr_t', 'void *', 'void *', 'void *', 'void *', 'void *'])
export const regSetValue = func<
  (key: Handle, name: Buffer, reserved: number, type: number, data: Buffer, size: number) => number
>('RegSetValueExW', 'int32_t', ['intptr_t', 'void *', 'uint32_t', 'uint32_t', 'void *', 'uint32_t'])
export const regDeleteValue = func<(key: Handle, name: Buffer) => number>('RegDeleteValueW', 'int32_t', [
  'intptr_t',
  'void *',
])
export const regDeleteKey = func<(key: Handle, name: Buffer, view: number, reserved: number) => number>(
  'RegDeleteKeyExW',
  'int32_t',
  ['intptr_t', 'void *', 'uint32_t', 'uint32_t'],
)
/** Returns an NTSTATUS. */
export const deleteOpenKey = system.func<(key: Handle) => number>('NtDeleteKey', 'int32_t', ['intptr_t'])
/** The error code for an NTSTATUS. */
export const dosError = system.func<(status: number) => number>('RtlNtStatusToDosError', 'uint32_t', ['int32_t'])
