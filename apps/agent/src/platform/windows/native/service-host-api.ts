import { type Handle, koffi, system32 } from './koffi.ts'

type Async<Args extends readonly unknown[], R> = {
  async(...args: [...Args, (error: Error | null, result: R) => void]): void
}

// Declared here rather than with dll(): the dispatcher runs on a thread of the addon, and the others take callbacks.
const library = koffi.load(`${system32}\\advapi32.dll`)
const mainPrototype = koffi.proto('__stdcall', 'ServiceMain', 'void', ['uint32_t', 'void *'])
const handlerPrototype = koffi.proto('__stdcall', 'ServiceHandler', 'uint32_t', [
  'uint32_t',
  'uint32_t',
  'void *',
  'void *',
])

/** Answers the service control manager for as long as the service runs. */
export const startDispatcher = library.func<Async<[Buffer], number>>(
  '__stdcall',
  'StartServiceCtrlDispatcherW',
  'int',
  ['void *'],
)
export const registerHandler = library.func<(name: Buffer, handler: Handle, context: null) => Handle>(
  '__stdcall',
  'RegisterServiceCtrlHandlerExW',
  'intptr_t',
  ['void *', koffi.pointer(handlerPrototype), 'void *'],
)
export const setServiceStatus = library.func<(service: Handle, status: Buffer) => number>(
  '__stdcall',
  'SetServiceStatus',
  'int',
  ['intptr_t', 'void *'],
)

export const serviceMain = (main: () => void): Handle => koffi.register(main, koffi.pointer(mainPrototype))
export const serviceHandler = (handler: (control: number) => number): Handle =>
  koffi.register(handler, koffi.pointer(handlerPrototype))
