import { publishGeneration } from '@muster/backplane/generations.ts'
import { clonesKey, quarantinedGeneration } from '@muster/backplane/keys.ts'
import type { Redis } from '@muster/backplane/redis.ts'

/**
 * Locks devices out whose key two machines use: both sockets are closed, whatever node holds them, and no other is accepted. A worker
 * puts it on record; until a person has decided which machine it is, nobody speaks for the device.
 */
export async function lockOut(redis: Redis, deviceIds: readonly string[]): Promise<void> {
  for (const deviceId of deviceIds) {
    // First what makes it last: should this end in between, the worker locks the device out.
    await redis.hset(clonesKey, deviceId, Date.now())
    await publishGeneration(redis, deviceId, quarantinedGeneration)
  }
}
