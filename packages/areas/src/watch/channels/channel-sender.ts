import { isOneOf } from '@muster/db/conditions.ts'
import { asSystem, type Db } from '@muster/db/database.ts'
import type { Keyring } from '@muster/kit/secrets/keyring.ts'
import { deliveryKind, type EndedDelivery } from '../../background/delivery-kind.ts'
import { emitAll, eventOf } from '../../platform/events/index.ts'
import { channelFailed } from './channel-events.contract.ts'
import { channelOf } from './lanes.ts'
import { type OpenChannel, openChannel } from './secrets.ts'
import { sendThrough } from './senders.ts'
import { isWanted, Queued } from './sending/send.ts'
import { workerWays } from './ways.ts'

const seconds = 1_000
/** The last one is repeated until the hour of the lane is over. */
const waitsMs = [5, 15, 30, 60, 120, 300].map((wait) => wait * seconds)
const timeoutMs = 20 * seconds

export async function channelToSend(
  db: Db,
  keyring: Keyring,
  id: string,
): Promise<{ readonly enabled: boolean; readonly channel: OpenChannel } | null> {
  const row = await db
    .selectFrom('alertChannels')
    .select(['id', 'type', 'config', 'secrets', 'enabled'])
    .where('id', '=', id)
    .executeTakeFirst()
  return row === undefined ? null : { enabled: row.enabled, channel: openChannel(keyring, row) }
}

export const channelDeliveries = deliveryKind({
  name: 'channel',
  waitsMs,
  timeoutMs,
  async send(parts, { lane, key, payload }) {
    const { message, recipient } = Queued.parse(payload)
    const found = await asSystem(parts.pool, (db) => channelToSend(db, parts.keyring, channelOf(lane)))
    if (found?.enabled !== true) {
      return { delivered: false, error: 'The channel was disabled or deleted', isFinal: true }
    }
    if (!(await asSystem(parts.pool, (db) => isWanted(db, channelOf(lane), message)))) {
      return { delivered: false, canceled: true, error: 'Its alerts were suppressed, acknowledged or resolved' }
    }
    return sendThrough(workerWays(parts), found.channel, { lane, key, message, recipient })
  },
  async ended(db, ended) {
    await tellFailures(
      db,
      ended.filter(({ status }) => status === 'failed'),
    )
    return {}
  },
})

/** Lets policies go on with their next step. */
async function tellFailures(db: Db, failed: readonly EndedDelivery[]): Promise<void> {
  if (failed.length === 0) return
  const ids = failed.map(({ delivery }) => channelOf(delivery.lane))
  const channels = await db
    .selectFrom('alertChannels')
    .select(['id', 'name'])
    .where(isOneOf('id', [...new Set(ids)]))
    .execute()
  const names = new Map(channels.map(({ id, name }) => [id, name]))
  await emitAll(
    db,
    failed.map(({ delivery: { lane, partnerId, orgId, payload }, error }) => {
      const { key, message } = Queued.parse(payload)
      const channelId = channelOf(lane)
      const data = { channelId, name: names.get(channelId) ?? '', key, groupKey: message.groupKey, error: error ?? '' }
      return eventOf(channelFailed, { partnerId, orgId, data })
    }),
  )
}
