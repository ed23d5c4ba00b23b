import { listChannels, logDetail, readEvent, readEvents } from '../calls/event-logs.ts'
import { folderOf } from '../calls/folders.ts'
import { beginShutdown } from '../calls/power.ts'
import { identifyProcess, killProcess, listProcesses, processDetail } from '../calls/processes.ts'
import { createKey, deleteKey, deleteValue, getValue, listKeys, listValues, setValue } from '../calls/registry.ts'
import {
  beginStart,
  beginStop,
  listServices,
  runningDependents,
  serviceDetail,
  serviceState,
} from '../calls/services.ts'

/** What a native thread can be asked for. Each call is synchronous there and may block. */
export const nativeCalls = {
  listProcesses,
  processDetail,
  killProcess,
  identifyProcess,
  listServices,
  serviceDetail,
  serviceState,
  beginStart,
  beginStop,
  runningDependents,
  listKeys,
  listValues,
  getValue,
  setValue,
  deleteValue,
  createKey,
  deleteKey,
  listChannels,
  logDetail,
  readEvents,
  readEvent,
  folderOf,
  beginShutdown,
}
export type NativeCalls = typeof nativeCalls

export interface NativeRequest {
  call: keyof NativeCalls
  args: readonly unknown[]
}
export type NativeAnswer = { result: unknown } | { failed: { code: string | undefined; message: string } }
