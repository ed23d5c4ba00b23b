import { WireError } from './frame.ts'
import { encodeMessage, headerOf } from './message.ts'
import { heartbeat } from './messages/heartbeat.ts'
import { hello } from './messages/hello.ts'
import { inventory } from './messages/inventory.ts'
import { progress } from './messages/progress.ts'
import { result } from './messages/result.ts'
import { updateStatus } from './messages/update-status.ts'

/** Everything an agent may send. */
export const upMessages = { hello, heartbeat, inventory, progress, result, updateStatus } as const

type Kinds = typeof upMessages
export type UpName = keyof Kinds
export type UpMessage = ReturnType<Kinds[UpName]['read']>

const byType: ReadonlyMap<number, Kinds[UpName]> = new Map(Object.values(upMessages).map((kind) => [kind.type, kind]))

/** Largest frame of each type, by type number; 0 for types that an agent may not send. */
export const upFrameBytesMax: Uint32Array = Uint32Array.from(
  { length: 128 },
  (_, type) => byType.get(type)?.bytesMax ?? 0,
)

/** The message in a frame from an agent. Throws WireError and nothing else. */
export function decodeUp(bytes: Uint8Array): UpMessage {
  const header = headerOf(bytes)
  const kind = byType.get(header.type)
  if (kind === undefined) throw new WireError('unknownType', `An agent sends no frames of type ${header.type}`)
  return kind.read(bytes, header)
}

/** The frame of a message from an agent. */
export function encodeUp(message: UpMessage): Uint8Array {
  return encodeMessage(upMessages[message.name], message.sequence, message.body)
}
