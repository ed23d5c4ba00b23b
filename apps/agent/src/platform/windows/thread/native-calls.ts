import { protectionOf } from '../calls/encryption.ts'
import { listChannels, logDetail, readEvent, readEvents } from '../calls/event-logs.ts'
import { listFeatures } from '../calls/features.ts'
import { openFolder } from '../calls/folders.ts'
import { membership } from '../calls/membership.ts'
import { beginShutdown } from '../calls/power.ts'
import { identifyProcess, killProcess, listProcesses, processDetail } from '../calls/processes.ts'
import { systemProxies } from '../calls/proxies.ts'
import { createKey, deleteKey, deleteValue, getValue, listKeys, listValues, setValue } from '../calls/registry.ts'
import {
  beginStart,
  beginStop,
  listServices,
  runningDependents,
  serviceDetail,
  serviceState,
} from '../calls/services.ts'
import { signedInUser } from '../calls/sessions.ts'
import { listDrives, volumeOf } from '../calls/volumes.ts'
import { listInterfaces } from '../inventory/network.ts'
import { securityChip } from '../inventory/security.ts'
import { listUsers } from '../inventory/users.ts'
import { setAccess } from '../native/folder-access.ts'
import { writeEvent } from '../setup/event-source.ts'

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
  openFolder,
  setAccess,
  listDrives,
  volumeOf,
  protectionOf,
  listFeatures,
  membership,
  listInterfaces,
  listUsers,
  securityChip,
  signedInUser,
  systemProxies,
  beginShutdown,
  writeEvent,
}
export type NativeCalls = typeof nativeCalls

export interface NativeRequest {
  call: keyof NativeCalls
  args: readonly unknown[]
}
export type NativeAnswer = { result: unknown } | { failed: { code: string | undefined; message: string } }
