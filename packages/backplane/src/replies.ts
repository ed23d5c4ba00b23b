import { replyChannel } from './keys.ts'
import { pack, unpack } from './pack.ts'
import type { Redis } from './redis.ts'

/** What became of a request to a device: its reply as it came, or that the device is not connected to its node any more. */
export interface Replied {
  readonly deviceId: string
  readonly number: number
  readonly frame: Uint8Array | null
}

/** Tells the process that asked. */
export async function publishReply(redis: Redis, processId: string, replied: Replied): Promise<void> {
  const { deviceId, number, frame } = replied
  await redis.publish(replyChannel(processId), pack([deviceId, number, frame]))
}

/** Reads a message of a reply channel; undefined when it is none. */
export function decodeReply(message: Uint8Array): Replied | undefined {
  const fields = unpack(message)
  if (!Array.isArray(fields)) return undefined
  const [deviceId, number, frame]: unknown[] = fields
  if (typeof deviceId !== 'string' || typeof number !== 'number') return undefined
  if (frame !== null && !(frame instanceof Uint8Array)) return undefined
  return { deviceId, number, frame }
}
