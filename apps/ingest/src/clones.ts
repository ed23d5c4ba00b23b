import { publishGeneration } from '@muster/backplane/generations.ts'
import { clonesKey, quarantinedGeneration } from '@muster/backplane/keys.ts'
import type { Redis } from '@muster/backplane/redis.ts'

/**
 * Locks out devices whose key two machines use: closes both sockets, on any node, and accepts no other. A worker records
 * it. The device stays locked out until a person decides which machine it is.
 */
export async function lockOut(redis: Redis, deviceIds: readonly string[]): Promise<void> {
  for (const deviceId of deviceIds) {
    // The lasting part first: if this process stops in between, the worker completes the lockout.
    await redis.hset(clonesKey, deviceId, Date.now())
    await publishGeneration(redis, deviceId, quarantinedGeneration)
  }
}
