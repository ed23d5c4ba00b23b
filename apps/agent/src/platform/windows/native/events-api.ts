import { dll, type Handle } from './koffi.ts'

const { func } = dll('wevtapi')

export const evtClose = func<(handle: Handle) => number>('EvtClose', 'int', ['intptr_t'])
export const evtOpenChannels = func<(session: Handle, flags: number) => Handle>('EvtOpenChannelEnum', 'intptr_t', [
  'intptr_t',
  'uint32_t',
])
export const evtNextChannel = func<(channels: Handle, chars: number, path: Buffer, used: Buffer) => number>(
  'EvtNextChannelPath',
  'int',
  ['intptr_t', 'uint32_t', 'void *', 'void *'],
)
export const evtOpenLog = func<(session: Handle, path: Buffer, flags: number) => Handle>('EvtOpenLog', 'intptr_t', [
  'intptr_t',
  'void *',
  'uint32_t',
])
export const evtGetLogInfo = func<(log: Handle, what: number, size: number, value: Buffer, used: Buffer) => number>(
  'EvtGetLogInfo',
  'int',
  ['intptr_t', 'int', 'uint32_t', 'void *', 'void *'],
)
export const evtQuery = func<(session: Handle, path: Buffer, query: Buffer, flags: number) => Handle>(
  'EvtQuery',
  'intptr_t',
  ['intptr_t', 'void *', 'void *', 'uint32_t'],
)
export const evtNext = func<
  (results: Handle, count: number, events: Buffer, timeout: number, flags: number, returned: Buffer) => number
>('EvtNext', 'int', ['intptr_t', 'uint32_t', 'void *', 'uint32_t', 'uint32_t', 'void *'])
export const evtRender = func<
  (
    context: Handle,
    fragment: Handle,
    flags: number,
    size: number,
    buffer: Buffer | null,
    used: Buffer,
    count: Buffer,
  ) => number
>('EvtRender', 'int', ['intptr_t', 'intptr_t', 'uint32_t', 'uint32_t', 'void *', 'void *', 'void *'])
export const evtOpenPublisher = func<
  (session: Handle, name: Buffer, file: null, locale: number, flags: number) => Handle
>('EvtOpenPublisherMetadata', 'intptr_t', ['intptr_t', 'void *', 'void *', 'uint32_t', 'uint32_t'])
export const evtFormatMessage = func<
  (
    publisher: Handle,
    event: Handle,
    id: number,
    count: number,
    values: null,
    flags: number,
    chars: number,
    buffer: Buffer | null,
    used: Buffer,
  ) => number
>('EvtFormatMessage', 'int', [
  'intptr_t',
  'intptr_t',
  'uint32_t',
  'uint32_t',
  'void *',
  'uint32_t',
  'uint32_t',
  'void *',
  'void *',
])
