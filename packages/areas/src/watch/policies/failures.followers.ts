// A message that finally failed makes the next step of its policy due at once.
import { type Db, handleOn } from '@muster/db/database.ts'
import { sql } from 'kysely'
import { z } from 'zod'
import { follower } from '../../background/follower.ts'
import { channelFailed } from '../channels/channel-events.contract.ts'
import { digestIdOf } from './messages/messages.ts'

const Failed = z.object({ channelId: z.uuid(), key: z.string() })

/**
 * Of groups whose last step the message belongs to: what failed of an earlier step has been followed by another one already.
 * A digest stands for the messages of all of its groups.
 */
export async function escalate(db: Db, failed: readonly z.infer<typeof Failed>[]): Promise<void> {
  await sql`WITH given AS (
      SELECT * FROM unnest(${failed.map(({ channelId }) => channelId)}::uuid[], ${failed.map(({ key }) => key)}::text[],
        ${failed.map(({ key }) => digestIdOf(key))}::uuid[]) AS g(channel_id, key, digest_id)),
    failed AS (
      SELECT m.group_id, m.step FROM given g JOIN alert_messages m ON m.channel_id = g.channel_id AND m.key = g.key
      UNION SELECT m.group_id, m.step FROM given g JOIN alert_messages d ON d.id = g.digest_id
        JOIN alert_messages m ON m.channel_id = g.channel_id AND m.digest AND m.at = d.at)
    UPDATE alert_groups g SET step_at = now() FROM failed f
    WHERE g.id = f.group_id AND coalesce(f.step + 1 >= g.step, true) AND g.closed_at IS NULL AND g.stopped_at IS NULL AND g.step_at > now()`.execute(
    db,
  )
}

export const failedMessages = follower({
  name: 'alert-failed-messages',
  types: [channelFailed],
  batchMax: 500,
  async handle(client, events) {
    await escalate(
      handleOn(client),
      events.map(({ data }) => Failed.parse(data)),
    )
    return {}
  },
})
