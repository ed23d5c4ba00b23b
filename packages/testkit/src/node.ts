import { randomUUID } from 'node:crypto'
import { downStream, nodeLease, ordersField } from '@muster/backplane/keys.ts'
import { takePresence } from '@muster/backplane/presence.ts'
import { connectRedis, untilReady } from '@muster/backplane/redis.ts'
import { decodeOrders } from '@muster/backplane/routing.ts'
import type { DownMessage } from '@muster/wire/down.ts'
import { onTestFinished } from 'vitest'
import { opened } from './down-messages.ts'
import { operatorRedis } from './services.ts'
import { testRedis } from './stores.ts'

const leaseMs = 60_000
const patienceMs = 10_000

/** Registers devices like an ingest process, and returns the messages that it would send to them. */
export async function holding(...deviceIds: string[]) {
  const redis = await operatorRedis()
  const node = `test-${randomUUID()}`
  await redis.set(nodeLease(node), '{}', 'PX', leaseMs)
  await takePresence(
    redis,
    deviceIds.map((field) => ({ field, node, connection: 1 })),
  )
  const reader = connectRedis(testRedis(), node, 'blocking')
  await untilReady(reader, patienceMs)
  onTestFinished(() => reader.disconnect())
  const arrived: { deviceId: string; message: DownMessage }[] = []
  let last = '0-0'
  return {
    /** The next message for one of the devices. */
    async next(): Promise<{ deviceId: string; message: DownMessage }> {
      while (arrived.length === 0) {
        const reply = await reader.xreadBuffer('BLOCK', patienceMs, 'STREAMS', downStream(node), last)
        if (reply === null) throw new Error('no message was sent to the devices')
        for (const [, entries] of reply) {
          for (const [id, fields] of entries) {
            last = id.toString()
            const bytes = fields[fields.findIndex((field) => field.toString() === ordersField) + 1]
            for (const order of decodeOrders(bytes ?? new Uint8Array()))
              if (order.kind === 'frame') arrived.push({ deviceId: order.deviceId, message: opened(order.bytes) })
          }
        }
      }
      const [first] = arrived.splice(0, 1)
      if (first === undefined) throw new Error('no message was sent to the devices')
      return first
    },
  }
}
