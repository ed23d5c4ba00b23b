import { isNullOr, isOneOf } from '@muster/db/conditions.ts'
import type { Db } from '@muster/db/database.ts'
import { invalid } from '@muster/kit/errors.ts'

/** What uses channels, and the tenant that it belongs to. */
export interface ChannelUser {
  /** Such as `policy:<id>`. */
  readonly usedBy: string
  readonly partnerId: string
  readonly orgId: string | null
}

/**
 * Notes which channels a rule, policy or monitor uses, in place of those before; none when it is deleted. A channel that is
 * used cannot be deleted.
 * @throws VALIDATION_ERROR for channels that do not exist or belong to another organization
 */
export async function setChannelUses(
  db: Db,
  { usedBy, partnerId, orgId }: ChannelUser,
  channelIds: readonly string[],
): Promise<void> {
  const wanted = [...new Set(channelIds)]
  if (wanted.length > 0) {
    const found = await db
      .selectFrom('alertChannels')
      .select('id')
      .where(isOneOf('id', wanted))
      .where('partnerId', '=', partnerId)
      .where(isNullOr('orgId', orgId))
      .execute()
    if (found.length < wanted.length) throw invalid('channelIds: a channel does not exist here')
  }
  await db.deleteFrom('alertChannelUses').where('usedBy', '=', usedBy).execute()
  if (wanted.length === 0) return
  await db
    .insertInto('alertChannelUses')
    .values(wanted.map((channelId) => ({ channelId, usedBy, partnerId, orgId })))
    .execute()
}
