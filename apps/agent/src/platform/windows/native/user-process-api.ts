import { dll, type Handle } from './koffi.ts'
import { pointer, struct, u16, u32 } from './layout.ts'

const kernel = dll('kernel32')
const wts = dll('wtsapi32')

/** STARTUPINFOW */
export const StartupInfo = struct({
  size: u32,
  reserved: pointer,
  desktop: pointer,
  title: pointer,
  x: u32,
  y: u32,
  width: u32,
  height: u32,
  columns: u32,
  rows: u32,
  fill: u32,
  flags: u32,
  show: u16,
  reservedSize: u16,
  reservedBytes: pointer,
  input: pointer,
  output: pointer,
  error: pointer,
})
export const ProcessInfo = struct({ process: pointer, thread: pointer, pid: u32, threadId: u32 })

export const consoleSession = kernel.func<() => number>('WTSGetActiveConsoleSessionId', 'uint32_t', [])
export const queryUserToken = wts.func<(session: number, token: Buffer) => number>('WTSQueryUserToken', 'int', [
  'uint32_t',
  'void *',
])
export const createEnvironment = dll('userenv').func<(block: Buffer, token: Handle, inherit: number) => number>(
  'CreateEnvironmentBlock',
  'int',
  ['void *', 'intptr_t', 'int'],
)
export const destroyEnvironment = dll('userenv').func<(block: Handle) => number>('DestroyEnvironmentBlock', 'int', [
  'intptr_t',
])
export const createProcessAsUser = dll('advapi32').func<
  (
    token: Handle,
    program: Buffer,
    commandLine: Buffer,
    processSecurity: null,
    threadSecurity: null,
    inherit: number,
    flags: number,
    environment: Buffer,
    directory: Buffer,
    startup: Buffer,
    info: Buffer,
  ) => number
>('CreateProcessAsUserW', 'int', [
  'intptr_t',
  'void *',
  'void *',
  'void *',
  'void *',
  'int',
  'uint32_t',
  'void *',
  'void *',
  'void *',
  'void *',
])
export const resumeThread = kernel.func<(thread: Handle) => number>('ResumeThread', 'uint32_t', ['intptr_t'])
export const getExitCode = kernel.func<(process: Handle, code: Buffer) => number>('GetExitCodeProcess', 'int', [
  'intptr_t',
  'void *',
])
export const getStandardHandle = kernel.func<(which: number) => Handle>('GetStdHandle', 'intptr_t', ['uint32_t'])
export const setHandleInformation = kernel.func<(handle: Handle, which: number, value: number) => number>(
  'SetHandleInformation',
  'int',
  ['intptr_t', 'uint32_t', 'uint32_t'],
)
