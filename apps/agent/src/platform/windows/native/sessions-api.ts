import { dll, type Handle } from './koffi.ts'
import { pointer, struct, u32 } from './layout.ts'

const wts = dll('wtsapi32')
const net = dll('netapi32')

export const SessionInfo = struct({ id: u32, station: pointer, state: u32 })
/** USER_INFO_20 */
export const UserInfo = struct({ name: pointer, fullName: pointer, comment: pointer, flags: u32, rid: u32 })
/** LOCALGROUP_MEMBERS_INFO_1 */
export const GroupMember = struct({ sid: pointer, use: u32, name: pointer })

export const enumerateSessions = wts.func<
  (server: Handle, reserved: number, version: number, sessions: Buffer, count: Buffer) => number
>('WTSEnumerateSessionsW', 'int', ['intptr_t', 'uint32_t', 'uint32_t', 'void *', 'void *'])
export const querySession = wts.func<
  (server: Handle, session: number, what: number, text: Buffer, size: Buffer) => number
>('WTSQuerySessionInformationW', 'int', ['intptr_t', 'uint32_t', 'int', 'void *', 'void *'])
export const freeSessions = wts.func<(memory: Handle) => void>('WTSFreeMemory', 'void', ['intptr_t'])

export const enumerateUsers = net.func<
  (
    server: null,
    level: number,
    filter: number,
    buffer: Buffer,
    size: number,
    read: Buffer,
    total: Buffer,
    resume: Buffer,
  ) => number
>('NetUserEnum', 'uint32_t', ['void *', 'uint32_t', 'uint32_t', 'void *', 'uint32_t', 'void *', 'void *', 'void *'])
export const groupMembers = net.func<
  (
    server: null,
    group: Buffer,
    level: number,
    buffer: Buffer,
    size: number,
    read: Buffer,
    total: Buffer,
    resume: Buffer,
  ) => number
>('NetLocalGroupGetMembers', 'uint32_t', [
  'void *',
  'void *',
  'uint32_t',
  'void *',
  'uint32_t',
  'void *',
  'void *',
  'void *',
])
export const joinInformation = net.func<(server: null, name: Buffer, status: Buffer) => number>(
  'NetGetJoinInformation',
  'uint32_t',
  ['void *', 'void *', 'void *'],
)
export const freeNet = net.func<(memory: Handle) => number>('NetApiBufferFree', 'uint32_t', ['intptr_t'])
export const wtsUserName = 5
