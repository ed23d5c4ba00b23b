// Hands events to followers: each event once to each follower, in the order of the commits.
import { inTransaction } from '@muster/db/transaction.ts'
import { isTransient } from '@muster/kit/transient-errors.ts'
import type pg from 'pg'
import { counter } from '../../background/counter.ts'
import type { Follower } from '../../background/follower.ts'
import type { WorkerParts } from '../../background/worker-parts.ts'
import { type Cursor, claimCursor, moveCursor, type PlacedEvent, postpone, readEvents } from './cursors.ts'

/** After this many failures a batch is read one event at a time; after as many again, the failing event is left out. */
const triesMax = 5
const retryFirstMs = 100
const retryMaxMs = 10_000

export const eventsHandled = counter('events_handled_total', 'Events that a follower handled', ['follower'])
export const eventsFailed = counter('event_failures_total', 'Events that a follower left out after failures', [
  'follower',
])

/** How far an attempt to handle a batch came. */
interface Attempt {
  cursor: Cursor | null
  read: readonly PlacedEvent[]
  limit: number
}

/**
 * Handles the next events of a follower. Does nothing while another worker does.
 * @returns whether there may be more
 */
export async function followOnce(follower: Follower, parts: WorkerParts): Promise<boolean> {
  const attempt: Attempt = { cursor: null, read: [], limit: follower.batchMax }
  try {
    return await handleBatch(follower, parts, attempt)
  } catch (error) {
    await afterFailure(follower, parts, attempt, error)
    return false
  }
}

async function handleBatch(follower: Follower, parts: WorkerParts, attempt: Attempt): Promise<boolean> {
  const { name, batchMax } = follower
  const types = follower.types === 'all' ? null : follower.types.map((type) => type.name)
  const done = await inTransaction(parts.pool, async (client) => {
    const cursor = await claimCursor(client, name)
    if (cursor === null) return null
    attempt.cursor = cursor
    attempt.limit = Math.min(cursor.batchMax ?? batchMax, batchMax)
    attempt.read = await readEvents(client, cursor, types, attempt.limit)
    const wanted = attempt.read.filter(
      ({ type, isBeforeStart }) => !isBeforeStart && (types === null || types.includes(type)),
    )
    const followed = wanted.length === 0 ? {} : await follower.handle(client, wanted, parts)
    await moveCursor(client, follower, attempt.read)
    return { ...followed, handled: wanted.length }
  })
  if (done === null) return false
  if (done.handled > 0) parts.count(eventsHandled, { follower: name }, done.handled)
  done.afterCommit?.()
  if (done.events !== undefined && done.events.length > 0)
    await parts.publish(done.events).catch((error: unknown) => {
      parts.log.warn({ err: error, follower: name }, 'Live events were not published')
    })
  return attempt.read.length === attempt.limit
}

async function afterFailure(
  follower: Follower,
  parts: WorkerParts,
  { cursor, read, limit }: Attempt,
  failure: unknown,
): Promise<void> {
  const { name } = follower
  const { pool, log } = parts
  const failures = (cursor?.failures ?? 0) + 1
  const error = failure instanceof Error ? failure.message : String(failure)
  const [event] = read
  if (failures < triesMax || cursor === null || event === undefined || (limit === 1 && isTransient(failure))) {
    log.warn({ err: failure, follower: name, failures }, 'Events could not be handled and are retried')
    const delayMs = Math.min(retryFirstMs * 2 ** Math.min(failures, triesMax), retryMaxMs)
    await postpone(pool, name, { delayMs, failures, batchMax: limit, error })
  } else if (limit > 1) await postpone(pool, name, { delayMs: 0, failures: 0, batchMax: 1, error })
  else if (await inTransaction(pool, (client) => leaveOut(client, follower, cursor, event, error))) {
    log.error({ err: failure, follower: name, eventId: event.id, type: event.type }, 'An event was left out')
    parts.count(eventsFailed, { follower: name })
  }
}

/** @returns false if another worker has handled the event meanwhile */
async function leaveOut(
  client: pg.PoolClient,
  follower: Follower,
  failedAt: Cursor,
  event: PlacedEvent,
  error: string,
): Promise<boolean> {
  const cursor = await claimCursor(client, follower.name)
  if (cursor === null || cursor.tx !== failedAt.tx || cursor.seq !== failedAt.seq) return false
  await client.query(
    `INSERT INTO event_failures (follower, event_id, type, partner_id, org_id, device_id, error)
     VALUES ($1, $2, $3, $4, $5, $6, $7)`,
    [follower.name, event.id, event.type, event.partnerId, event.orgId, event.deviceId, error.slice(0, 1_000)],
  )
  await moveCursor(client, follower, [event])
  return true
}
