import { replyChannel } from './keys.ts'
import { pack, unpack } from './pack.ts'
import type { Redis } from './redis.ts'

/** Why a request did not reach its device. */
export type Undelivered = 'offline' | 'withheld' | 'outdated'

/** The outcome of a request to a device: its reply, or why there is none. */
export interface Replied {
  readonly deviceId: string
  readonly number: number
  readonly reply: Uint8Array | Undelivered
}

/** Sends the reply to the process that asked. */
export async function publishReply(redis: Redis, processId: string, replied: Replied): Promise<void> {
  const { deviceId, number, reply } = replied
  await redis.publish(replyChannel(processId), pack([deviceId, number, reply]))
}

/** Decodes a message of a reply channel; undefined when it is invalid. */
export function decodeReply(message: Uint8Array): Replied | undefined {
  const fields = unpack(message)
  if (!Array.isArray(fields)) return undefined
  const [deviceId, number, reply]: unknown[] = fields
  if (typeof deviceId !== 'string' || typeof number !== 'number') return undefined
  const isReply = reply instanceof Uint8Array || reply === 'offline' || reply === 'withheld' || reply === 'outdated'
  return isReply ? { deviceId, number, reply } : undefined
}
