import type { Db } from '@muster/db/database.ts'
import { sql } from 'kysely'
import { insertEvents } from '../../platform/events/index.ts'
import { groupJoined, groupLeft } from './groups-events.contract.ts'

interface Member {
  readonly groupId: string
  readonly deviceId: string
}

/** Stores that devices joined or left groups, in the open transaction. */
export async function tellMembers(db: Db, what: 'joined' | 'left', members: readonly Member[]): Promise<void> {
  if (members.length === 0) return
  const { name } = what === 'joined' ? groupJoined : groupLeft
  await sql`${sql.raw(insertEvents)}
    SELECT ${name}, d.partner_id, d.org_id, d.site_id, d.id, now(),
      jsonb_build_object('hostname', d.hostname, 'groupId', g.id, 'groupName', g.name)
    FROM unnest(${members.map(({ groupId }) => groupId)}::uuid[], ${members.map(({ deviceId }) => deviceId)}::uuid[])
      AS u(group_id, device_id) JOIN device_groups g ON g.id = u.group_id JOIN devices d ON d.id = u.device_id`.execute(
    db,
  )
}
