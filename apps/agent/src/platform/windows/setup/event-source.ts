import type { ServiceEvent } from '../../platform.ts'
import { createKey, deleteKey, setValue } from '../calls/registry.ts'
import { serviceName } from '../installed-key.ts'
import { deregisterEventSource, registerEventSource, reportEvent } from '../native/event-source-api.ts'
import { koffi } from '../native/koffi.ts'
import { wide } from '../native/layout.ts'

const place = {
  hive: 'HKEY_LOCAL_MACHINE',
  path: `SYSTEM\\CurrentControlSet\\Services\\EventLog\\Application\\${serviceName}`,
  view: '64',
} as const
// A program of Windows whose messages 1 to 1000 are the text of the event alone.
const messages = '%SystemRoot%\\System32\\EventCreate.exe'
const [error, warning, information] = [1, 2, 4]
const events: Readonly<Record<ServiceEvent, { id: number; type: number }>> = {
  started: { id: 1, type: information },
  stopped: { id: 2, type: information },
  warning: { id: 3, type: warning },
  error: { id: 4, type: error },
}
/** The limit of one text of an event. */
const charsMax = 31_000

export function registerEvents(): void {
  createKey(place)
  setValue(place, { name: 'EventMessageFile', type: 'REG_EXPAND_SZ', data: messages })
  setValue(place, { name: 'TypesSupported', type: 'REG_DWORD', data: error | warning | information })
}

export function unregisterEvents(): void {
  deleteKey(place)
}

/** Writes to the application log. An event that the log does not take is lost: the log of the service has it too. */
export function writeEvent(kind: ServiceEvent, message: string): void {
  const source = registerEventSource(null, wide(serviceName))
  if (Number(source) === 0) return
  const text = wide(message.slice(0, charsMax))
  const list = Buffer.alloc(8)
  list.writeBigUInt64LE(BigInt(koffi.address(text)))
  const { id, type } = events[kind]
  reportEvent(source, type, 0, id, null, 1, 0, list, null)
  deregisterEventSource(source)
}
