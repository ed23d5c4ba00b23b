import type { Db } from '@muster/db/database.ts'
import type { Caller } from '@muster/kit/access.ts'
import { visibleDevices } from '../devices/index.ts'

export interface GroupPlace {
  readonly id: string
  readonly orgId: string
  readonly partnerId: string
  readonly siteId: string | null
}
export interface Skipped {
  readonly deviceId: string
  readonly reason: string
}

/** Records membership changes in the log of the group. */
export async function logMembers(
  db: Db,
  caller: Caller,
  group: GroupPlace,
  action: 'added' | 'removed' | 'pinned' | 'unpinned',
  deviceIds: readonly string[],
): Promise<void> {
  if (deviceIds.length === 0) return
  const entry = {
    groupId: group.id,
    orgId: group.orgId,
    partnerId: group.partnerId,
    action,
    reason: 'manual',
    actorId: caller.userId,
  } as const
  await db
    .insertInto('deviceGroupLog')
    .values(deviceIds.map((deviceId) => ({ ...entry, deviceId })))
    .execute()
}

/** Adds visible devices of the group's organization and site to a group. */
export async function addMembers(
  db: Db,
  caller: Caller,
  group: GroupPlace,
  deviceIds: readonly string[],
): Promise<{ added: string[]; skipped: Skipped[] }> {
  const rows = await db
    .selectFrom('devices')
    .select(['devices.id', 'devices.orgId', 'devices.siteId', 'devices.lifecycle'])
    .where(visibleDevices(caller))
    .where('devices.id', 'in', [...deviceIds])
    .execute()
  const seen = new Map(rows.map((row) => [row.id, row]))
  const skipped: Skipped[] = []
  const fitting = [...new Set(deviceIds)].filter((deviceId) => {
    const device = seen.get(deviceId)
    const reason =
      device === undefined
        ? 'not found'
        : device.lifecycle === 'decommissioned'
          ? 'decommissioned'
          : device.orgId !== group.orgId
            ? 'belongs to another organization'
            : group.siteId !== null && device.siteId !== group.siteId
              ? 'belongs to another site'
              : null
    if (reason !== null) skipped.push({ deviceId, reason })
    return reason === null
  })
  if (fitting.length === 0) return { added: [], skipped }
  const inserted = await db
    .insertInto('deviceGroupMembers')
    .values(
      fitting.map((deviceId) => ({ groupId: group.id, deviceId, orgId: group.orgId, partnerId: group.partnerId })),
    )
    .onConflict((row) => row.doNothing())
    .returning('deviceId')
    .execute()
  const added = inserted.map((row) => row.deviceId)
  for (const deviceId of fitting) if (!added.includes(deviceId)) skipped.push({ deviceId, reason: 'already a member' })
  await logMembers(db, caller, group, 'added', added)
  return { added, skipped }
}
