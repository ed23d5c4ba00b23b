// Distinguishes one machine that reconnects from two that use one key. A process draws a number when it starts and keeps it
// while it runs, and a machine never returns to an earlier run. An earlier run soon after a later one is another machine.

import { shardOf } from './device-id.ts'
import { clonesKey, presenceShards, runsHash } from './keys.ts'
import { deviceOfField, presenceField } from './presence.ts'
import type { Redis } from './redis.ts'

/** A run that has just connected. */
export interface Arrival {
  /** Device ID, with the suffix `/watchdog` for a watchdog. */
  readonly field: string
  readonly bootId: number
  readonly atMs: number
}

/**
 * How long after a later run an earlier one reveals a clone. Both machines reconnect within two minutes of being
 * replaced. A machine that is restored from a memory snapshot after this time is accepted.
 */
export const cloneWindowMs = 600_000

const arrivalsPerCommand = 2_000

// Stores up to three runs, the latest last. An arrival that is reported late (Redis was unreachable, or another node was
// faster) proves nothing.
const note = `
local clones = {}
for i = 2, #ARGV, 3 do
  local field, boot, at = ARGV[i], ARGV[i + 1], tonumber(ARGV[i + 2])
  local runs = {}
  for run, since in string.gmatch(redis.call('HGET', KEYS[1], field) or '', '(%d+)@(%d+)') do runs[#runs + 1] = { run, tonumber(since) } end
  local last = runs[#runs]
  if not last or at >= last[2] then
    local kept = {}
    for _, run in ipairs(runs) do
      if run[1] ~= boot then kept[#kept + 1] = run[1] .. '@' .. string.format('%d', run[2])
      elseif run ~= last and at - last[2] <= tonumber(ARGV[1]) then clones[#clones + 1] = (i - 2) / 3 end
    end
    kept[#kept + 1] = boot .. '@' .. string.format('%d', at)
    while #kept > 3 do table.remove(kept, 1) end
    redis.call('HSET', KEYS[1], field, table.concat(kept, ' '))
  end
end
return clones`

/** Records arrivals. @returns the devices whose key two machines use */
export async function noteRuns(redis: Redis, arrivals: readonly Arrival[]): Promise<string[]> {
  const shards = new Map<number, Arrival[]>()
  for (const arrival of arrivals) {
    const shard = shardOf(deviceOfField(arrival.field), presenceShards)
    const list = shards.get(shard)
    if (list === undefined) shards.set(shard, [arrival])
    else list.push(arrival)
  }
  const clones = new Set<string>()
  const noteSlice = async (shard: number, slice: readonly Arrival[]) => {
    const values = slice.flatMap(({ field, bootId, atMs }) => [field, bootId, atMs])
    const found: unknown = await redis.eval(note, 1, runsHash(shard), cloneWindowMs, ...values)
    for (const index of Array.isArray(found) ? found : []) {
      const arrival = slice[Number(index)]
      if (arrival !== undefined) clones.add(deviceOfField(arrival.field))
    }
  }
  const notes: Promise<void>[] = []
  for (const [shard, list] of shards)
    for (let start = 0; start < list.length; start += arrivalsPerCommand)
      notes.push(noteSlice(shard, list.slice(start, start + arrivalsPerCommand)))
  await Promise.all(notes)
  return [...clones]
}

/** Forgets the runs of a device: the next machine to connect is accepted. */
export async function forgetRuns(redis: Redis, deviceId: string): Promise<void> {
  const fields = [presenceField(deviceId, 'agent'), presenceField(deviceId, 'watchdog')]
  await redis.hdel(runsHash(shardOf(deviceId, presenceShards)), ...fields)
  await redis.hdel(clonesKey, deviceId)
}
