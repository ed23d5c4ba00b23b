import { generationsChannel, generationsKey } from './keys.ts'
import { pack, unpack } from './pack.ts'
import type { Redis } from './redis.ts'

/** Revokes certificates of older generations, on open sockets too; `revokedGeneration` revokes all of them. */
export async function publishGeneration(redis: Redis, deviceId: string, generation: number): Promise<void> {
  await redis.hset(generationsKey, deviceId, generation)
  await redis.publish(generationsChannel, pack([deviceId, generation]))
}

/** Decodes a message of the channel; undefined when it is invalid. */
export function decodeGeneration(message: Uint8Array): { deviceId: string; generation: number } | undefined {
  const value = unpack(message)
  if (!Array.isArray(value)) return undefined
  const [deviceId, generation]: unknown[] = value
  return typeof deviceId === 'string' && typeof generation === 'number' ? { deviceId, generation } : undefined
}
