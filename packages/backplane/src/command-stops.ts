import { commandStopsKey } from './keys.ts'
import { pack, unpack } from './pack.ts'
import type { Redis } from './redis.ts'

/** Whose commands no gateway may deliver. */
export interface CommandStops {
  readonly everybody: boolean
  readonly partnerIds: readonly string[]
}

/** Tells the gateways. What counts is what the database says; this is its copy. */
export async function writeCommandStops(redis: Redis, { everybody, partnerIds }: CommandStops): Promise<void> {
  await redis.set(commandStopsKey, pack([everybody, partnerIds]))
}

/** Undefined when nobody has said it, or not in words that can be read. */
export async function readCommandStops(redis: Redis): Promise<CommandStops | undefined> {
  const bytes = await redis.getBuffer(commandStopsKey)
  const fields = bytes === null ? undefined : unpack(bytes)
  if (!Array.isArray(fields)) return undefined
  const [everybody, partnerIds]: unknown[] = fields
  if (typeof everybody !== 'boolean' || !Array.isArray(partnerIds)) return undefined
  return partnerIds.every((id) => typeof id === 'string') ? { everybody, partnerIds } : undefined
}
