import { dll, type Handle } from './koffi.ts'
import { pointer, struct, u32 } from './layout.ts'

const { func } = dll('advapi32')
const kernel = dll('kernel32')

export const TokenUser = struct({ sid: pointer, attributes: u32 })

export const openProcessToken = func<(process: Handle, rights: number, token: Buffer) => number>(
  'OpenProcessToken',
  'int',
  ['intptr_t', 'uint32_t', 'void *'],
)
export const getTokenInformation = func<
  (token: Handle, what: number, buffer: Buffer | null, size: number, needed: Buffer) => number
>('GetTokenInformation', 'int', ['intptr_t', 'int', 'void *', 'uint32_t', 'void *'])
export const checkMembership = func<(token: null, group: Handle, isMember: Buffer) => number>(
  'CheckTokenMembership',
  'int',
  ['void *', 'intptr_t', 'void *'],
)
export const lookupAccount = func<
  (
    machine: null,
    sid: Handle,
    name: Buffer,
    nameChars: Buffer,
    domain: Buffer,
    domainChars: Buffer,
    use: Buffer,
  ) => number
>('LookupAccountSidW', 'int', ['void *', 'intptr_t', 'void *', 'void *', 'void *', 'void *', 'void *'])
export const sidToText = func<(sid: Handle, text: Buffer) => number>('ConvertSidToStringSidW', 'int', [
  'intptr_t',
  'void *',
])
export const textToSid = func<(text: Buffer, sid: Buffer) => number>('ConvertStringSidToSidW', 'int', [
  'void *',
  'void *',
])
export const textToDescriptor = func<(text: Buffer, revision: number, descriptor: Buffer, size: Buffer) => number>(
  'ConvertStringSecurityDescriptorToSecurityDescriptorW',
  'int',
  ['void *', 'uint32_t', 'void *', 'void *'],
)
export const descriptorToText = func<
  (descriptor: Buffer, revision: number, what: number, text: Buffer, chars: Buffer) => number
>('ConvertSecurityDescriptorToStringSecurityDescriptorW', 'int', ['void *', 'uint32_t', 'uint32_t', 'void *', 'void *'])
export const getDescriptorAccess = func<
  (descriptor: Handle, present: Buffer, list: Buffer, defaulted: Buffer) => number
>('GetSecurityDescriptorDacl', 'int', ['intptr_t', 'void *', 'void *', 'void *'])
export const setNamedSecurity = func<
  (name: Buffer, type: number, what: number, owner: null, group: null, access: Handle, audit: null) => number
>('SetNamedSecurityInfoW', 'uint32_t', ['void *', 'int', 'uint32_t', 'void *', 'void *', 'intptr_t', 'void *'])
export const getFileSecurity = func<
  (path: Buffer, what: number, descriptor: Buffer | null, size: number, needed: Buffer) => number
>('GetFileSecurityW', 'int', ['void *', 'uint32_t', 'void *', 'uint32_t', 'void *'])
export const lookupPrivilege = func<(machine: null, name: Buffer, luid: Buffer) => number>(
  'LookupPrivilegeValueW',
  'int',
  ['void *', 'void *', 'void *'],
)
export const adjustPrivileges = func<
  (token: Handle, disableAll: number, state: Buffer, size: number, previous: null, needed: null) => number
>('AdjustTokenPrivileges', 'int', ['intptr_t', 'int', 'void *', 'uint32_t', 'void *', 'void *'])
export const initiateShutdown = func<
  (machine: null, message: Buffer | null, timeout: number, force: number, restart: number, reason: number) => number
>('InitiateSystemShutdownExW', 'int', ['void *', 'void *', 'uint32_t', 'int', 'int', 'uint32_t'])
export const localFree = kernel.func<(memory: Handle) => Handle>('LocalFree', 'intptr_t', ['intptr_t'])
export const getCurrentProcess = kernel.func<() => Handle>('GetCurrentProcess', 'intptr_t', [])

export const informationOf = { owner: 0x1, access: 0x4, protectedAccess: 0x8000_0000 } as const
export const tokenRights = { query: 0x8, adjustPrivileges: 0x20 } as const
export const tokenUserInformation = 1
