import { WireError } from './frame.ts'
import { encodeMessage, headerOf } from './message.ts'
import { heartbeat } from './messages/heartbeat.ts'
import { hello, type Role } from './messages/hello.ts'
import { inventory } from './messages/inventory.ts'
import { observations } from './messages/observations.ts'
import { progress } from './messages/progress.ts'
import { refusal } from './messages/refusal.ts'
import { reply } from './messages/reply.ts'
import { result } from './messages/result.ts'
import { resume } from './messages/resume.ts'
import { unopened } from './messages/unopened.ts'
import { updateStatus } from './messages/update-status.ts'
import { watchdogKey } from './messages/watchdog-key.ts'
import { watchdogStatus } from './messages/watchdog-status.ts'

/** Everything an agent may send. */
export const upMessages = {
  hello,
  heartbeat,
  inventory,
  progress,
  result,
  updateStatus,
  watchdogStatus,
  watchdogKey,
  reply,
  resume,
  refusal,
  observations,
  unopened,
} as const

/** Messages that workers store. Ingest answers the others itself; heartbeats have a decoder of their own. */
export const storedMessages = {
  inventory,
  progress,
  result,
  updateStatus,
  watchdogStatus,
  watchdogKey,
  refusal,
  observations,
  unopened,
} as const

export type StoredMessage = ReturnType<(typeof storedMessages)[keyof typeof storedMessages]['read']>

export const isStored = (message: UpMessage): message is StoredMessage => message.name in storedMessages

type Kinds = typeof upMessages
export type UpName = keyof Kinds
export type UpMessage = ReturnType<Kinds[UpName]['read']>

const byType: ReadonlyMap<number, Kinds[UpName]> = new Map(Object.values(upMessages).map((kind) => [kind.type, kind]))

const ofWatchdogs: ReadonlySet<UpName> = new Set(['hello', 'resume', 'updateStatus', 'watchdogStatus', 'refusal'])
const notOfAgents: ReadonlySet<UpName> = new Set(['watchdogStatus'])

/** Largest frame of each type, by type number; 0 for types that this role may not send. */
export const upFrameBytesMax: Readonly<Record<Role, Uint32Array>> = {
  agent: frameSizes((name) => !notOfAgents.has(name)),
  watchdog: frameSizes((name) => ofWatchdogs.has(name)),
}

function frameSizes(maySend: (name: UpName) => boolean): Uint32Array {
  return Uint32Array.from({ length: 128 }, (_, type) => {
    const kind = byType.get(type)
    return kind !== undefined && maySend(kind.name) ? kind.bytesMax : 0
  })
}

/** Decodes a frame from an agent. Throws only WireError. */
export function decodeUp(bytes: Uint8Array): UpMessage {
  const header = headerOf(bytes)
  const kind = byType.get(header.type)
  if (kind === undefined) throw new WireError('unknownType', `An agent does not send frames of type ${header.type}`)
  return kind.read(bytes, header)
}

/** Encodes a message from an agent. */
export function encodeUp(message: UpMessage): Uint8Array {
  return encodeMessage(upMessages[message.name], message.sequence, message.body)
}
