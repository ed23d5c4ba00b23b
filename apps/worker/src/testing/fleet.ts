import { randomInt } from 'node:crypto'
import { shardOf } from '@muster/backplane/device-id.ts'
import {
  downStream,
  liveChannel,
  nodeLease,
  ordersField,
  presenceHash,
  presenceShards,
} from '@muster/backplane/keys.ts'
import { decodeLive, type LiveEvent } from '@muster/backplane/live.ts'
import { connectSubscriber } from '@muster/backplane/redis.ts'
import { decodeOrders } from '@muster/backplane/routing.ts'
import { type Bed, makeDevices, type TestDevice, type TestNode, untilDrained } from './bed.ts'

/** A random boot ID, as agents make it. */
export const boot = (): number => randomInt(1, 2 ** 47)
export const oneDevice = async (bed: Bed): Promise<TestDevice> => {
  const [device] = await makeDevices(bed, 1)
  if (device === undefined) throw new Error('no device')
  return device
}

/** Inserts a command; `more` are further columns. */
export async function addCommand(bed: Bed, device: TestDevice, more: Record<string, string> = {}): Promise<string> {
  const columns = { timeout_ms: '60000', expires_at: `now() + interval '1 hour'`, type: `'run_script'`, ...more }
  const { rows } = await bed.owner.query<{ id: string }>(
    `INSERT INTO device_commands (device_id, org_id, partner_id, ${Object.keys(columns).join(', ')})
     SELECT id, org_id, partner_id, ${Object.values(columns).join(', ')} FROM devices WHERE id = $1 RETURNING id`,
    [device.id],
  )
  return rows[0]?.id ?? ''
}

export async function commandOf(bed: Bed, id: string) {
  const { rows } = await bed.pool.query('SELECT * FROM device_commands WHERE id = $1', [id])
  return rows[0]
}

/** Appends the records of the node to shard 0 and waits until they are stored. */
export async function store(bed: Bed, node: TestNode): Promise<void> {
  await node.append(bed.redis, 0)
  await untilDrained(bed.redis, 0)
}

/** Writes to presence that a living node holds the device. */
export async function hold(bed: Bed, device: TestDevice, node: TestNode): Promise<void> {
  await bed.redis.set(nodeLease(node.id), '{}', 'PX', 60_000)
  await bed.redis.hset(presenceHash(shardOf(device.id, presenceShards)), device.id, `${node.id}:1`)
}

/** The orders in the stream of the node. */
export async function ordersFor(bed: Bed, node: TestNode) {
  const entries = await bed.redis.xrangeBuffer(downStream(node.id), '-', '+')
  return entries.flatMap(([, fields]) => {
    const value = fields[fields.findIndex((field) => field.toString() === ordersField) + 1]
    return value === undefined ? [] : decodeOrders(value)
  })
}

/** Collects the live events of the device's partner. */
export async function listen(bed: Bed, device: TestDevice): Promise<{ events: LiveEvent[]; stop: () => void }> {
  const subscriber = connectSubscriber(bed.redisUrl, 'worker-test-live')
  const events: LiveEvent[] = []
  subscriber.on('messageBuffer', (_channel, message: Buffer) => events.push(...decodeLive(message)))
  await subscriber.subscribe(liveChannel(device.partnerId))
  return { events, stop: () => subscriber.disconnect() }
}
