import { commandStopsKey } from './keys.ts'
import { pack, unpack } from './pack.ts'
import type { Redis } from './redis.ts'

/** The partners whose commands gateways hold back. */
export interface CommandStops {
  readonly all: boolean
  readonly partnerIds: readonly string[]
}

/** Publishes the stops to the gateways. The database is authoritative; this is a cache. */
export async function writeCommandStops(redis: Redis, { all, partnerIds }: CommandStops): Promise<void> {
  await redis.set(commandStopsKey, pack([all, partnerIds]))
}

/** Undefined when the stops are missing or unreadable. */
export async function readCommandStops(redis: Redis): Promise<CommandStops | undefined> {
  const bytes = await redis.getBuffer(commandStopsKey)
  const fields = bytes === null ? undefined : unpack(bytes)
  if (!Array.isArray(fields)) return undefined
  const [all, partnerIds]: unknown[] = fields
  if (typeof all !== 'boolean' || !Array.isArray(partnerIds)) return undefined
  return partnerIds.every((id) => typeof id === 'string') ? { all, partnerIds } : undefined
}
