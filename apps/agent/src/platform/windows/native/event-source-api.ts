import { dll, type Handle } from './koffi.ts'

const { func } = dll('advapi32')

export const registerEventSource = func<(machine: null, source: Buffer) => Handle>('RegisterEventSourceW', 'intptr_t', [
  'void *',
  'void *',
])
export const reportEvent = func<
  (
    source: Handle,
    type: number,
    category: number,
    id: number,
    user: null,
    texts: number,
    bytes: number,
    list: Buffer,
    data: null,
  ) => number
>('ReportEventW', 'int', [
  ...(['intptr_t', 'uint16_t', 'uint16_t', 'uint32_t', 'void *'] as const),
  ...(['uint16_t', 'uint32_t', 'void *', 'void *'] as const),
])
export const deregisterEventSource = func<(source: Handle) => number>('DeregisterEventSource', 'int', ['intptr_t'])
